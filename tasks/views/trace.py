"""The story of one invoice, from its cell to the city's number, read from the journal."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from connectors.ledger import attempts as ledger_attempts
from connectors.ledger import cancellations as ledger_cancellations
from connectors.ledger import files as ledger_files
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import moves
from connectors.ledger import parties as ledger_parties
from connectors.ledger import rows as ledger_rows
from connectors.ledger.incidents import incidents_of
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.rows import RowRecord
from connectors.ledger.sheets.row_families import rows_of_families
from domain.problems import FaturistaError, Problem
from domain.states import Entity
from tasks.runtime import Desk
from tasks.views.journal import say_attempt, say_event
from tasks.views.rejections import say_errors


@dataclass(frozen=True, slots=True)
class Step:
    """One event in the operator's words: the thing with its number, and what happened to it."""

    at: datetime
    what: str
    detail: str


@dataclass(frozen=True, slots=True)
class Kin:
    """Another row of the same charge: one that this row corrects, or one that corrects it."""

    file_name: str
    row: RowRecord


@dataclass(frozen=True, slots=True)
class Story:
    """A row with its file and place, and all invoices it ever had with their steps, oldest first.

    `before` are the rows that it corrects, `after` those that correct it, in other files.
    """

    file_name: str
    row: RowRecord
    emitter_name: str
    invoices: Sequence[InvoiceRecord]
    steps: Sequence[Step]
    before: Sequence[Kin] = ()
    after: Sequence[Kin] = ()


def trace_row(desk: Desk, *, file: str, sheet: str | None, row_number: int) -> list[Story]:
    """Return the stories of a row of a file, one per reading. `file` is its name, its digest or the start of that."""
    record = desk.ledger.read(ledger_files.find_file, sha256=file) or desk.ledger.read(
        ledger_files.find_file, name=file
    )
    if record is None:
        raise FaturistaError(Problem("trace.no_file", params={"file": file}))
    rows = desk.ledger.read(ledger_rows.rows_at, record.id, row_number=row_number, sheet=sheet)
    if not rows:
        raise FaturistaError(Problem("trace.no_row", params={"row": row_number, "file": record.name}))
    return [_story(desk, row) for row in rows]


def trace_number(desk: Desk, *, serie: str, number: int) -> list[Story]:
    """Return the stories of an RPS number, one per emitter that used it."""
    return _stories(desk, desk.ledger.read(ledger_invoices.find_invoices, serie=serie, number=number))


def trace_nfse(desk: Desk, *, nfse_number: str) -> list[Story]:
    """Return the stories of a number that the city gave."""
    return _stories(desk, desk.ledger.read(ledger_invoices.find_invoices, nfse_number=nfse_number))


def trace_remote(desk: Desk, *, remote_id: int) -> list[Story]:
    """Return the story of a note by the provider's id."""
    return _stories(desk, desk.ledger.read(ledger_invoices.find_invoices, remote_id=remote_id))


def _stories(desk: Desk, invoices: Sequence[InvoiceRecord]) -> list[Story]:
    if not invoices:
        raise FaturistaError(Problem("trace.no_invoice"))
    rows = desk.ledger.read(ledger_rows.rows_by_ids, sorted({invoice.row_id for invoice in invoices}))
    return [_story(desk, row) for row in rows]


def _story(desk: Desk, row: RowRecord) -> Story:
    ledger = desk.ledger
    file = ledger.read(ledger_files.find_file, file_id=row.file_id)
    invoices = ledger.read(ledger_invoices.find_invoices, row_id=row.id)
    emitters = {emitter.id: emitter.name for emitter in ledger.read(ledger_parties.emitters_all)}
    # a row goes by its number in the sheet: the one that the ledger gave it means nothing to a person
    steps = _events(desk, Entity.ROW, {row.id: row.row_number})
    steps += _events(desk, Entity.INVOICE, {each.id: each.id for each in invoices})
    steps += _events(desk, Entity.BATCH, {each.batch_id: each.batch_id for each in invoices if each.batch_id})
    for invoice in invoices:
        steps += _attempts(desk, invoice.id)
    steps += _cancellations(desk, [invoice.id for invoice in invoices])
    kin = _kin(desk, row)
    return Story(
        before=[each for each in kin if each.row.id < row.id],
        after=[each for each in kin if each.row.id > row.id],
        file_name="" if file is None else file.name,
        row=row,
        emitter_name=emitters.get(invoices[0].emitter_id, "") if invoices else "",
        invoices=invoices,
        steps=sorted(steps, key=lambda step: step.at),
    )


def _kin(desk: Desk, row: RowRecord) -> list[Kin]:
    """Return the newest row of this charge in every other file that has it, oldest first."""
    rows = [each for each in desk.ledger.read(rows_of_families, [row.family]) if each.file_id != row.file_id]
    newest = {(each.file_id, each.sheet, each.row_number): each for each in rows}
    files = {each: desk.ledger.read(ledger_files.find_file, file_id=each) for each in {each.file_id for each in rows}}
    names = {file_id: "" if file is None else file.name for file_id, file in files.items()}
    return [Kin(names[each.file_id], each) for each in sorted(newest.values(), key=lambda each: each.id)]


def _events(desk: Desk, entity: Entity, numbers: Mapping[int, int]) -> list[Step]:
    incidents = {each: desk.ledger.read(incidents_of, each) for each in numbers} if entity is Entity.BATCH else {}
    return [
        Step(
            event.at,
            _numbered(desk, entity.value, numbers[event.entity_id]),
            say_event(desk.catalogue, event, incidents.get(event.entity_id, ())),
        )
        for event in desk.ledger.read(moves.events_of, entity, list(numbers))
    ]


def _attempts(desk: Desk, invoice_id: int) -> list[Step]:
    return [
        Step(attempt.begun_at, _numbered(desk, "request", attempt.id), say_attempt(desk.catalogue, attempt))
        for attempt in desk.ledger.read(ledger_attempts.attempts_of, invoice_id=invoice_id)
    ]


def _cancellations(desk: Desk, invoice_ids: Sequence[int]) -> Iterator[Step]:
    """Yield who asked for a cancellation, who approved it, and how it ended."""
    words = desk.catalogue
    for wish in desk.ledger.read(ledger_cancellations.of_invoices, invoice_ids):
        what = _numbered(desk, "cancellation", wish.id)
        said = words.text("trace.cancel_requested", person=wish.requested_by, reason=wish.reason)
        yield Step(wish.requested_at, what, said)
        if wish.approved_at is not None:
            yield Step(wish.approved_at, what, words.text("trace.cancel_approved", person=wish.approved_by))
        if wish.ended_at is not None:
            outcome = words.text(f"cancellation.{wish.outcome}")
            yield Step(wish.ended_at, what, " ".join([outcome, *say_errors(words, wish.answers)]))


def _numbered(desk: Desk, entity: str, number: int) -> str:
    return f"{desk.catalogue.text(f'entity.{entity}')} {number}"
