"""The command line: each command says what it did and what comes next; a mistake is a sentence, never a traceback."""

import asyncio
import getpass
import os
import sqlite3
import sys
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Final

from cyclopts import App, Parameter
from cyclopts.exceptions import CycloptsError

from configs.catalogue import Catalogue
from configs.load import load_settings
from connectors.http.errors import ConnectorError, Unreachable
from connectors.ledger import files as ledger_files
from connectors.ledger.engine import LedgerUnavailable
from domain.problems import FaturistaError, Problem
from domain.states import BatchState
from flows import orchestrator, screens
from flows.arguments import PROFILE_VARIABLE, Profile, cnpj, console, month, refuse_huge, whole
from flows.cli_audit import audit
from flows.cli_decisions import decide, decide_note, start_serie
from flows.cli_import import import_
from flows.cli_inbox import inbox
from flows.cli_layout import layout
from flows.cli_ledger import ledger
from flows.cli_person import person
from flows.cli_preview import preview
from flows.cli_reports import report
from flows.cli_template import template
from flows.cli_up import bootstrap, up
from flows.helping import speak
from flows.mistakes import mistyped
from flows.orchestrator import OrchestratorAway
from flows.progress import shown
from tasks.approve import approve_batch, waiting_batches
from tasks.corrections import workbook as corrections
from tasks.mappings.choosing import check_sender
from tasks.preview.recall import columns_of, reasons_of, remarks_of
from tasks.read import ReadingOptions, check_file
from tasks.runtime import PLAYGROUND, PRODUCTS, open_desk, words_anyway, words_of
from tasks.views import trace as traces
from tasks.views.health import check_health
from tasks.views.status import overview, skipped_rows

app = App(
    name="faturista",
    version=lambda: version("faturista"),
    # a switch is off unless it is said: no `--no-…` beside each
    default_parameter=Parameter(negative=(), validator=refuse_huge),
)
for group in (report, ledger, audit, import_, layout, person):
    app.command(group)
for command in (preview, inbox, decide, template, up, bootstrap):
    app.command(command)
app.command(decide_note, name="decide-note")
app.command(start_serie, name="start-serie")


