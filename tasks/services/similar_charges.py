"""Hold rows that may bill a charge again with a small change: the customer, template and month have an invoice.

An invoice under another template counts if month, amount and text are the same.

Only invoices of other files count: a person who writes two rows into one file sees both. The user's own key, or two
different contract numbers, show that a row is another charge, unless both may correct one failed row; so does a person
who allows repeats.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple, TypeAlias

from connectors.ledger import rows as ledger_rows
from connectors.ledger.files import ReadingRecord
from connectors.ledger.rows import RowRecord
from connectors.ledger.sheets.corrected_rows import BilledRow
from connectors.ledger.sheets.living_charges import LivingCharge, living_charges
from domain.competence import format_competence
from domain.corrections.twice_corrected import is_twice_corrected
from domain.issuing.service_invoice import ServiceInvoice
from domain.problems import Problem
from domain.texts import folded_charge
from tasks.issuance.repeats import place_problem
from tasks.issuance.twice_corrected import Correctable, billable_row, billed_elsewhere, months_of_rows
from tasks.runtime import SERVICES, Runtime

QUESTION: Final = "row.file_question"
EMITTER_QUESTION: Final = "row.file_emitter_question"
MOVED_QUESTION: Final = "row.file_moved_question"
ORDERS_QUESTION: Final = "product.file_question"
QUESTIONS: Final = frozenset({QUESTION, EMITTER_QUESTION, MOVED_QUESTION, ORDERS_QUESTION})
"""The problems of rows whose file waits for a person's answer."""


Families: TypeAlias = Mapping[int, int]
"""The family of each template record, by id: a renamed template is still the same one."""


class Subject(NamedTuple):
    """The emitter, customer, family of templates and month of a charge."""

    emitter_id: int
    taker_id: int
    family_id: int
    month: date


class ComparedCharge(NamedTuple):
    """What a row or a living invoice charges, to compare across files; it has no business key.

    `source` is the paid invoice, or else the contract, that the row names; empty for none.
    """

    subject: Subject
    cents: int
    description: str
    source: str


class ChargeSet:
    """A set of charges. A charge without a source equals a charge with any source."""

    def __init__(self, charges: Iterable[ComparedCharge]) -> None:
        self._whole = frozenset(charges)
        self._bare = frozenset(each._replace(source="") for each in self._whole)

    def __contains__(self, charge: ComparedCharge) -> bool:
        bare = charge._replace(source="")
        return charge in self._whole or (bare in self._whole if charge.source else bare in self._bare)

    def has_exactly(self, charge: ComparedCharge) -> bool:
        """Return whether the set has this charge with the same source."""
        return charge in self._whole

    def count_missing(self, others: "ChargeSet") -> int:
        """Count the charges that are not in `others`."""
        return sum(each not in others for each in self._whole)


@dataclass(frozen=True, slots=True)
class Similar:
    """Living invoices of other files that resemble some rows, by subject.

    `of_any_template` has the same invoices by subjects without a family, `of_any_emitter` by subjects without either: a
    search in all subjects for each row would take the square of their number. `is_ours`: we wrote the sheet from
    contracts. `has_corrected`: some invoice's row corrects a failed one; else rows with own keys that correct none need
    no search.
    """

    by_subject: Mapping[Subject, Sequence[LivingCharge]]
    of_any_template: Mapping[Subject, Sequence[LivingCharge]]
    of_any_emitter: Mapping[Subject, Sequence[LivingCharge]]
    families: Families
    is_ours: bool
    has_corrected: bool

    def others(
        self, record: RowRecord, subject: Subject, line: Sequence[RowRecord], ours: ChargeSet
    ) -> list[LivingCharge]:
        """Return the invoices of this subject that may bill this row's charge.

        Leave out invoices of files that the row corrects (those of `line`), of another contract or paid invoice than
        the row's, and those that equal another row of its file (`ours`).
        """
        return self._others(record, self.by_subject.get(subject, ()), line, ours)

    def equal_elsewhere(
        self, record: RowRecord, charge: ComparedCharge, line: Sequence[RowRecord], ours: ChargeSet
    ) -> list[LivingCharge]:
        """Return the invoices under other templates that have the customer, month, amount and text of this charge."""
        if not charge.description:
            return []
        wanted = charge._replace(source="")
        equal = [
            each
            for each in self.of_any_template.get(_without_family(charge.subject), ())
            if charge_in_ledger(each, self.families)._replace(subject=charge.subject, source="") == wanted
        ]
        return self._others(record, equal, line, ours)

    def at_other_emitters(self, charge: ComparedCharge) -> list[LivingCharge]:
        """Return the invoices of other emitters that have the customer, month, amount and text of this charge."""
        if not charge.description:
            return []
        emitter_id = charge.subject.emitter_id
        others = self.of_any_emitter.get(_without_emitter(charge.subject), ())
        return [
            each
            for each in others
            if each.emitter_id != emitter_id
            and charge in ChargeSet([charge_in_ledger(each, self.families)._replace(subject=charge.subject)])
        ]

    def _others(
        self, record: RowRecord, found: Iterable[LivingCharge], line: Sequence[RowRecord], ours: ChargeSet
    ) -> list[LivingCharge]:
        family_files = {row.file_id for row in line}
        return [
            each
            for each in found
            if each.file_id not in family_files
            and each.family != record.family
            and not self._is_another_charge(record, each, line)
            and not ours.has_exactly(charge_in_ledger(each, self.families))
        ]

    def _is_another_charge(self, record: RowRecord, living: LivingCharge, line: Sequence[RowRecord]) -> bool:
        """Return whether the row's own key or source shows that it is another charge than this invoice."""
        source = source_of(record)
        has_key = has_own_key(record) and not self.is_ours
        is_other = has_key or bool(source and living.source and folded_charge(living.source) != source)
        return is_other and (self.is_ours or not is_corrected_elsewhere(record, living, line))


