"""Build a month's checklist: charges of contracts and paid orders, finished work, waiting work and who acts."""

from collections.abc import Iterable, Iterator
from datetime import date, datetime

from configs.catalogue import Catalogue
from connectors.ledger import batches as ledger_batches
from connectors.ledger import closings as ledger_closings
from connectors.ledger import contracts as ledger_contracts
from connectors.ledger import files as ledger_files
from connectors.ledger import transitions
from connectors.ledger.batches import BatchRecord
from connectors.ledger.contracts import Source
from connectors.spreadsheets.writers.pages import Cell, Cents, Page, Section
from domain.competence import BRASILIA, add_months, first_of_month, format_competence
from domain.states import Entity
from domain.texts import count_and_first
from tasks.approvals.findings import findings_of
from tasks.closing.open_items import UNBILLED, open_items
from tasks.contracts.month import MonthCharge, charges_of_month, missed_months
from tasks.corrections import workbook as corrections
from tasks.payments.checklist import PaidMonth, paid_month, paid_sections
from tasks.runtime import Context
from tasks.views.dashboard import UNENDED
from tasks.views.due_work import suspended_batches
from tasks.views.waiting import suspended_notices
from tasks.views.who_acts import awaits_approval, who_acts

_STEPS = ("billed", "cancelled", "covered", "due", "later", "unknown")


def month_page(context: Context, competence: date | None) -> Page:
    """Return the checklist of a month; None means the current month."""
    words = context.catalogue
    month = competence or first_of_month(context.today)
    charges = charges_of_month(context, month)
    paid = paid_month(context, month)
    batches = [each for each in context.ledger.read(ledger_batches.batches_where) if each.competence == month]
    staged = [each for each in batches if awaits_approval(context, each)]
    return Page(
        title=words.text("month.title", month=format_competence(month)),
        lines=(*_closing(context, month), *_lines(words, charges, paid, batches), *_approvals(words, staged)),
        alarms=(
            *_suspensions(context, batches),
            *_unacknowledged_findings(context, staged),
            *_returned_files(context, month, _open_sources(charges, paid)),
            *(words.say(problem) for problem in missed_months(context)),
            *paid.alarms,
        ),
        sections=(
            _charges(words, charges),
            _remarked(words, "month.unknown", [each for each in charges if each.status == "unknown"]),
            _remarked(words, "month.otherwise", [each for each in charges if each.differs_from_invoice]),
            _remarked(words, "month.covered", [each for each in charges if each.status == "covered"]),
            *paid_sections(context, paid),
            _batches(context, batches),
        ),
        lists=(),
    )


def _lines(words: Catalogue, charges: list[MonthCharge], paid: PaidMonth, batches: list[BatchRecord]) -> Iterator[str]:
    open_batches = [each for each in batches if each.state in UNENDED]
    is_billed = paid.is_done and all(each.status == "billed" for each in charges)
    if (charges or paid.payments) and not open_batches and is_billed:
        yield words.text("month.done")
    if otherwise := [each.contract.key for each in charges if each.differs_from_invoice]:
        yield words.text("month.billed_otherwise", **count_and_first(otherwise))
    if covered := [each.contract.key for each in charges if each.status == "covered"]:
        yield words.text("month.covered_charges", **count_and_first(covered))
    if ended := [each.contract.key for each in charges if each.status == "cancelled"]:
        yield words.text("month.cancelled_charges", **count_and_first(ended))
    if ended := [each.key for each in paid.payments if each.status == "cancelled"]:
        yield words.text("month.cancelled_payments", **count_and_first(ended))
    if gone := [each.key for each in paid.payments if each.status == "billed" and each.is_given_up]:
        yield words.text("month.given_up_payments", **count_and_first(gone))


def _approvals(words: Catalogue, staged: list[BatchRecord]) -> Iterator[str]:
    if staged:
        yield words.text("month.approve", count=len(staged))


