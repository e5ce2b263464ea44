"""The forecast that a person checks before approval, one source for screen, workbook and dashboard."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from domain.decisions import Decision
from domain.forecasts.budget import Budget, Quota
from domain.forecasts.month_comparison import MonthComparison
from domain.forecasts.planned_invoices import Difference, NumberRange, PlannedNote, Reason
from domain.problems import Problem


@dataclass(frozen=True, slots=True)
class MappedColumn:
    """A column of the sheet and the field that it fills; `field` None: the column is not used."""

    letter: str
    header: str
    field: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """The forecast of a file, or of one reading of the file.

    Attributes:
        reasons: Why `refused_rows` rows are refused.
        held_rows: How many rows wait for a person's answer.
        skipped_rows: How many rows have a living invoice already.
        remarks: Oddities of the whole file, and problems that would refuse the whole file.
        differences: Customer data in which sheet and register differ, and which the register keeps.
        updates: Customer data that the register will take over from the sheet.
        budget: The requests of the run; None if unknown.
        quota: The account's quota; None if unknown.
        decisions: All decisions that were made without asking a person, the most important first.
        run_competence: The month (`2026-11`) that the run sets; None if each row has its own.
        sender: The sender of the sheet; None if the request names no sender and no saved mapping was used.
    """

    file_name: str
    sheet: str
    kind: str
    notes: tuple[PlannedNote, ...]
    reasons: tuple[Reason, ...]
    held_rows: int
    refused_rows: int
    skipped_rows: int
    remarks: tuple[Problem, ...]
    columns: tuple[MappedColumn, ...]
    differences: tuple[Difference, ...]
    months: MonthComparison
    ranges: tuple[NumberRange, ...]
    budget: Budget | None = None
    quota: Quota | None = None
    decisions: tuple[Decision, ...] = ()
    updates: tuple[Difference, ...] = ()
    run_competence: str | None = None
    sender: str | None = None

    @property
    def service_cents(self) -> int:
        return sum(note.service_cents for note in self.notes)

    @property
    def liquid_cents(self) -> int:
        return sum(note.liquid_cents for note in self.notes)

    @property
    def largest(self) -> PlannedNote | None:
        """Return the note with the largest amount, the first of equals."""
        return max(self.notes, key=lambda note: note.service_cents, default=None)

    @property
    def newcomers(self) -> list[PlannedNote]:
        """Return the first note of each taker that would be created."""
        found = {note.taker_document: note for note in reversed(self.notes) if note.is_new_taker}
        return sorted(found.values(), key=lambda note: (note.sheet, note.row_number))


def planned_batches(notes: Iterable[PlannedNote], *, most: int) -> list[list[PlannedNote]]:
    """Return the invoices of each planned batch: one kind, emitter and competence, at most `most` invoices in each."""
    groups: dict[tuple[object, ...], list[PlannedNote]] = {}
    for note in notes:
        groups.setdefault(note.group, []).append(note)
    return [group[start : start + most] for group in groups.values() for start in range(0, len(group), most)]


def waived_groups(notes: Sequence[PlannedNote]) -> dict[str, list[PlannedNote]]:
    """Return invoices by the code of each retention that is not due on them."""
    found: dict[str, list[PlannedNote]] = {}
    for note in notes:
        for problem in note.waived:
            found.setdefault(problem.code, []).append(note)
    return found
