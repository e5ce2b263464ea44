"""The command line: each command says what it did and what comes next; a mistake is a sentence, never a traceback."""

import asyncio
import getpass
import sys
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter
from rich.console import Console

from configs.catalogue import Catalogue
from configs.load import load_settings
from connectors.http.errors import ConnectorError, Unreachable
from domain.competence import parse_competence
from domain.documents import parse_document
from domain.problems import FaturistaError, LayoutError, Problem, SettingsError
from domain.states import BatchState
from flows import orchestrator, screens
from flows.cli_inbox import take_inbox
from flows.cli_preview import show_preview
from flows.cli_reports import report
from flows.progress import shown
from tasks import decide as decisions
from tasks.approve import approve_batch, waiting_batches
from tasks.preview.recall import reasons_of
from tasks.read import ReadingOptions, check_file
from tasks.runtime import PRODUCTS, open_desk
from tasks.views import trace as traces
from tasks.views.health import check_health
from tasks.views.status import overview, skipped_rows

Profile = Annotated[str, Parameter(help="Profile: local, homologation or production.")]

console = Console()
app = App(name="faturista", help="Spreadsheets in, issued invoices out: each good row exactly once.")
app.command(report)


@app.command
def bill(
    file: Path,
    *,
    emitter: str | None = None,
    competence: str | None = None,
    sheet: str | None = None,
    profile: Profile = "local",
    allow_repeats: bool = False,
    retry_rejected: bool = False,
) -> None:
    """Read a sheet of services or products and get its invoices ready for approval.

    Args:
        file: The workbook (XLSX, XLSM, XLSB, XLS, ODS) or CSV.
        emitter: CNPJ of the emitter, for rows that name none.
        competence: Month, such as 2026-11, for rows that name none.
        sheet: The sheet to read, where several could be.
        profile: Which settings to use.
        allow_repeats: Bill rows although equal ones have living invoices.
        retry_rejected: Bill unchanged rows again that the city rejected.
    """
    options = ReadingOptions(
        operator=getpass.getuser(),
        emitter_cnpj=None if emitter is None else _cnpj(emitter),
        competence=None if competence is None else _month(competence),
        sheet=sheet,
        allow_repeats=allow_repeats,
        retry_rejected=retry_rejected,
    )
    # Refused in words before anything heavy starts.
    with open_desk(profile) as desk:
        kind = check_file(desk, file, options)
        words = desk.catalogue
        orchestrator.prepare(Path(desk.settings.paths.home))
    console.print(words.text(f"cli.kind_{kind}"))
    console.print(words.text("cli.starting"))
    from flows.bill_products import bill_products  # noqa: PLC0415 - Prefect takes seconds to import
    from flows.bill_services import bill_services  # noqa: PLC0415

    flow = bill_products if kind == PRODUCTS else bill_services
    with shown(console, profile, title=words.text("progress.reading")):
        reading = asyncio.run(
            flow(
                str(file.resolve()),
                profile=profile,
                emitter=options.emitter_cnpj,
                competence=options.competence,
                operator=options.operator,
                sheet=options.sheet,
                allow_repeats=allow_repeats,
                retry_rejected=retry_rejected,
            )
        )
    show_bill(profile, reading)


def show_bill(profile: str, reading: int) -> None:
    """What a reading came to and what comes next."""
    with open_desk(profile) as desk:
        seen = overview(desk, reading)
        screens.show_reading(console, desk.catalogue, seen, skipped=skipped_rows(desk, reading))
        screens.show_reasons(console, desk.catalogue, reasons_of(desk, reading))
        screens.show_overview(console, desk.catalogue, seen)
        states = {view.batch.state for view in seen.batches}
        if not seen.batches:
            console.print(desk.catalogue.text("cli.nothing_new"))
        elif BatchState.APPROVED in states:
            console.print(desk.catalogue.text("cli.approved_itself", profile=profile))
        elif BatchState.STAGED in states:
            console.print(desk.catalogue.text("cli.next_approve"))


@app.command
def preview(
    file: Path,
    *,
    emitter: str | None = None,
    competence: str | None = None,
    sheet: str | None = None,
    profile: Profile = "local",
) -> None:
    """Show what a sheet would come to, and bill nothing.

    Args:
        file: The workbook or CSV.
        emitter: CNPJ of the emitter, for rows that name none.
        competence: Month, such as 2026-11, for rows that name none.
        sheet: Sheet of the workbook, where several fit.
        profile: Which settings to use.
    """
    cnpj, month = None if emitter is None else _cnpj(emitter), None if competence is None else _month(competence)
    show_preview(console, file, profile=profile, emitter=cnpj, competence=month, sheet=sheet)


