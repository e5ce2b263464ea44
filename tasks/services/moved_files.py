"""Ask a person about a file whose month was changed because the former one is closed.

A refused row of a closed month may be billed in another one. A clerk may change the month of the whole sheet for it,
which would bill its other rows again. Sheets of two months look alike, so only a file that has such a refused row is
asked about.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple

from connectors.ledger.files import ReadingRecord
from connectors.ledger.rows import RowRecord
from connectors.ledger.sheets.closed_rows import closed_rows
from connectors.ledger.sheets.living_charges import LivingCharge, living_charges, living_charges_of_file
from domain.competence import CLOSED
from domain.texts import folded_charge
from tasks.runtime import Runtime
from tasks.services.resembling_files import Compose, Resemblance
from tasks.services.similar_charges import (
    MOVED_QUESTION,
    ChargeSet,
    ComparedCharge,
    Families,
    Subject,
    charge_in_ledger,
    charge_of,
    is_released,
    subject_of,
)

_DAYS: Final = 62
"""A person follows a refused row's advice within about two months."""


class _Typed(NamedTuple):
    """The charge of a row as its person wrote it, without its month.

    `subject.month` is always `date.min`, so that rows of different months can be equal.
    """

    subject: Subject
    cents: int
    description: str


async def find_moved(
    runtime: Runtime,
    reading: ReadingRecord,
    parts: AsyncIterator[Sequence[RowRecord]],
    compose: Compose,
    families: Families,
) -> Resemblance | None:
    """Return the earlier file whose invoices of a closed month this file would bill again in another one, or None."""
    if is_released(reading):
        return None
    refused: defaultdict[_Typed, set[date]] = defaultdict(set)
    for each in await runtime.ledger.read_async(closed_rows, code=CLOSED, days=_DAYS):
        subject = Subject(each.emitter_id, each.taker_id, families.get(each.template_id, 0), date.min)
        refused[_Typed(subject, each.service_cents, folded_charge(each.description))].add(each.month)
    if not refused:
        return None
    ours: list[ComparedCharge] = []
    months: set[date] = set()
    async for records in parts:
        fresh = {record.id: record for record in records if record.follows_id is None}
        for row_id, invoice in (await compose(records)).items():
            if row_id in fresh:
                ours.append(charge_of(fresh[row_id], invoice, families))
                months |= refused.get(_typed(fresh[row_id], families), set()) - {invoice.competence}
    takers = {charge.subject.taker_id for charge in ours}
    living = await runtime.ledger.read_async(living_charges, takers, months, but_file=reading.file_id)
    return await _resemblance(runtime, ours, living, months, families)


def _typed(record: RowRecord, families: Families) -> _Typed:
    line = record.line or {}
    cents, description = int(line.get("service_cents") or 0), folded_charge(line.get("description") or "")
    return _Typed(subject_of(record, date.min, families), cents, description)


async def _resemblance(
    runtime: Runtime,
    ours: Sequence[ComparedCharge],
    living: Sequence[LivingCharge],
    months: set[date],
    families: Families,
) -> Resemblance | None:
    """Return the file with most invoices that equal a charge of ours but for the month, or None."""
    there: defaultdict[int, list[LivingCharge]] = defaultdict(list)
    for each in living:
        there[each.file_id].append(each)
    known = ChargeSet(_without_month(charge_in_ledger(each, families)) for each in living)
    equal = [charge for charge in ours if _without_month(charge) in known]
    if not equal:
        return None
    without = ChargeSet(map(_without_month, ours))
    counts = {file_id: _count_equal(found, without, families) for file_id, found in there.items()}
    file_id = max(counts, key=lambda each: (counts[each], each))
    whole = await runtime.ledger.read_async(living_charges_of_file, file_id, months)
    return Resemblance(
        there[file_id][-1],
        ChargeSet(equal),
        families,
        missing=len(whole) - _count_equal(whole, without, families),
        # a sheet may write the same keys every month
        is_keyed=False,
        equal=len(equal),
        count=len(ours),
        question=MOVED_QUESTION,
    )


def _without_month(charge: ComparedCharge) -> ComparedCharge:
    return charge._replace(subject=charge.subject._replace(month=date.min))


def _count_equal(living: Sequence[LivingCharge], ours: ChargeSet, families: Mapping[int, int]) -> int:
    return sum(_without_month(charge_in_ledger(each, families)) in ours for each in living)