def _without_family(subject: Subject) -> Subject:
    return subject._replace(family_id=0)


def _without_emitter(subject: Subject) -> Subject:
    return subject._replace(emitter_id=0, family_id=0)


def subject_of(record: RowRecord, month: date, families: Families) -> Subject:
    """Return the emitter, customer and template of a row, in this month."""
    return _subject(record.emitter_id or 0, record.taker_id or 0, record.template_id, month, families)


def _subject(emitter_id: int, taker_id: int, template_id: int | None, month: date, families: Families) -> Subject:
    return Subject(emitter_id, taker_id, families.get(template_id or 0, 0), month)


def charge_of(record: RowRecord, invoice: ServiceInvoice, families: Families) -> ComparedCharge:
    subject = subject_of(record, invoice.competence, families)
    return ComparedCharge(subject, invoice.total_cents, folded_charge(invoice.description), source_of(record))


def source_of(record: RowRecord) -> str:
    """Return the paid invoice that a row names as its source, else its contract, else an empty text.

    For a late charge add its month: the contract may have a second charge in the same billing month.
    """
    line = record.line or {}
    contract, month = line.get("contract") or "", line.get("charge_month") or ""
    return folded_charge(line.get("paid_invoice") or f"{contract} {month}".strip())


def subject_in_ledger(living: LivingCharge, families: Families) -> Subject:
    """Return the subject of a living invoice."""
    return _subject(living.emitter_id, living.taker_id, living.template_id, living.competence, families)


def charge_in_ledger(living: LivingCharge, families: Families) -> ComparedCharge:
    subject = subject_in_ledger(living, families)
    # a detached month's invoice has no description in the ledger: no row equals it, so each similar row is held
    description = folded_charge(json.loads(living.content).get("description", ""))
    return ComparedCharge(subject, living.service_cents, description, folded_charge(living.source or ""))


def has_own_key(record: RowRecord) -> bool:
    """Return whether the user gave the row a key."""
    return bool((record.line or {}).get("own_key"))


def is_corrected_elsewhere(record: RowRecord, living: LivingCharge, line: Sequence[RowRecord]) -> bool:
    """Return whether the row and the invoice's row may correct one failed row. `line`: those that the row follows.

    The key of a payment is looked up, so it shows another charge all the same.
    """
    values = record.line or {}
    if values.get("paid_invoice"):
        return False
    names = [values[name] for name in ("own_key", "contract") if values.get(name)]
    return is_twice_corrected(billable_row(record, line, names=names), living.billed)


def is_of_contracts(reading: ReadingRecord) -> bool:
    """Return whether we wrote the sheet from contracts. No person chose its keys, so they prove no new charge."""
    return bool(reading.options.get("is_of_contracts"))


def is_released(reading: ReadingRecord) -> bool:
    """Return whether a person declared the reading's rows to be additional charges."""
    return bool(reading.options.get("allow_repeats")) or reading.options.get("answer") == "additional"


async def load_similar_charges(
    runtime: Runtime, reading: ReadingRecord, takers: Collection[int], months: Collection[date], families: Families
) -> Similar:
    """Look up the living invoices of other files for these customers and months."""
    found = await runtime.ledger.read_async(living_charges, takers, months, but_file=reading.file_id)
    by_subject: defaultdict[Subject, list[LivingCharge]] = defaultdict(list)
    of_any_template: defaultdict[Subject, list[LivingCharge]] = defaultdict(list)
    of_any_emitter: defaultdict[Subject, list[LivingCharge]] = defaultdict(list)
    for each in found:
        subject = subject_in_ledger(each, families)
        by_subject[subject].append(each)
        of_any_template[_without_family(subject)].append(each)
        of_any_emitter[_without_emitter(subject)].append(each)
    has_corrected = any(each.corrects for each in found)
    return Similar(by_subject, of_any_template, of_any_emitter, families, is_of_contracts(reading), has_corrected)