@app.command
def status(*, profile: Profile = "local") -> None:
    """Show what was issued, what waits for whom, what failed and what to do."""
    with open_desk(profile) as desk:
        screens.show_overview(console, desk.catalogue, overview(desk))


@app.command
def approve(*batches: int, profile: Profile = "local", approver: str | None = None, yes: bool = False) -> None:
    """Approve staged batches: all that wait, or the ones named.

    Args:
        batches: Numbers of batches, as `status` shows them.
        profile: Which settings to use.
        approver: Who says yes; your user name by default.
        yes: Approve without typing the total.
    """
    with open_desk(profile) as desk:
        waiting = [batch for batch in waiting_batches(desk) if not batches or batch.id in batches]
        if not waiting:
            console.print(desk.catalogue.text("cli.nothing_waits"))
            return
        screens.show_waiting(console, desk.catalogue, waiting)
        if not yes and not screens.is_total_confirmed(console, desk.catalogue, waiting):
            console.print(desk.catalogue.text("cli.not_approved"))
            sys.exit(1)
        for batch in waiting:
            approve_batch(desk, batch, approver=approver or getpass.getuser())
        console.print(desk.catalogue.text("cli.approved", count=len(waiting)))


@app.command
def release(*, profile: Profile = "local") -> None:
    """Send every approved batch, once."""
    _prepare(profile)
    from flows.release_batches import release_batches  # noqa: PLC0415

    asyncio.run(release_batches(profile=profile))
    status(profile=profile)


@app.command
def reconcile(*, profile: Profile = "local", until_done: bool = False) -> None:
    """Continue whatever stopped, and follow what was sent to its end.

    Args:
        profile: Which settings to use.
        until_done: Go on until no batch can go on without a person.
    """
    words = _prepare(profile)
    from flows.reconcile_batches import reconcile_batches  # noqa: PLC0415

    with shown(console, profile, title=words.text("progress.sweeping")):
        asyncio.run(reconcile_batches(profile=profile, until_done=until_done))
    status(profile=profile)


@app.command
def trace(
    *,
    file: str | None = None,
    row: int | None = None,
    sheet: str | None = None,
    rps: str | None = None,
    nfse: str | None = None,
    note: int | None = None,
    profile: Profile = "local",
) -> None:
    """Follow one invoice from its cell to the city's number and back.

    Args:
        file: Name or digest of the file; with --row.
        row: Row number as the sheet shows it.
        sheet: Sheet, where the file has several.
        rps: Serie and number, such as F-123.
        nfse: Number that the city gave.
        note: The provider's id.
        profile: Which settings to use.
    """
    with open_desk(profile) as desk:
        if file is not None and row is not None:
            stories = traces.trace_row(desk, file=file, sheet=sheet, row_number=row)
        elif rps is not None:
            serie, _, number = rps.rpartition("-")
            stories = traces.trace_number(desk, serie=serie, number=int(number) if number.isdecimal() else 0)
        elif nfse is not None:
            stories = traces.trace_nfse(desk, nfse_number=nfse)
        elif note is not None:
            stories = traces.trace_remote(desk, remote_id=note)
        else:
            raise FaturistaError(Problem("trace.nothing_named"))
        for story in stories:
            screens.show_story(console, desk.catalogue, story)


@app.command
def decide(batch: int, how: Literal["open", "discard", "sent"], *, because: str, profile: Profile = "local") -> None:
    """Let a disturbed batch go on, or take one back that is not sent yet.

    Args:
        batch: Its number, as `status` shows it.
        how: open (stage on), discard (take our notes back; any batch not yet sent) or sent (somebody sent it).
        because: What you saw in the provider's page.
        profile: Which settings to use.
    """
    with open_desk(profile) as desk:
        decisions.decide_batch(desk, batch, how, person=getpass.getuser(), because=because)
        console.print(desk.catalogue.text("cli.decided", batch=batch))


