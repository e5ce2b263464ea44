"""Find the months of all days and months that a cell of dates states: `05 e 06/11/2026`, `jan/2027`, `09/12`."""

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import Final, TypeAlias

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.parsers import cells
from domain.competence import FIRST_YEAR, LAST_MONTH, LAST_YEAR, MONTH_NUMBERS, add_months

_Stated: TypeAlias = tuple[int | None, int]
"""Year, None without one, and month."""
_LONGEST: Final = 60
_HALF_A_YEAR: Final = 6
_CENTURY: Final = 100
_DATES: Final = re.compile(
    r"(?<![\d/.\-])(?:"
    r"(?P<year>20\d\d) ?[/.\-] ?(?P<month>\d{1,2})(?:[/.\-]\d{1,2})?(?!\d)|"
    r"(?P<alone>\d{1,2}) ?[/.\-] ?(?P<its_year>20\d\d)(?!\d)|"
    r"(?:(?P<first>\d{1,2})o? ?(?:a|ate|e|-|,) ?)?(?P<day>\d{1,2})o?[/.\-](?P<of>\d{1,2})(?:[/.\-](?P<in>20\d\d|\d\d))?"
    r"(?![\d/]))|"
    r"\b(?P<name>[a-z]{3,9})\b\.?(?: \d{1,2}(?:st|nd|rd|th)?(?=,? 20\d\d))?"
    r"(?:,? ?(?:[/.\-] ?|de )?'?(?P<named>20\d\d|[2-9]\d)(?![\d/]))?"
)
_YEAR: Final = re.compile(r"(?<!\d)20\d\d(?!\d)")


@lru_cache(maxsize=4096, typed=True)
def stated_months(cell: Cell, near: date, *, has_serials: bool, is_next: bool = False) -> tuple[date, ...]:
    """Return the months that a cell states, in its order; empty if it states none.

    The days of one month (`05 a 20/11`) state it twice. A month without a year is the one nearest to the month `near`.
    With `is_next` it is the first one from `near` on, and a year alone states its January.
    """
    if not isinstance(cell, (str, float)):
        month = cells.parse_month(cell, has_serials=has_serials)
        return (month,) if isinstance(month, date) else ()
    bare = cells.plain(cells.as_text(cell)[:_LONGEST])
    stated = _with_years(list(_stated(bare))) if isinstance(cell, str) else []
    if stated:
        return tuple(_month(year, month, near, is_next=is_next) for year, month in stated)
    month = cells.parse_month(cell, has_serials=has_serials)
    if isinstance(month, date):
        return (month,)
    return tuple(date(int(year), 1, 1) for year in _YEAR.findall(bare)) if is_next else ()


def _stated(bare: str) -> Iterator[_Stated]:
    for found in _DATES.finditer(bare):
        if found["name"] is not None:
            year, month = found["named"], MONTH_NUMBERS.get(found["name"], 0)
        elif found["day"] is not None:
            year, month = _month_of_day(found["day"], found["of"], found["in"])
        else:
            year, month = found["year"] or found["its_year"], int(found["month"] or found["alone"])
        full = None if year is None else int(year) % _CENTURY + FIRST_YEAR
        if 1 <= month <= LAST_MONTH:
            yield full, month
            if found["first"] is not None:
                yield full, month


def _month_of_day(day: str, month: str, year: str | None) -> tuple[str | None, int]:
    """Return year and month of `09/12`, `09/12/2026`, `12/31/2026` and `12/27`."""
    if int(month) <= LAST_MONTH:
        return year, int(month)
    return (month if year is None else year), int(day)


def _with_years(stated: list[_Stated]) -> list[_Stated]:
    """Give a month without a year the year of the next one that has one: `15/12 a 10/01/2027`, `out e nov/2026`."""
    found: list[_Stated] = []
    later: tuple[int, int] | None = None
    for year, month in reversed(stated):
        if year is not None:
            later = year, month
        elif later is not None:
            later = later[0] - (month > later[1]), month
        found.append((year if later is None else later[0], month))
    return found[::-1]


def _month(year: int | None, month: int, near: date, *, is_next: bool) -> date:
    if year is not None:
        return date(min(max(year, FIRST_YEAR), LAST_YEAR), month, 1)
    after = (month - near.month) % LAST_MONTH
    return add_months(near, after if is_next or after <= _HALF_A_YEAR else after - LAST_MONTH)
