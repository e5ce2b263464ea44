"""Months and emission instants: one clock (Brasília), months written as people write them, never "today" by default."""

from datetime import date, datetime, timedelta, timezone
from typing import Final

from domain.problems import Problem

BRASILIA: Final = timezone(timedelta(hours=-3), "Brasília")
"""Brasília time has had no summer time since 2019; a naive `emission_date` means this zone [R notes 1.26]."""


def parse_competence(text: str) -> date | None:
    """The first of the month that a cell names (`11/2026`, `nov/26`, `Novembro de 2026`, `2026-11`, a date)."""
    raise NotImplementedError


def parse_emission(text: str) -> datetime | None:
    """The aware instant that a cell names; a date alone is its first minute in Brasília. None when it is none."""
    raise NotImplementedError


def format_competence(competence: date) -> str:
    """A month as people read it: 11/2026."""
    return f"{competence:%m/%Y}"


def first_of_month(day: date) -> date:
    """The month that a day belongs to, as competences are kept. An instant must come in Brasília time already."""
    return date(day.year, day.month, 1)


def add_months(competence: date, months: int) -> date:
    """The first of the month that lies so many months later (or earlier)."""
    month = competence.year * 12 + competence.month - 1 + months
    return date(month // 12, month % 12 + 1, 1)


def competence_problem(competence: date, now: datetime) -> Problem | None:
    """Whether a month may be billed: it must not lie in the future."""
    raise NotImplementedError


def emission_problem(
    emission_at: datetime, competence: date, now: datetime, *, max_age_days: int, allowed_months_after: int = 1
) -> Problem | None:
    """Whether a note may be issued now with this emission instant."""
    raise NotImplementedError
