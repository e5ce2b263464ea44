"""Compare a row's month with columns of dates: a contract's start and end, a grace period, the day of the service."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Final

from connectors.spreadsheets.formats.sheets import Cell, Row
from connectors.spreadsheets.holds.stated_months import stated_months
from connectors.spreadsheets.parsers import cells
from domain.competence import MONTH_NUMBERS, format_competence
from domain.problems import Problem

SINCE: Final = "since"
UNTIL: Final = "until"
COVERED: Final = "covered"
"""Field of columns with the last month that was billed."""
PERFORMED: Final = "performed"
"""Field of columns with the days on which the service was rendered."""
NEXT_BILLING: Final = "next_billing"
"""Field of columns with the next month in which the customer is billed."""
_LONGEST: Final = 60
_FIRST_SERIAL: Final = 30_000
"""A smaller number is a count, not a date's serial number."""
_WORD: Final = re.compile(r"[a-z]{3,9}")
_RANGE: Final = re.compile(r"(?:de )?(\d[\d./-]{3,12}) ?(?:a|à|ate|até|-|–|to) ?(\d[\d./-]{3,12})", re.IGNORECASE)
_OF_HOW_MANY: Final = re.compile(r"(\d{1,3}) ?(?:/|de) ?(\d{1,3})")
_FREE_UNTIL: Final = re.compile(r"\b(?:ate|carencia)\b")
_BILLED_THEN: Final = re.compile(r"(?:faturar|emitir|cobrar|bill|invoice)\b")
"""First words of a header of the month in which to bill."""
_FIRST_DAY: Final = re.compile(r"0?1[./-]\d{1,2}[./-]\d{2,4}")
WORDED: Final = frozenset({SINCE, PERFORMED, NEXT_BILLING})
"""Fields of columns in which words instead of a date may hold a row: `a definir`."""
SILENT: Final = frozenset({UNTIL, COVERED})
DATED: Final = WORDED | SILENT
"""Fields of columns whose cell is compared with the row's month."""


def outside(
    columns: Sequence[tuple[str, int]], headers: Mapping[int, str], row: Row, competence: date, *, has_serials: bool
) -> Iterator[tuple[Problem, int]]:
    """Yield (problem, index) for each of these columns whose dates exclude the row's month.

    Whole months are compared: a contract that ends within the month is billed for it. A text that is no date excludes
    nothing.
    """
    for field, index in columns:
        cell = row.cells[index] if index < len(row.cells) else None
        if cell is None or cells.is_blank(cell):
            continue
        is_billed_then = field == NEXT_BILLING or _BILLED_THEN.match(cells.plain(headers.get(index, ""))) is not None
        since, until = _allowed(field, cell, competence, has_serials=has_serials, is_billed_then=is_billed_then)
        if since == competence and field == SINCE and _is_free(headers.get(index, ""), cell):
            since = date.max
        if (since is not None and since > competence) or (until is not None and until < competence):
            asked = format_competence(competence)
            params = {"header": headers.get(index, ""), "text": cells.as_text(cell)[:30], "competence": asked}
            yield Problem("held.validity", field, params=params), index


def instalments_beyond(column: Sequence[Cell]) -> Iterator[tuple[int, str]]:
    """Yield (index, text) for each text of a column with an instalment beyond the last one: `6/5`.

    Yield nothing if no text has a possible instalment, because the column may contain days.
    """
    found = {text: _OF_HOW_MANY.fullmatch(text.strip()) for text in column if isinstance(text, str)}
    numbers = {text: (int(each[1]), int(each[2])) for text, each in found.items() if each is not None}
    beyond = {text for text, (number, count) in numbers.items() if number > count > 0}
    for place, cell in enumerate(column) if beyond and len(beyond) < len(numbers) else ():
        if isinstance(cell, str) and cell in beyond:
            yield place, cell[:30]


def other_months(column: Sequence[Cell], competence: date) -> Iterator[tuple[int, str]]:
    """Yield (index, text) for each text of a column that names other months than the requested one."""
    texts = {cell for cell in column if type(cell) is str}
    others = {text for text in texts if (found := _named(text)) and competence.month not in found}
    for place, cell in enumerate(column) if others else ():
        if isinstance(cell, str) and cell in others:
            yield place, cell[:30]


def _is_free(header: str, cell: Cell) -> bool:
    """Return whether the cell is a last free day, after which billing begins: `Carência até 30/11/2026`."""
    is_first = _FIRST_DAY.fullmatch(cells.as_text(cell)[:_LONGEST].removesuffix(" 00:00")) is not None
    return not is_first and _FREE_UNTIL.search(cells.plain(header)) is not None


@lru_cache(maxsize=4096)
def _named(text: str) -> frozenset[int]:
    words = _WORD.findall(cells.plain(text[:_LONGEST]))
    return frozenset(MONTH_NUMBERS[word] for word in words if word in MONTH_NUMBERS)


def _allowed(
    field: str, cell: Cell, competence: date, *, has_serials: bool, is_billed_then: bool
) -> tuple[date | None, date | None]:
    """Return the first and the last month in which a cell allows to bill its row of the month `competence`.

    A service is billed once its last day has come. A customer is billed in the first of the next months.
    `is_billed_then`: the cell has the next month of billing, whose year may be missing.
    """
    if field == PERFORMED:
        return max(stated_months(cell, competence, has_serials=has_serials), default=None), None
    since, until = (None, None) if field == NEXT_BILLING else _months(field, cell, has_serials=has_serials)
    if field == COVERED:
        return (date.max if until is not None and until >= competence else None), None
    if is_billed_then and since is None:
        since = min(stated_months(cell, competence, has_serials=has_serials, is_next=True), default=None)
    return since, until


@lru_cache(maxsize=4096, typed=True)
def _months(field: str, cell: Cell, *, has_serials: bool) -> tuple[date | None, date | None]:
    """Return the first and the last month that a cell allows; a range such as `01/01/2026 a 31/12/2026` has both."""
    ends = _RANGE.fullmatch(cell.strip()[:_LONGEST]) if isinstance(cell, str) else None
    if ends is not None:
        first, last = (cells.parse_month(each, has_serials=False) for each in ends.groups())
        if isinstance(first, date) and isinstance(last, date):
            return first, last
    if isinstance(cell, float) and cell < _FIRST_SERIAL:
        return None, None
    month = cells.parse_month(cell, has_serials=has_serials)
    if isinstance(month, Problem):
        return None, None
    return (month, None) if field == SINCE else (None, month)