@app.command
def bill(
    file: Path,
    *,
    emitter: str | None = None,
    competence: str | None = None,
    sheet: str | None = None,
    sender: str | None = None,
    profile: Profile = "local",
    allow_repeats: bool = False,
    retry_rejected: bool = False,
) -> None:
    """Read a sheet of services or products and get its invoices ready for approval."""
    options = ReadingOptions(
        operator=getpass.getuser(),
        emitter_cnpj=None if emitter is None else cnpj(emitter),
        competence=None if competence is None else month(competence),
        sheet=sheet,
        sender=sender,
        allow_repeats=allow_repeats,
        retry_rejected=retry_rejected,
    )
    # Refused in words before anything heavy starts.
    with open_desk(profile) as desk:
        check_sender(desk, sender)
        kind = check_file(desk, file, options)
        words = desk.catalogue
        orchestrator.prepare(Path(desk.settings.paths.home))
    console.print(words.text(f"cli.kind_{kind}"))
    console.print(words.text("cli.starting"))
    from flows.bill_products import bill_products  # noqa: PLC0415 - Prefect takes seconds to import
    from flows.bill_services import bill_services  # noqa: PLC0415

    flow = bill_products if kind == PRODUCTS else bill_services
    with shown(console, profile, title=words.text("progress.reading")):
        reading = orchestrator.run(
            flow(
                str(file.resolve()),
                profile=profile,
                emitter=options.emitter_cnpj,
                competence=options.competence,
                operator=options.operator,
                sheet=options.sheet,
                sender=options.sender,
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
        screens.show_columns(console, desk.catalogue, columns_of(desk, reading))
        screens.show_remarks(console, desk.catalogue, remarks_of(desk, reading))
        screens.show_reasons(console, desk.catalogue, reasons_of(desk, reading))
        file = desk.ledger.read(ledger_files.file_of_reading, reading)
        screens.show_corrections(console, desk.catalogue, corrections.standing(desk, file.id))
        screens.show_overview(console, desk.catalogue, seen)
        states = {view.batch.state for view in seen.batches}
        if not seen.batches:
            console.print(desk.catalogue.text("cli.nothing_new"))
        elif BatchState.APPROVED in states:
            console.print(desk.catalogue.text("cli.approved_itself", profile=profile))
        elif BatchState.STAGED in states:
            console.print(desk.catalogue.text("cli.next_approve"))


@app.command
def status(*, profile: Profile = "local") -> None:
    """Show what was issued, what waits for whom, what failed and what to do."""
    with open_desk(profile) as desk:
        screens.show_overview(console, desk.catalogue, overview(desk))


@app.command
def approve(*batches: int, profile: Profile = "local", approver: str | None = None, yes: bool = False) -> None:
    """Approve staged batches: all that wait, or the ones named."""
    account = getpass.getuser()
    with open_desk(profile) as desk:
        waiting = [batch for batch in waiting_batches(desk) if not batches or batch.id in batches]
        if missing := set(batches) - {batch.id for batch in waiting}:
            raise FaturistaError(Problem("approval.not_waiting", params={"batch": min(missing)}))
        if not waiting:
            console.print(desk.catalogue.text("cli.nothing_waits"))
            return
        screens.show_waiting(console, desk.catalogue, waiting)
        if not yes and not screens.is_total_confirmed(console, desk.catalogue, waiting):
            console.print(desk.catalogue.text("cli.not_approved"))
            sys.exit(1)
        for batch in waiting:
            approve_batch(desk, batch, approver=approver or account, account=account)
        console.print(desk.catalogue.text("cli.approved", count=len(waiting)))


@app.command
def release(*, profile: Profile = "local") -> None:
    """Send every approved batch, once."""
    _prepare(profile)
    from flows.release_batches import release_batches  # noqa: PLC0415

    orchestrator.run(release_batches(profile=profile))
    status(profile=profile)


@app.command
def reconcile(*, profile: Profile = "local", until_done: bool = False) -> None:
    """Continue whatever stopped, and follow what was sent to its end."""
    words = _prepare(profile)
    from flows.reconcile_batches import reconcile_batches  # noqa: PLC0415

    with shown(console, profile, title=words.text("progress.sweeping")):
        orchestrator.run(reconcile_batches(profile=profile, until_done=until_done))
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
    """Follow one invoice from its cell to the city's number and back."""
    with open_desk(profile) as desk:
        if file is not None and row is not None:
            stories = traces.trace_row(desk, file=file, sheet=sheet, row_number=row)
        elif rps is not None:
            serie, _, number = rps.rpartition("-")
            stories = traces.trace_number(desk, serie=serie, number=whole(number))
        elif nfse is not None:
            stories = traces.trace_nfse(desk, nfse_number=nfse)
        elif note is not None:
            stories = traces.trace_remote(desk, remote_id=note)
        else:
            raise FaturistaError(Problem("trace.nothing_named"))
        for story in stories:
            screens.show_story(console, desk.catalogue, story)


@app.command
def sandbox(*, port: int = 8787, state: Path | None = None, profile: Profile = "local") -> None:
    """Serve the embedded provider on this machine, for rehearsals."""
    from connectors.sandbox import serve  # noqa: PLC0415 - a server that other commands do not need

    settings = load_settings(profile)
    state = state or Path(settings.paths.home) / "sandbox.db"
    words = Catalogue.load(settings.language)
    try:
        state.parent.mkdir(parents=True, exist_ok=True)
        serve(
            port=port,
            state=state,
            language=settings.language,
            on_ready=lambda bound: console.print(words.text("cli.sandbox_ready", port=bound)),
        )
    except (sqlite3.Error, PermissionError, FileNotFoundError, FileExistsError, NotADirectoryError) as error:
        raise FaturistaError(Problem("sandbox.state_taken", params={"path": str(state)})) from error
    except (OSError, OverflowError) as error:
        raise FaturistaError(Problem("sandbox.port_taken", params={"port": port})) from error


@app.command
def doctor(*, profile: Profile = "local") -> None:
    """Check versions, settings, ledger, provider and account."""
    findings = asyncio.run(check_health(profile))
    words = words_of(profile)
    for finding in findings:
        what = words.text(f"doctor.{finding.what}")
        console.print("[green]ok[/]" if finding.is_good else "[bold red]!![/]", end=" ")
        console.print(f"{what}: {finding.detail}", markup=False, soft_wrap=True)
    sys.exit(0 if all(finding.is_good for finding in findings) else 1)


@app.command
def demo() -> None:
    """Bill a whole month against the embedded provider, from the workbook to the outcome."""
    from flows.demo import run_demo  # noqa: PLC0415

    run_demo(console)


_OUTSIDE: Final = (ConnectorError, LedgerUnavailable, OrchestratorAway)


def main(arguments: Iterable[str] | None = None) -> None:
    """The entry point. Exit codes: 0 done, 1 not all well, 2 a mistake that the message says how to mend, 3 outside."""
    speak(app, _words())
    try:
        app(None if arguments is None else list(arguments), exit_on_error=False, print_error=False)
    except CycloptsError as error:
        print(*mistyped(_words(), error), sep="\n", file=sys.stderr)
        sys.exit(2)
    except (FaturistaError, ExceptionGroup) as error:
        sys.exit(_say(error))


def _say(error: FaturistaError | ExceptionGroup) -> int:
    """Every error in words, and the exit code. What nobody foresaw is raised again: only its traceback tells of it."""
    errors = error.exceptions if isinstance(error, ExceptionGroup) else (error,)
    foreseen = [each for each in errors if isinstance(each, FaturistaError)]
    words = _words()
    sentences = [sentence for each in foreseen for sentence in words.explain(each)]
    if any(isinstance(each, Unreachable) for each in foreseen):
        sentences.append(words.text("cli.start_sandbox"))
    print(*dict.fromkeys(sentences), sep="\n", file=sys.stderr)
    if len(foreseen) < len(errors):
        raise error
    return 3 if any(isinstance(each, _OUTSIDE) for each in foreseen) else 2


def _words() -> Catalogue:
    """The operator's language, before anybody knows which profile is meant."""
    return words_anyway(os.environ.get(PROFILE_VARIABLE, PLAYGROUND), PLAYGROUND)


def _prepare(profile: str) -> Catalogue:
    settings = load_settings(profile)
    orchestrator.prepare(Path(settings.paths.home))
    return Catalogue.load(settings.language)
