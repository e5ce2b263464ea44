"""Ask a person about a file that resembles an earlier one: do its changed rows correct invoices, or add charges?

A clerk may correct and drop the original instead of the correction workbook; that would bill every changed row twice.
So nothing of such a file is staged before a person has answered with `faturista decide-file`.
"""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from connectors.ledger.files import ReadingRecord
from connectors.ledger.rows import RowRecord
from connectors.ledger.sheets.living_charges import LivingCharge, living_charges_of_file
from domain.competence import BRASILIA, format_competence
from domain.issuing.service_invoice import ServiceInvoice
from domain.problems import Problem
from tasks.issuance.repeats import place_problem
from tasks.runtime import Runtime
from tasks.services.similar_charges import (
    EMITTER_QUESTION,
    QUESTION,
    ChargeSet,
    ComparedCharge,
    Families,
    charge_in_ledger,
    charge_of,
    has_own_key,
    is_of_contracts,
    is_released,
    load_similar_charges,
)

Compose = Callable[[Sequence[RowRecord]], Awaitable[Mapping[int, ServiceInvoice]]]


@dataclass(frozen=True, slots=True)
class Resemblance:
    """An earlier file whose charges most rows of this file equal.

    Attributes:
        file: One of its living invoices, for its name and day.
        charges: The charges of its living invoices.
        families: The family of each template.
        missing: Number of its living invoices without an equal row in this file.
        is_keyed: Every one of its living invoices has the user's own key.
        equal: Number of rows of this file that equal one of its living invoices.
        count: Number of billable rows in this file.
        question: The problem of the rows that wait for an answer.
    """

    file: LivingCharge
    charges: ChargeSet
    families: Families
    missing: int
    is_keyed: bool
    equal: int
    count: int
    question: str = QUESTION

    def holds(self, record: RowRecord, invoice: ServiceInvoice) -> bool:
        """Return whether a row that is no exact repeat may be a changed version of one of its invoices."""
        is_other = self.is_keyed and has_own_key(record)
        return not is_other and (self.missing > 0 or charge_of(record, invoice, self.families) in self.charges)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The compared charges of a reading (`ours`), and the earlier file that most of its rows equal."""

    ours: ChargeSet
    resembled: Resemblance | None = None


async def compare_charges(
    runtime: Runtime,
    reading: ReadingRecord,
    parts: AsyncIterator[Sequence[RowRecord]],
    compose: Compose,
    families: Families,
) -> Comparison:
    """Compare the charges of a reading with the living invoices of earlier files.

    Stop after the first part without an equal charge: a resembling file does not begin with new rows only.
    """
    if is_released(reading):
        return Comparison(ChargeSet(()))
    equal, elsewhere = _Equal(), _Equal()
    ours: set[ComparedCharge] = set()
    months: set[date] = set()
    count = 0
    async for records in parts:
        composed = await compose(records)
        by_id = {record.id: record for record in records if record.follows_id is None}
        fresh = {row_id: invoice for row_id, invoice in composed.items() if row_id in by_id}
        here = {invoice.competence for invoice in fresh.values()}
        similar = await load_similar_charges(
            runtime, reading, {by_id[each].taker_id or 0 for each in fresh}, here, families
        )
        count += len(fresh)
        months |= here
        for row_id, invoice in fresh.items():
            charge = charge_of(by_id[row_id], invoice, families)
            ours.add(charge)
            there = [
                each
                for each in similar.by_subject.get(charge.subject, ())
                if charge in ChargeSet([charge_in_ledger(each, families)])
            ]
            equal.add(charge, there)
            if not is_of_contracts(reading):
                elsewhere.add(charge, similar.at_other_emitters(charge))
        if not equal.files and not elsewhere.files:
            break
    for found, question in ((equal, QUESTION), (elsewhere, EMITTER_QUESTION)):
        if (file := found.most_of(count)) is not None:
            living = await runtime.ledger.read_async(living_charges_of_file, file.file_id, months)
            resembled = _resemblance(
                found, file, living, ChargeSet(ours), families=families, count=count, question=question
            )
            return Comparison(ChargeSet(ours), resembled)
    return Comparison(ChargeSet(ours))


class _Equal:
    """The rows that equal living invoices, by the file of the invoices."""

    def __init__(self) -> None:
        self.files: dict[int, LivingCharge] = {}
        self.charges: set[ComparedCharge] = set()
        self._counts: Counter[int] = Counter()

    def add(self, charge: ComparedCharge, there: Sequence[LivingCharge]) -> None:
        """Count a row's charge, once for each file that has an equal invoice."""
        if there:
            self.charges.add(charge)
        self.files |= {each.file_id: each for each in there}
        self._counts.update({each.file_id for each in there})

    def count(self, file_id: int) -> int:
        """Return how many rows equal an invoice of the file."""
        return self._counts[file_id]

    def most_of(self, count: int) -> LivingCharge | None:
        """Return an invoice of the file that more than half of `count` rows equal, or None."""
        file_id, most = max(self._counts.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
        return self.files[file_id] if 2 * most > count else None


def _resemblance(
    found: _Equal,
    file: LivingCharge,
    living: Sequence[LivingCharge],
    ours: ChargeSet,
    *,
    families: Families,
    count: int,
    question: str,
) -> Resemblance:
    equal = found.count(file.file_id)
    if question == EMITTER_QUESTION:
        # another company's keys prove no other charge
        charges, missing, is_keyed = ChargeSet(found.charges), max(len(living) - equal, 0), False
    else:
        charges = ChargeSet(charge_in_ledger(each, families) for each in living)
        missing, is_keyed = charges.count_missing(ours), all(each.own_key for each in living)
    return Resemblance(file, charges, families, missing, is_keyed, equal, count, question)


def hold_changed(
    reading: ReadingRecord,
    seen: Resemblance | None,
    composed: Mapping[int, ServiceInvoice],
    by_id: Mapping[int, RowRecord],
) -> dict[int, list[Problem]]:
    """Return the question, or the answer's consequence, for each row that may be a changed invoice of `seen`."""
    if seen is None:
        return {}
    is_correction = reading.options.get("answer") == "correction"
    params: dict[str, str | int] = {
        "file": seen.file.file_name,
        "day": f"{seen.file.received_at.astimezone(BRASILIA):%d/%m/%Y}",
        "equal": seen.equal,
        "count": seen.count,
        "missing": seen.missing,
        "month": format_competence(seen.file.competence),
    }
    problem = Problem("row.corrects_billed" if is_correction else seen.question, params=params)
    return {
        row_id: [place_problem(by_id[row_id], problem)]
        for row_id, invoice in composed.items()
        if by_id[row_id].follows_id is None and seen.holds(by_id[row_id], invoice)
    }
