"""Keep one living invoice per business key: refuse rows that bill what this or another file bills already."""

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, ClassVar, Final, Protocol, TypeVar

from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import rows as ledger_rows
from connectors.ledger import withdrawals
from connectors.ledger.files import ReadingRecord
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.rows import RowRecord
from domain.keys import canonical_json, content_digest
from domain.problems import Problem, Where
from domain.states import LIVING, InvoiceState
from tasks.runtime import Runtime


class Composed(Protocol):
    """A canonical invoice of any kind, a frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def business_key(self) -> str: ...
    @property
    def content(self) -> Mapping[str, Any]: ...


C = TypeVar("C", bound=Composed)

_LIVING: Final = frozenset({"row.living", "row.living_unnumbered", "row.living_taken_back"})
_REPEATS: Final = frozenset({*_LIVING, "row.repeated"})


async def without_repeats(
    runtime: Runtime,
    reading: ReadingRecord,
    composed: Mapping[int, C],
    by_id: Mapping[int, RowRecord],
    *,
    retried: Collection[int] = (),
    before: dict[str, int] | None = None,
    barred: Collection[int] = (),
    others: Mapping[int, AbstractSet[str]] | None = None,
) -> tuple[dict[int, C], dict[int, list[Problem]]]:
    """Return the invoices to bill, one per business key, and the problems of the refused rows, by row id.

    Refuse a row whose key has a living invoice, or a rejected one with this very content. If a person allows repeats,
    a repeat gets a key that contains its place in the file; the first row keeps the plain key, by which we recognise it
    in any file. `retried`: rows that a person wants to send again unchanged. `before`: by business key, the row numbers
    of earlier parts of the reading, which the ledger does not have yet; add those of this part. `barred`: rows that the
    caller does not bill, whatever this finds; no other row repeats one. `others`: the further keys of a row's charge,
    by row id.
    """
    is_allowed, are_all_retried = (bool(reading.options.get(name)) for name in ("allow_repeats", "retry_rejected"))
    moved: dict[int, C] = {}
    if is_allowed:
        moved = {row_id: _with_key_of_place(invoice, reading, by_id[row_id]) for row_id, invoice in composed.items()}
    further = others or {}
    asked = [each.business_key for each in (*composed.values(), *moved.values())]
    last = await _newest_by_key(runtime, [*asked, *(key for keys in further.values() for key in keys)])
    first_rows = {} if before is None else before
    first_rows |= await _first_rows(runtime, reading, last)
    leaving = await runtime.ledger.read_async(withdrawals.batches_taken_back)
    kept: dict[int, C] = {}
    refused: dict[int, list[Problem]] = {}
    for row_id, plain in composed.items():
        invoice, key = plain, plain.business_key
        is_retried = are_all_retried or row_id in retried or row_id in barred
        problem = _repeat_problem(invoice, last.get(key), leaving, is_retried=is_retried)
        if key in first_rows and (problem is None or problem.code in _LIVING):
            problem = Problem("row.repeated", params={"first": first_rows[key]})
        # two rows of one file are not compared by their further keys: a person sees both
        problem = problem or _living_of(further.get(row_id, set()) - first_rows.keys(), last, leaving)
        if problem is None:
            first_rows |= {} if row_id in barred else {key: by_id[row_id].row_number}
        elif is_allowed and problem.code in _REPEATS:
            invoice = moved[row_id]
            problem = _repeat_problem(invoice, last.get(invoice.business_key), leaving, is_retried=is_retried)
        if problem is None:
            kept[row_id] = invoice
        else:
            refused[row_id] = [place_problem(by_id[row_id], problem)]
    return kept, refused


def asks_again(records: Iterable[RowRecord]) -> bool:
    """Return whether a person asked to send one of these rows again unchanged."""
    return any((record.line or {}).get("retry") for record in records)


def place_problem(record: RowRecord, problem: Problem) -> Problem:
    """Return the problem with the place of its row: sheet and row number."""
    where = Where(sheet=record.sheet, row=record.row_number, column=problem.where.column)
    return Problem(problem.code, problem.field, where, problem.params)


def digest_of(invoice: Composed) -> str:
    """Return the digest of the content, to which a number is bound for ever."""
    return content_digest(canonical_json(invoice.content))


def _with_key_of_place(invoice: C, reading: ReadingRecord, record: RowRecord) -> C:
    place = f"{reading.file_id} {record.sheet} {record.row_number}"
    return dataclasses.replace(invoice, business_key=content_digest(f"{invoice.business_key} {place}"))


async def _first_rows(runtime: Runtime, reading: ReadingRecord, last: Mapping[str, InvoiceRecord]) -> dict[str, int]:
    """Return the row numbers of this reading's rows with a living invoice, by business key."""
    bearers = {each.row_id: key for key, each in last.items() if each.state in LIVING}
    numbers = await runtime.ledger.read_async(ledger_rows.numbers_of, reading.id, bearers.keys())
    return {bearers[row_id]: number for row_id, number in numbers.items()}


async def _newest_by_key(runtime: Runtime, keys: Sequence[str]) -> dict[str, InvoiceRecord]:
    """Return the living invoice of each key, else its newest dead one."""
    last = await runtime.ledger.read_async(ledger_invoices.last_by_keys, keys)
    return last | await runtime.ledger.read_async(ledger_invoices.living_by_keys, keys)


def _repeat_problem(
    invoice: Composed, last: InvoiceRecord | None, leaving: Collection[int], *, is_retried: bool
) -> Problem | None:
    if last is None:
        return None
    if last.state in LIVING:
        return _living_problem(last, leaving)
    is_unchanged = last.digest == digest_of(invoice)
    if last.state is InvoiceState.REJECTED and is_unchanged and not is_retried:
        return Problem("row.rejected_unchanged", params={"serie": last.serie or "", "number": last.number or 0})
    return None


def _living_of(keys: Iterable[str], last: Mapping[str, InvoiceRecord], leaving: Collection[int]) -> Problem | None:
    """Return the problem of a charge that has a living invoice under one of these keys."""
    bearers = (last[key] for key in sorted(keys) if key in last)
    return next((_living_problem(each, leaving) for each in bearers if each.state in LIVING), None)


def _living_problem(living: InvoiceRecord, leaving: Collection[int]) -> Problem:
    """Return the problem of a charge with this invoice; `leaving` are the batches that a person is discarding."""
    if living.batch_id in leaving:
        return Problem("row.living_taken_back", params={"batch": living.batch_id or 0})
    if living.number is None:
        return Problem("row.living_unnumbered")
    return Problem("row.living", params={"serie": living.serie or "", "number": living.number})
