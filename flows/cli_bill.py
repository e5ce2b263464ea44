"""The command `bill`: read a sheet and stage its invoices."""

import asyncio
import sys
from pathlib import Path
from typing import Literal

from connectors.ledger import files as ledger_files
from connectors.spreadsheets.workbook import expect_workbook
from domain.staff import Permission
from domain.states import BatchState
from flows import screens
from flows.arguments import Profile, console, parse_cnpj, parse_month, require_reason
from flows.authentication import acting_person
from flows.bill_products import bill_products
from flows.bill_services import bill_services
from flows.orchestrator import run_flow, start_notice
from flows.page_screen import show_page
from flows.progress import show_progress
from flows.safe_console import show_alarm
from tasks.corrections import workbook as corrections
from tasks.inbox.question import answer_question
from tasks.issuance.certificate_term import unsent_for_certificate
from tasks.preview.stored_forecast import columns_of, stored_page
from tasks.runtime import PRODUCTS, Context, open_context
from tasks.sheets.mapping_choice import check_sender
from tasks.stations.read import open_file, read_opened
from tasks.stations.reading_options import ReadingOptions, with_operator
from tasks.views.left_rows import left_rows, skipped_rows
from tasks.views.status import overview


def bill(
    file: Path,
    *,
    emitter: str | None = None,
    competence: str | None = None,
    sheet: str | None = None,
    sender: str | None = None,
    template: str | None = None,
    profile: Profile = "local",
    allow_repeats: bool = False,
    retry_rejected: bool = False,
) -> None:
    """Read a sheet of services or products and get its invoices ready for approval."""
    expect_workbook()
    options = ReadingOptions(
        operator="",
        emitter_cnpj=None if emitter is None else parse_cnpj(emitter),
        competence=None if competence is None else parse_month(competence),
        sheet=sheet,
        sender=sender,
        template=template,
        allow_repeats=allow_repeats,
        retry_rejected=retry_rejected,
    )
    # Report a mistake before anything slow starts.
    with open_context(profile) as context:
        check_sender(context, sender)
        opened = open_file(context, file, options)
        options = with_operator(options, acting_person(context, Permission.BILL))
        kind, made = opened.kind, read_opened(context, opened, options)
        del opened
        words, home = context.catalogue, Path(context.settings.paths.home)
    console.print(words.text(f"cli.kind_{kind}"))
    console.print(start_notice(words))
    with show_progress(console, profile, title=words.text("progress.reading"), reading=made):
        reading = run_flow(
            bill_products if kind == PRODUCTS else bill_services,
            home,
            str(file.resolve()),
            profile=profile,
            emitter=options.emitter_cnpj,
            competence=options.competence,
            operator=options.operator,
            sheet=options.sheet,
            sender=options.sender,
            template=options.template,
            allow_repeats=allow_repeats,
            retry_rejected=retry_rejected,
            made=made,
        )
    show_bill(profile, reading)


def decide_file(
    file: Path, how: Literal["additional", "correction"], *, because: str, profile: Profile = "local"
) -> None:
    """Decide whether a file that resembles an earlier one adds rows or corrects them, and continue with it."""
    with open_context(profile) as context:
        made = answer_question(
            context, file, how, because=require_reason(because), actor=acting_person(context, Permission.BILL)
        )
        words, home = context.catalogue, Path(context.settings.paths.home)
    console.print(start_notice(words))
    with show_progress(console, profile, title=words.text("progress.reading"), reading=made.reading):
        reading = run_flow(bill_services, home, str(made.path), profile=profile, made=made.reading)
    show_bill(profile, reading)


def show_bill(profile: str, reading: int) -> None:
    """Show the result of a reading and what to do next.

    Exit with 1 if a batch of it waits for a company's certificate, or for a person's decision about another batch.
    """
    with open_context(profile) as context:
        seen = overview(context, reading)
        file = context.ledger.read(ledger_files.file_of_reading, reading)
        screens.show_reading(
            console,
            context.catalogue,
            seen,
            kind=file.kind,
            skipped=skipped_rows(context, reading),
            left=left_rows(context, reading),
        )
        screens.show_columns(console, context.catalogue, columns_of(context, reading))
        show_page(console, asyncio.run(stored_page(context, reading)))
        screens.show_corrections(console, context.catalogue, corrections.latest_corrections(context, file.id))
        screens.show_overview(console, context.catalogue, seen)
        states = {view.batch.state for view in seen.batches}
        if not seen.batches:
            console.print(_nothing_new(context, reading))
        elif BatchState.APPROVED in states:
            console.print(context.catalogue.text("cli.approved_itself", profile=profile))
        elif BatchState.STAGED in states:
            console.print(context.catalogue.text("cli.next_approve"))
        unsent = unsent_for_certificate(context, [view.batch for view in seen.batches])
        for problem in unsent:
            show_alarm(console, context.catalogue.say(problem))
    if unsent or any(view.batch.id in seen.suspended for view in seen.batches):
        sys.exit(1)


def _nothing_new(context: Context, reading: int) -> str:
    """Return the sentence that no invoice was made, and for which month."""
    month = context.ledger.read(ledger_files.reading_of, reading).options.get("competence")
    if month is None:
        return context.catalogue.text("cli.nothing_new")
    return context.catalogue.text("cli.nothing_new_month", competence=month)