async def hold_similar(
    runtime: Runtime,
    reading: ReadingRecord,
    composed: Mapping[int, ServiceInvoice],
    by_id: Mapping[int, RowRecord],
    *,
    ours: ChargeSet,
    families: Families,
    former_months: Mapping[int, frozenset[date]],
) -> dict[int, list[Problem]]:
    """Return the problems of held rows, by row id. A row that corrects a held row is held for the same reason.

    `ours` are charges of the reading's rows that were compared with the ledger. A corrected row is compared with the
    invoices of its former months too: to move a row to another month does not make it another charge.
    """
    if is_released(reading):
        return {}
    takers = {by_id[row_id].taker_id or 0 for row_id in composed}
    months = {invoice.competence for invoice in composed.values()}.union(*former_months.values())
    similar = await load_similar_charges(runtime, reading, takers, months, families)
    followed = await followed_rows(runtime, [by_id[row_id] for row_id in composed])
    held: dict[int, list[Problem]] = {}
    for row_id, invoice in composed.items():
        record = by_id[row_id]
        line = followed.get(record.follows_id or 0, ())
        asked = next((each for row in line for each in row.problems if each.code in QUESTIONS), None)
        if asked is not None:
            held[row_id] = [place_problem(record, asked)]
        elif similar.is_ours or similar.has_corrected or line or not has_own_key(record):
            asked_months = (invoice.competence, *sorted(former_months.get(row_id, ()), reverse=True))
            subjects = (subject_of(record, month, families) for month in asked_months)
            others = next((each for at in subjects if (each := similar.others(record, at, line, ours))), None)
            if others:
                held[row_id] = [place_problem(record, _similar_problem(record, others[-1], invoice.competence, line))]
                continue
            equal = similar.equal_elsewhere(record, charge_of(record, invoice, families), line, ours)
            if equal:
                held[row_id] = [place_problem(record, _similar_problem(record, equal[-1], None, line))]
    return held | await _hold_corrected(
        runtime, reading, {row_id: each for row_id, each in composed.items() if row_id not in held}, by_id, followed
    )


async def _hold_corrected(
    runtime: Runtime,
    reading: ReadingRecord,
    composed: Mapping[int, ServiceInvoice],
    by_id: Mapping[int, RowRecord],
    followed: Mapping[int, Sequence[RowRecord]],
) -> dict[int, list[Problem]]:
    """Return the problems of rows that were corrected in another file too, for any customer and template."""
    asked = {
        row_id: Correctable(record.emitter_id or 0, invoice.competence, [record], line)
        for row_id, invoice in composed.items()
        if not ((record := by_id[row_id]).line or {}).get("paid_invoice")
        and ((line := followed.get(record.follows_id or 0, ())) or not is_of_contracts(reading))
    }
    months = months_of_rows(by_id.values())
    found = await billed_elsewhere(runtime, reading, SERVICES, asked, months)
    return {
        row_id: [place_problem(by_id[row_id], Problem("row.similar_corrected", params=_place_params(other)))]
        for row_id, other in found.items()
    }


def _place_params(other: LivingCharge | BilledRow) -> dict[str, str | int]:
    params: dict[str, str | int] = {"file": other.file_name, "row": other.row_number}
    return params | {"serie": other.serie or "-", "number": other.number or "-"}


def _similar_problem(record: RowRecord, other: LivingCharge, month: date | None, line: Sequence[RowRecord]) -> Problem:
    """Return the problem of a row like this invoice. `month` is the row's; None: the invoice has another template."""
    params = _place_params(other)
    if is_corrected_elsewhere(record, other, line):
        return Problem("row.similar_corrected", params=params)
    if month is None:
        return Problem("row.equal_under_other_template", params=params)
    if other.competence == month:
        return Problem("row.similar_living", params=params)
    return Problem("row.similar_in_former_month", params=params | {"month": format_competence(other.competence)})


async def followed_rows(runtime: Runtime, records: Sequence[RowRecord]) -> dict[int, list[RowRecord]]:
    """Return, by the id of each followed row, that row and the first row of its charge."""
    follows = sorted({record.follows_id for record in records if record.follows_id is not None})
    if not follows:
        return {}
    rows = {row.id: row for row in await runtime.ledger.read_async(ledger_rows.rows_by_ids, follows)}
    origins = sorted({row.origin_id for row in rows.values() if row.origin_id is not None})
    first = {row.id: row for row in await runtime.ledger.read_async(ledger_rows.rows_by_ids, origins)}
    return {row.id: [row, *([first[row.origin_id]] if row.origin_id in first else [])] for row in rows.values()}
