"""Columns that say since when or until when a row may be billed: the start or end of a contract, a grace period."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Final

from connectors.spreadsheets import cells
from connectors.spreadsheets.formats.sheets import Row
from domain.competence import format_competence
from domain.problems import Problem

SINCE: Final = "since"
UNTIL: Final = "until"
DATED: Final = frozenset({SINCE, UNTIL})
"""Fields of columns whose cell is compared with the row's month."""


def outside(
    columns: Sequence[tuple[str, int]], headers: Mapping[int, str], row: Row, competence: date, *, has_serials: bool
) -> Iterator[tuple[Problem, int]]:
    """Yield a problem for each of these columns whose month does not allow the row's month, with its index.

    Whole months are compared: a contract that ends within the month is billed for it. A text that is no date says
    nothing.
    """
    for field, index in columns:
        cell = row.cells[index] if index < len(row.cells) else None
        if cell is None or cells.is_blank(cell):
            continue
        month = cells.parse_month(cell, has_serials=has_serials)
        if isinstance(month, Problem):
            continue
        if (month > competence) if field == SINCE else (month < competence):
            asked = format_competence(competence)
            params = {"header": headers.get(index, ""), "text": cells.as_text(cell)[:30], "competence": asked}
            yield Problem("held.validity", field, params=params), index
