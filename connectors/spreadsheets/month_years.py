"""Join the month and the year of a sheet that has them in two columns: `Mês` and `Ano`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from connectors.spreadsheets.formats.header_texts import stem
from connectors.spreadsheets.formats.sheets import Cell, ChangedSheet, Row
from connectors.spreadsheets.headers.layouts import Header
from connectors.spreadsheets.parsers import cells
from domain.competence import FIRST_YEAR, LAST_MONTH, LAST_YEAR, MONTH_NUMBERS

_COMPETENCE: Final = "competence"
_YEARS: Final = frozenset({"ano", "ano referencia", "ano competencia", "exercicio", "year"})
"""Stems of headers of a year."""


def with_years(header: Header) -> Header:
    """Return the header with a sheet that joins month and year, if the years have a separate column."""
    month = header.columns.get(_COMPETENCE)
    years = [index for index, text in header.unused.items() if stem(text) in _YEARS]
    if month is None or len(years) != 1:
        return header
    unused = {index: text for index, text in header.unused.items() if index != years[0]}
    return replace(header, sheet=DatedSheet(header.sheet, month, years[0]), unused=unused)


@dataclass(frozen=True, slots=True)
class DatedSheet(ChangedSheet):
    """A sheet whose column `place` has a month, and its column `year` the month's year."""

    place: int
    year: int

    def rows(self) -> Iterator[Row]:
        for row in self.sheet.rows():
            found = list(row.cells)
            joined = _joined(*(found[index] if index < len(found) else None for index in (self.place, self.year)))
            if joined is None:
                yield row
            else:
                found[self.place] = joined
                yield row._replace(cells=tuple(found))


def _joined(month: Cell, year: Cell) -> str | None:
    """Return `11/2026`; None unless one cell is a month without a year and the other a year."""
    word, digits = cells.plain(cells.as_text(month)), cells.as_text(year)
    number = int(word) if word.isdecimal() and len(word) <= 2 else MONTH_NUMBERS.get(word, 0)
    is_year = digits.isdecimal() and len(digits) == 4 and FIRST_YEAR <= int(digits) <= LAST_YEAR
    return f"{number:02d}/{digits}" if is_year and 1 <= number <= LAST_MONTH else None
