"""Compare the month that a description or a note names with the month in which its row is billed."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Final

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.headers.layouts import Header
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.rows import titles
from connectors.spreadsheets.rows.row_facts import first_rows
from domain.competence import MONTH_NUMBERS

_NOTES: Final = "notes"
_APART: Final = re.compile(
    r"\b(?:contrat|propost|pedido|ordem|os\b|processo|protocol|aditiv|assinad|desde|inici|reajust|indice|igp|ipca|base\b|"
    r"exercicio|balanc|declarac|trimestr|semestr|bimestr|anua(?:l|is)\b|anuidade|ano\b|lei\b|edital|empenho|projeto|turma|"
    r"obra|nfs?-?e?\b(?! de)|nota\b(?! de)|rps\b|parcela|retroativ|atrasad|complement|diferenca|ate\b)"
)
"""Words of a text whose month may be that of something else than the service."""
_DAYS: Final = re.compile(
    r"(?<![\d/])\d{1,2}/(\d{1,2})(?:/(\d{4}|\d{2}))? ?(?:a|ate|-|–|e) ?\d{1,2}/(\d{1,2})/(\d{4}|\d{2})(?![\d/])"
)
_MONTHS: Final = re.compile(r"(?<![\d/])(\d{1,2})/(20\d\d) ?(?:a|-|–) ?(\d{1,2})/(20\d\d)(?![\d/])")
_WORD: Final = re.compile(r"[a-z]{3,9}")
_REFERS: Final = re.compile(
    r"^[^a-z0-9]{0,3}(?:ref|competencia|comp\b|mes\b|nota de|nf de|fatura(?:mento)? de|"
    r"(?:.{0,40} )?(?:emitir|fac?turar|cobrar|bill|invoice) (?:so |only |solo )?(?:em|en|in|for) )"
)
_CENTURY: Final = 2000
_FAR: Final = 9
"""A row's month that is more than this many months from the usual one is a likely mistake."""
_FAR_FOR_GOODS: Final = 2
"""The same limit for goods, which are invoiced when they are sold."""


@dataclass(frozen=True, slots=True)
class TextMonths:
    """The columns whose texts may name a month, the column of the rows' months, and the requested month.

    Each of `columns` is an index and whether the column has notes. A row whose month is more than `far_beyond` months
    from `usual` is a likely mistake.
    """

    columns: tuple[tuple[int, bool], ...] = ()
    competence: int | None = None
    asked: date | None = None
    usual: date | None = None
    far_beyond: int = _FAR

    def far(self, columns: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, str, date, int]]:
        """Yield (row in the block, text, usual month, column) for each row whose month is far from the usual one."""
        index, usual = self.competence, self.usual
        if index is None or usual is None or index >= len(columns):
            return
        far = {cell for cell in set(columns[index]) if not cells.is_blank(cell) and self._is_far(cell, usual)}
        for place, cell in enumerate(columns[index]) if far else ():
            if cell in far:
                yield place, cells.as_text(cell)[:30], usual, index

    def _is_far(self, cell: Cell, usual: date) -> bool:
        month = self.month_of(cell)
        return month is not None and abs((month.year - usual.year) * 12 + month.month - usual.month) > self.far_beyond

    def others(self, columns: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, str, date, int]]:
        """Yield (row in the block, text, month of the row, column) for each text that names only other months."""
        own = columns[self.competence] if self.competence is not None and self.competence < len(columns) else ()
        for index, is_note in self.columns:
            for place, cell in enumerate(columns[index] if index < len(columns) else ()):
                if type(cell) is str:
                    month = self.month_of(own[place] if place < len(own) else None)
                    if month is None or _names(cell, month, is_note=is_note) is not False:
                        continue
                    if not self._is_explained(columns, place, cell):
                        yield place, " ".join(cell.split())[:60], month, index

    def _is_explained(self, columns: Sequence[Sequence[Cell]], place: int, text: str) -> bool:
        """Return whether another cell of the row is the month that the text names: the month of a late charge."""
        others = (column for index, column in enumerate(columns) if index != self.competence)
        row = (column[place] for column in others if place < len(column))
        months = (_month(cell, self.asked) for cell in row if isinstance(cell, (str, date)) and cell != text)
        return any(month is not None and _names(text, month, is_note=False) for month in months)

    def verdict(self, row: Sequence[Cell], index: int, *, is_note: bool) -> bool | None:
        """Return the result of `_names` for the text of one row and its month; None without a text or a month."""
        text, place = row[index] if index < len(row) else None, self.competence
        month = self.month_of(row[place] if place is not None and place < len(row) else None)
        return _names(text, month, is_note=is_note) if isinstance(text, str) and month is not None else None

    def of_rows(self, columns: Sequence[Sequence[Cell]]) -> list[date | None]:
        """Return the month of each row of a block; None for a row without a readable one."""
        own = columns[self.competence] if self.competence is not None and self.competence < len(columns) else ()
        count = max(map(len, columns), default=0)
        return [self.month_of(own[place] if place < len(own) else None) for place in range(count)]

    def month_of(self, cell: Cell) -> date | None:
        """Return the month of a row by its cell of the column of months; the requested month for a blank cell."""
        return self.asked if cells.is_blank(cell) else _month(cell, self.asked)