@app.command(name="decide-note")
def decide_note(
    note: int,
    how: Literal["accepted", "rejected", "retired"],
    *,
    because: str,
    provider_id: int | None = None,
    profile: Profile = "local",
) -> None:
    """Say what became of a note that was doubted twice.

    Args:
        note: Its ledger number, as `trace` shows it.
        how: What the provider's page shows; retired = it is certainly not there.
        because: The evidence.
        provider_id: The note's id there; an accepted note has one.
        profile: Which settings to use.
    """
    with open_desk(profile) as desk:
        person = getpass.getuser()
        decisions.decide_note(desk, note, how, person=person, because=because, remote_id=provider_id)
        console.print(desk.catalogue.text("cli.decided_note", note=note))


@app.command(name="start-serie")
def start_serie(
    emitter: str,
    serie: str,
    start: int,
    *,
    kind: Literal["service", "nfe", "nfce"] = "service",
    profile: Profile = "local",
) -> None:
    """Confirm that a serie is ours alone from a number on.

    Args:
        emitter: CNPJ.
        serie: The serie: of services one to five letters or digits, of products a number from 1 to 999.
        start: The first number that we may use.
        kind: The invoices that the serie is for.
        profile: Which settings to use.
    """
    with open_desk(profile) as desk:
        who = getpass.getuser()
        decisions.start_serie(desk, emitter_cnpj=_cnpj(emitter), serie=serie, start=start, person=who, kind=kind)
        console.print(desk.catalogue.text("cli.serie_started", serie=serie, start=start))


@app.command
def inbox(*, watch: bool = False, profile: Profile = "local") -> None:
    """Bill what people dropped into the inbox; each file's answer appears in the outbox.

    Args:
        watch: Go on looking until stopped, and follow what was sent.
        profile: Which settings to use.
    """
    take_inbox(console, profile, watch=watch)


@app.command
def sandbox(*, port: int = 8787, state: Path | None = None, profile: Profile = "local") -> None:
    """Serve the embedded provider on this machine, for rehearsals.

    Args:
        port: Loopback port; 0 takes a free one.
        state: File of its state; beside the ledger by default.
        profile: Which settings to use.
    """
    from connectors.sandbox import serve  # noqa: PLC0415 - a server that other commands do not need

    settings = load_settings(profile)
    state = state or Path(settings.paths.home) / "sandbox.db"
    state.parent.mkdir(parents=True, exist_ok=True)
    words = Catalogue.load(settings.language)
    serve(
        port=port,
        state=state,
        language=settings.language,
        on_ready=lambda bound: console.print(words.text("cli.sandbox_ready", port=bound)),
    )


@app.command
def doctor(*, profile: Profile = "local") -> None:
    """Check versions, settings, ledger, provider and account."""
    findings = asyncio.run(check_health(profile))
    for finding in findings:
        console.print(f"{'[green]ok[/]' if finding.is_good else '[bold red]!![/]'} {finding.what}: {finding.detail}")
    sys.exit(0 if all(finding.is_good for finding in findings) else 1)


@app.command
def demo() -> None:
    """Bill a whole month against the embedded provider, from the workbook to the outcome."""
    from flows.demo import run_demo  # noqa: PLC0415

    run_demo(console)


def main(arguments: Iterable[str] | None = None) -> None:
    """The entry point. Exit codes: 0 done, 1 not all well, 2 a mistake that the message says how to mend, 3 outside."""
    try:
        app(None if arguments is None else list(arguments))
    except FaturistaError as error:
        words = Catalogue.load(_language())
        for sentence in words.explain(error):
            print(sentence, file=sys.stderr)
        if isinstance(error, Unreachable):
            print(words.text("cli.start_sandbox"), file=sys.stderr)
        sys.exit(3 if isinstance(error, ConnectorError) else 2)


def _language() -> str:
    try:
        return load_settings("local").language
    except SettingsError:
        return "pt_BR"


def _prepare(profile: str) -> Catalogue:
    settings = load_settings(profile)
    orchestrator.prepare(Path(settings.paths.home))
    return Catalogue.load(settings.language)


def _month(text: str) -> date:
    found = parse_competence(text)
    if found is None:
        raise LayoutError(Problem("competence.invalid", "competence", params={"text": text[:40]}))
    return found


def _cnpj(text: str) -> str:
    parsed = parse_document(text)
    if isinstance(parsed, Problem):
        raise FaturistaError(parsed)
    return parsed.document.number
