"""Show the history of one invoice, from its cell to the city's number, from the journal."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from connectors.ledger import attempts as ledger_attempts
from connectors.ledger import batches as ledger_batches
from connectors.ledger import cancellations as ledger_cancellations
from connectors.ledger import files as ledger_files
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import parties as ledger_parties
from connectors.ledger import rows as ledger_rows
from connectors.ledger import transitions
from connectors.ledger.incidents import incidents_of
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.rows import RowRecord
from connectors.ledger.sheets.row_families import members_of_families
from domain.issuing import SERVICE
from domain.problems import FaturistaError, Problem
from domain.states import Entity
from tasks.runtime import Context
from tasks.views.detached import say_files
from tasks.views.due_work import suspended_batches
from tasks.views.journal import say_attempt, say_event
from tasks.views.lineage import lineage
from tasks.views.rejections import say_errors
from tasks.views.waiting import why_waiting


@dataclass(frozen=True, slots=True)
class Step:
    """One event in the operator's language: `what` is its subject with a number, `detail` tells what happened."""

    at: datetime
    what: str
    detail: str


@dataclass(frozen=True, slots=True)
class RelatedRow:
    """Another row of the same charge: one that this row corrects, or one that corrects it."""

    file_name: str
    row: RowRecord


@dataclass(frozen=True, slots=True)
class RowHistory:
    """The history of a row: its file, all its invoices, and every event, oldest first.

    `before` are the rows in other files that it corrects, `after` those that correct it. `replaced` are sentences about
    invoices that replace others, and why. `keys` are sentences with the keys by which the city or the tax authority
    knows the invoices. `waits` are sentences about what its invoices wait for. `files` are sentences about the files
    that have the records of detached months.
    """

    file_name: str
    row: RowRecord
    emitter_name: str
    invoices: Sequence[InvoiceRecord]
    steps: Sequence[Step]
    before: Sequence[RelatedRow] = ()
    after: Sequence[RelatedRow] = ()
    replaced: Sequence[str] = ()
    waits: Sequence[str] = ()
    keys: Sequence[str] = ()
    files: Sequence[str] = ()


def trace_row(context: Context, *, file: str, sheet: str | None, row_number: int) -> list[RowHistory]:
    """Return the histories of a row, one for each reading. Raises `FaturistaError` for an unknown file or row.

    `file` is its name, its digest or the beginning of the digest.
    """
    record = context.ledger.read(ledger_files.find_file, sha256=file) or context.ledger.read(
        ledger_files.find_file, name=file
    )
    if record is None:
        raise FaturistaError(Problem("trace.no_file", params={"file": file}))
    rows = context.ledger.read(ledger_rows.rows_at, record.id, row_number=row_number, sheet=sheet)
    if not rows:
        raise FaturistaError(Problem("trace.no_row", params={"row": row_number, "file": record.name}))
    return [_story(context, row) for row in rows]


def trace_number(context: Context, *, serie: str, number: int) -> list[RowHistory]:
    """Return the histories of the rows with this RPS number, one for each emitter that used it.

    Raises `FaturistaError` if there is none, as the next two functions do.
    """
    return _stories(context, context.ledger.read(ledger_invoices.find_invoices, serie=serie, number=number))


def trace_nfse(context: Context, *, nfse_number: str) -> list[RowHistory]:
    """Return the histories of the rows whose invoice has this number from the city."""
    return _stories(context, context.ledger.read(ledger_invoices.find_invoices, nfse_number=nfse_number))


def trace_remote(context: Context, *, remote_id: int) -> list[RowHistory]:
    """Return the histories of the rows whose invoice has this id at the provider."""
    return _stories(context, context.ledger.read(ledger_invoices.find_invoices, remote_id=remote_id))


def _stories(context: Context, invoices: Sequence[InvoiceRecord]) -> list[RowHistory]:
    if not invoices:
        raise FaturistaError(Problem("trace.no_invoice"))
    rows = context.ledger.read(ledger_rows.rows_by_ids, sorted({invoice.row_id for invoice in invoices}))
    return [_story(context, row) for row in rows]


