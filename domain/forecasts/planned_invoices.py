"""The planned invoices of a file, and its refused rows."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from domain.parties import TakerData, conflicts
from domain.problems import Problem
from domain.taxes import ServiceAmounts, explain
from domain.templates import TaxProfile


@dataclass(frozen=True, slots=True)
class ReplacedNote:
    """An issued invoice that a planned one replaces: serie and number, amount in cents, and a person's reason."""

    number: str
    service_cents: int
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedNote:
    """One planned invoice. Amounts in cents.

    `kind` is service, nfe or nfce. `row_number` is the first of its rows, as the sheet shows it. `withheld` are cents
    by tax, without zeros. `waived` gives the reason for each retention of the template that is not due.
    `taker_document` is canonical text, None if the customer is not named.
    """

    kind: str
    emitter_cnpj: str
    emitter_name: str
    competence: date
    sheet: str
    row_number: int
    taker_document: str | None
    taker_name: str
    service_cents: int
    liquid_cents: int
    template: str | None = None
    withheld: Mapping[str, int] = field(default_factory=dict)
    waived: tuple[Problem, ...] = ()
    is_new_taker: bool = False
    replaced: ReplacedNote | None = None

    @property
    def group(self) -> tuple[str, str, date]:
        """The key of batches and series: kind, emitter, competence."""
        return self.kind, self.emitter_cnpj, self.competence


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason for refused rows: the first row's problem, and the numbers of all rows with a problem of that code.

    `is_example`: problems of other rows have other parameters. `spans_fields`: the problems concern several fields.
    `column` is the letter of the column that all of them name, or None.
    """

    problem: Problem
    rows: tuple[int, ...]
    is_example: bool = False
    spans_fields: bool = False
    column: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A field of a customer in which sheet and provider differ. The document is masked.

    `Forecast` tells which of both values the register keeps: see its `differences` and `updates`.
    """

    document: str
    name: str
    field: str
    sheet_says: str
    provider_says: str
    row_number: int


@dataclass(frozen=True, slots=True)
class NumberRange:
    """The numbers that the next notes of an emitter and kind will get, both ends included."""

    kind: str
    emitter_name: str
    serie: str
    first: int
    last: int

    def __str__(self) -> str:
        """Return the serie and its numbers, such as `F: 1–17`, or `F: 3` for a single one."""
        return f"{self.serie}: {number_span(self.first, self.last)}"


def number_span(first: int, last: int) -> str:
    """Return `3–17`, or `3` for a single number."""
    return f"{first}–{last}" if last > first else str(first)


def withheld_of(amounts: ServiceAmounts) -> dict[str, int]:
    """Return the cents that the taker withholds, by tax: pis, cofins, csll, ir, inss, retained_iss. Leave zeros out."""
    taxes = ("pis", "cofins", "csll", "ir", "inss", "retained_iss")
    found = {tax: getattr(amounts, f"{tax}_cents") for tax in taxes}
    return {tax: cents for tax, cents in found.items() if cents}


def waived_of(service_cents: int, profile: TaxProfile) -> tuple[Problem, ...]:
    """Return which retentions of the template are not due on this amount, and why."""
    return tuple(explain(service_cents, profile))


def group_by_reason(refused: Iterable[tuple[int, Sequence[Problem]]]) -> list[Reason]:
    """Group refused rows, as (row number, problems), by problem code, the most frequent first."""
    first: dict[str, Problem] = {}
    varied: set[str] = set()
    fields: defaultdict[str, set[str | None]] = defaultdict(set)
    columns: defaultdict[str, set[str | None]] = defaultdict(set)
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row_number, problems in refused:
        for problem in problems:
            known = first.setdefault(problem.code, problem)
            fields[problem.code].add(problem.field)
            columns[problem.code].add(problem.where.column)
            if known.params != problem.params:
                varied.add(problem.code)
            if rows[problem.code][-1:] != [row_number]:
                rows[problem.code].append(row_number)
    found = [
        Reason(
            first[code],
            tuple(numbers),
            code in varied,
            spans_fields=len(fields[code]) > 1,
            column=next(iter(columns[code])) if len(columns[code]) == 1 else None,
        )
        for code, numbers in rows.items()
    ]
    return sorted(found, key=lambda reason: (-len(reason.rows), reason.rows))


def differences(ours: TakerData, theirs: TakerData, *, row_number: int) -> list[Difference]:
    """Return each field of a taker in which sheet and provider both have a value and the values differ.

    The provider keeps one e-mail: it differs only if it is none of the sheet's.
    """
    fields = conflicts(ours, theirs)
    if "emails" in fields and set(map(str.casefold, theirs.emails)) <= set(map(str.casefold, ours.emails)):
        fields.remove("emails")
    document = "" if ours.document is None else ours.document.masked
    return [
        Difference(
            document=document,
            name=theirs.name or ours.name or "",
            field="email" if name == "emails" else name,
            sheet_says=_format_value(getattr(ours, name)),
            provider_says=_format_value(getattr(theirs, name)),
            row_number=row_number,
        )
        for name in fields
    ]


def without_settled(found: Iterable[Difference], updates: Iterable[Difference]) -> tuple[Difference, ...]:
    """Return the differences that these updates of the register do not settle."""
    updated = {(each.document, name) for each in updates for name in _PARTS.get(each.field, (each.field,))}
    return tuple(each for each in found if (each.document, each.field) not in updated)


_PARTS: Final = {"city": ("city", "city_code", "state")}
"""An update of a city changes all of these."""


def _format_value(value: object) -> str:
    return "; ".join(map(str, value)) if isinstance(value, tuple) else str(value)