def text_months(header: Header, asked: date | None, *, of_goods: bool) -> TextMonths:
    """Return the columns of descriptions and notes to compare, as the first rows show.

    Descriptions count only if at least as many rows name their own month as another one: all rows of a month may be
    about the work of the month before. A note must begin with a word such as `ref.`, and be an exception.
    """
    indexes = [(header.columns["description"], False)] if "description" in header.columns else []
    indexes += [(index, True) for sign, index in header.signs if sign == _NOTES]
    place = header.columns.get("competence")
    found = TextMonths(competence=place, asked=asked)
    if place is None and (of_goods or not indexes):
        return found
    sample = first_rows(header)
    written = [row[place] for row in sample if place < len(row)] if place is not None else []
    months = [month for cell in written if not cells.is_blank(cell) and (month := found.month_of(cell)) is not None]
    usual = asked or (sorted(months)[len(months) // 2] if months else None)
    compared = () if of_goods else tuple(each for each in indexes if _are_compared(found, sample, *each))
    return replace(found, columns=compared, usual=usual, far_beyond=_FAR_FOR_GOODS if of_goods else _FAR)


def _are_compared(found: TextMonths, sample: Sequence[Sequence[Cell]], index: int, is_note: bool) -> bool:  # noqa: FBT001
    verdicts = [found.verdict(row, index, is_note=is_note) for row in sample]
    others = verdicts.count(False)
    if is_note:
        return 0 < others <= len(verdicts) - others
    return verdicts.count(True) >= max(1, others)


@lru_cache(maxsize=4096, typed=True)
def _month(cell: Cell, near: date | None) -> date | None:
    found = cells.parse_month(cell, has_serials=True, near=near)
    return found if isinstance(found, date) else None


@lru_cache(maxsize=4096)
def _names(text: str, month: date, *, is_note: bool) -> bool | None:
    """Return whether a text names this month (True) or only others (False); None if it names no month for sure."""
    bare = cells.plain(text[: titles.LONGEST])
    if _APART.search(bare) or (is_note and not _REFERS.match(bare)):
        return None
    spans = list(_spans(bare))
    if spans:
        return any(first <= month <= last for first, last in spans)
    named = titles.months_of(bare)
    if not named:
        return None
    # "out e nov/2026" names the year once
    is_named = any(MONTH_NUMBERS.get(word) == month.month for word in _WORD.findall(bare))
    return is_named or not titles.names_other_month(bare, month)


def _spans(bare: str) -> Iterator[tuple[date, date]]:
    """Yield the first and the last month of each period in a text: `01/09 a 30/09/2026`, `01/2026 a 12/2026`."""
    for first, first_year, last, last_year in _DAYS.findall(bare):
        yield from _span((first, first_year or last_year), (last, last_year))
    for first, first_year, last, last_year in _MONTHS.findall(bare):
        yield from _span((first, first_year), (last, last_year))


def _span(*ends: tuple[str, str]) -> Iterable[tuple[date, date]]:
    try:
        first, last = (date(int(year) % 100 + _CENTURY, int(month), 1) for month, year in ends)
    except ValueError:
        return ()
    return ((first, last),) if first <= last else ()