def _story(context: Context, row: RowRecord) -> RowHistory:
    ledger = context.ledger
    file = ledger.read(ledger_files.find_file, file_id=row.file_id)
    invoices = ledger.read(ledger_invoices.find_invoices, row_id=row.id)
    emitters = {emitter.id: emitter.name for emitter in ledger.read(ledger_parties.emitters_all)}
    # Show the row's number in the sheet: the ledger's id means nothing to a person.
    steps = [_drop(context, row, "" if file is None else file.name)]
    steps += _events(context, Entity.ROW, {row.id: row.row_number})
    steps += _events(context, Entity.INVOICE, {each.id: each.id for each in invoices})
    steps += _events(context, Entity.BATCH, {each.batch_id: each.batch_id for each in invoices if each.batch_id})
    for invoice in invoices:
        steps += _attempts(context, invoice.id)
    steps += _cancellations(context, [invoice.id for invoice in invoices])
    related = _related_rows(context, row)
    return RowHistory(
        before=[each for each in related if each.row.id < row.id],
        after=[each for each in related if each.row.id > row.id],
        file_name="" if file is None else file.name,
        row=row,
        emitter_name=emitters.get(invoices[0].emitter_id, "") if invoices else "",
        invoices=invoices,
        steps=sorted(steps, key=lambda step: step.at),
        files=say_files(context, invoices),
        replaced=[each for texts in lineage(context, invoices).values() for each in texts],
        waits=list(_waits(context, invoices)),
        keys=[
            context.catalogue.text("trace.code" if each.kind == SERVICE else "trace.key", key=each.nfse_key)
            for each in invoices
            if each.nfse_key
        ],
    )


def _drop(context: Context, row: RowRecord, file_name: str) -> Step:
    """Return the step in which a person dropped the sheet of this row, or had it billed."""
    reading = context.ledger.read(ledger_files.reading_of, row.reading_id)
    detail = context.catalogue.text("trace.dropped", person=reading.dropped_by, file=file_name)
    return Step(reading.started_at, context.catalogue.text("entity.file"), detail)


def _waits(context: Context, invoices: Sequence[InvoiceRecord]) -> Iterator[str]:
    """Yield why each invoice waits and who acts, if it does not only need time."""
    suspended = suspended_batches(context)
    for each in invoices:
        batch = None if each.batch_id is None else context.ledger.read(ledger_batches.batch_of, each.batch_id)
        problem = why_waiting(context, each, batch, suspended)
        if problem is not None:
            yield context.catalogue.say(problem)


def _related_rows(context: Context, row: RowRecord) -> list[RelatedRow]:
    """Return the newest row of this charge in every other file that has it, oldest first."""
    members = context.ledger.read(members_of_families, [row.family])
    rows = context.ledger.read(
        ledger_rows.rows_by_ids, [each.row_id for each in members if each.file_id != row.file_id]
    )
    newest = {(each.file_id, each.sheet, each.row_number): each for each in rows}
    files = {
        each: context.ledger.read(ledger_files.find_file, file_id=each) for each in {each.file_id for each in rows}
    }
    names = {file_id: "" if file is None else file.name for file_id, file in files.items()}
    return [RelatedRow(names[each.file_id], each) for each in sorted(newest.values(), key=lambda each: each.id)]


def _events(context: Context, entity: Entity, numbers: Mapping[int, int]) -> list[Step]:
    incidents = {each: context.ledger.read(incidents_of, each) for each in numbers} if entity is Entity.BATCH else {}
    return [
        Step(
            event.at,
            _entity_title(context, entity.value, numbers[event.entity_id]),
            say_event(context.catalogue, event, incidents.get(event.entity_id, ())),
        )
        for event in context.ledger.read(transitions.events_of, entity, list(numbers))
    ]


def _attempts(context: Context, invoice_id: int) -> list[Step]:
    return [
        Step(attempt.begun_at, _entity_title(context, "request", attempt.id), say_attempt(context.catalogue, attempt))
        for attempt in context.ledger.read(ledger_attempts.attempts_of, invoice_id=invoice_id)
    ]


def _cancellations(context: Context, invoice_ids: Sequence[int]) -> Iterator[Step]:
    """Yield a step for the request of each cancellation, one for its approval and one for its end."""
    words = context.catalogue
    for cancellation in context.ledger.read(ledger_cancellations.of_invoices, invoice_ids):
        what = _entity_title(context, "cancellation", cancellation.id)
        requested = words.text("trace.cancel_requested", person=cancellation.requested_by, reason=cancellation.reason)
        yield Step(cancellation.requested_at, what, requested)
        if cancellation.approved_at is not None:
            yield Step(
                cancellation.approved_at, what, words.text("trace.cancel_approved", person=cancellation.approved_by)
            )
        if cancellation.ended_at is not None:
            outcome = words.text(f"cancellation.{cancellation.outcome}")
            yield Step(cancellation.ended_at, what, " ".join([outcome, *say_errors(words, cancellation.answers)]))


def _entity_title(context: Context, entity: str, number: int) -> str:
    return f"{context.catalogue.text(f'entity.{entity}')} {number}"