def _closing(context: Context, month: date) -> Iterator[str]:
    """Yield lines about the closing and later changes, or about what the closing still waits for."""
    words, month_text = context.catalogue, format_competence(month)
    closing = context.ledger.read(ledger_closings.closing_of, month)
    if closing is not None:
        at = f"{closing.closed_at.astimezone(BRASILIA):%d/%m/%Y %H:%M}"
        yield words.text("closing.done", month=month_text, person=closing.closed_by, at=at)
        changed = len(context.ledger.read(ledger_closings.changes_since, closing))
        if changed:
            yield words.text("month.changed_since", count=changed, month=month_text)
    elif add_months(month, 1) <= context.today and context.ledger.read(ledger_closings.has_invoices, month):
        items = open_items(context, month)
        yield (
            words.text("month.not_closed", count=len(items), month=month_text)
            if items
            else words.text("month.closable", month=month_text)
        )


def _suspensions(context: Context, batches: list[BatchRecord]) -> Iterator[str]:
    """Yield sentences about the stopped batches that hold back batches of the month."""
    if suspended_batches(context).keys() & {each.id for each in batches}:
        yield from map(context.catalogue.say, suspended_notices(context))


def _unacknowledged_findings(context: Context, staged: list[BatchRecord]) -> Iterator[str]:
    count = sum(finding.acknowledged is None for finding in findings_of(context, staged))
    if count:
        yield context.catalogue.text("month.findings", count=count)


def _open_sources(charges: list[MonthCharge], paid: PaidMonth) -> Iterator[Source]:
    """Yield the sources (contracts, payments) that still have unbilled charges: only their returned files are open."""
    if any(each.status in UNBILLED for each in charges):
        yield "contracts"
    if any(each.status in UNBILLED for each in paid.payments):
        yield "payments"


def _returned_files(context: Context, month: date, sources: Iterable[Source]) -> Iterator[str]:
    words = context.catalogue
    for source in sources:
        # A later sheet of the month contains the returned rows of an earlier one again.
        readings = [
            last
            for file_id in context.ledger.read(ledger_contracts.sheets_of, month, source)
            if (last := context.ledger.read(ledger_files.last_reading, file_id)) is not None
        ]
        if readings:
            file = context.ledger.read(ledger_files.file_of_reading, max(reading.id for reading in readings))
            back = corrections.latest_corrections(context, file.id)
            if back is not None:
                yield words.text("month.returned", file=file.name, count=back.count, path=back.path)


def _charges(words: Catalogue, charges: list[MonthCharge]) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for step in _STEPS:
        found = [each for each in charges if each.status == step]
        if found:
            total = sum(each.cents or 0 for each in found)
            rows.append((words.text(f"contracts.{step}"), len(found), Cents(total)))
    headings = tuple(words.text(f"heading.{name}") for name in ("status", "count", "total"))
    return Section(words.text("month.contracts"), headings, rows)


def _remarked(words: Catalogue, title: str, charges: list[MonthCharge]) -> Section:
    """Return a list of charges with their problems in words."""
    rows: list[tuple[Cell, ...]] = [
        (each.contract.key, " ".join(words.say(problem) for problem in each.problems)) for each in charges
    ]
    headings = (words.text("heading.contract"), words.text("heading.reason"))
    return Section(words.text(title), headings, rows)


def _batches(context: Context, batches: list[BatchRecord]) -> Section:
    words = context.catalogue
    since, acts = _entered_at(context, batches), who_acts(context, batches)
    rows: list[tuple[Cell, ...]] = [
        (
            str(each.id),
            words.text(f"state.batch.{each.state.value}"),
            acts[each.id],
            since[each.id].astimezone(BRASILIA).strftime("%d/%m %H:%M"),
            each.count,
            Cents(each.total_cents),
        )
        for each in batches
    ]
    headings = tuple(
        words.text(f"heading.{name}") for name in ("batch", "state", "waits_for", "since", "count", "total")
    )
    return Section(words.text("month.batches"), headings, rows)


def _entered_at(context: Context, batches: list[BatchRecord]) -> dict[int, datetime]:
    """Return the instant at which each batch entered its state."""
    events = context.ledger.read(transitions.events_of, Entity.BATCH, [each.id for each in batches])
    return {each.entity_id: each.at for each in events}
