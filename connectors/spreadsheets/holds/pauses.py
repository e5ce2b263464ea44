"""Find columns with the start and the end of a customer's pause: `Trancado de`, `Suspenso até`, `Férias`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.holds.stated_months import stated_months
from connectors.spreadsheets.parsers import cells
from domain.competence import MONTH_NUMBERS

_PAUSE: Final = re.compile(
    r"\b(?:tranc(?:ad[oa]|amento)|congel(?:ad[oa]|amento)|suspens(?:o|a|ao)|pausa(?:d[oa])?|ferias|afasta(?:d[oa]|mento)|"
    r"interrupcao|interrompid[oa]|recesso|bloque(?:ad[oa]|io)|inativ(?:[oa]|acao|idade)|paralisa(?:d[oa]|cao)|"
    r"isen(?:t[oa]|cao)|carencia|cortesia|gratu(?:it[oa]|idade)|freeze|frozen|paused?|suspended|suspension|hold)\b"
)
_FIRST: Final = re.compile(r"\b(?:de|desde|em|inicio|a partir|data|from|start|since|on|at)\b")
_LAST: Final = re.compile(r"\b(?:ate|fim|final|termino|to|until|end)\b")
_BACK: Final = re.compile(
    r"^(?:data (?:d[aeo] )?|previsao (?:d[aeo] )?)?(?:retorn(?:o|a|ou)|volta|voltou|reativa(?:cao|d[oa])|retomada|"
    r"des(?:trancamento|bloqueio|congelamento)|resumes?|returns?|back)\b"
)
_OTHERWISE: Final = re.compile(r"\b(?:motivos?|reason|dias|s n|sim nao|valor|multa|por)\b")
"""Words of a header that is not about the days of a pause."""
_WORD: Final = re.compile(r"[a-z]+")
_BETWEEN: Final = frozenset({
    "a", "ate", "da", "das", "de", "desde", "dia", "do", "e", "em", "o", "periodo", "from", "to", "until", "retorna",
    "retornou", "retorno", "reativado", "volta", "voltou",
})  # fmt: skip
"""Words between the days of a pause. Any other word may be another reason not to bill the row."""
_STEM: Final = 4
_LEAST_MONTH: Final = 200_000
"""A smaller number is no month such as 202611."""


@dataclass(frozen=True, slots=True)
class Pause:
    """The columns with the first and the last day of a pause; either may be None.

    Without `last`, a cell of `first` may have a range of days; with `is_range`, only such a cell states a pause.
    `is_back`: the column `last` has the day on which the customer returns.
    """

    first: int | None
    last: int | None
    is_back: bool = False
    is_range: bool = False

    def stops(self, columns: Sequence[Sequence[Cell]], months: Sequence[date | None]) -> Iterator[tuple[int, int]]:
        """Yield (index in the block, index of the column) for each row whose pause includes a day of its month."""
        firsts, lasts = _at(columns, self.first), _at(columns, self.last)
        for place, month in enumerate(months):
            if month is None:
                continue
            starts = self._stated(firsts[place] if place < len(firsts) else None, month)
            ends = _stated_in(lasts[place] if place < len(lasts) else None, month)
            first = starts[0] if starts else None
            last = max(ends) if ends else starts[-1] if self.last is None and len(starts) > 1 else None
            is_over = last is not None and (last < month or (self.is_back and last == month))
            if (first or last) and (first or month) <= month and not is_over:
                index = self.last if ends else self.first
                if index is not None:
                    yield place, index

    def without_days(self, index: int, column: Sequence[Cell], months: Sequence[date | None]) -> Sequence[Cell]:
        """Return a column without the cells whose days `stops` compares; all of it if it is no column of this pause."""
        if index not in (self.first, self.last):
            return column
        rows = zip(column, months, strict=False)
        return [None if month and _are_days(cell) and self._stated(cell, month) else cell for cell, month in rows]

    def _stated(self, cell: Cell, month: date) -> tuple[date, ...]:
        found = _stated_in(cell, month)
        return () if self.is_range and (len(found) < 2 or not _are_days(cell)) else found


def pauses(unused: Mapping[int, str], judged: Mapping[int, str] | None = None) -> tuple[Pause, ...]:
    """Return the pauses that headers name. `unused` are the headers of unused columns.

    `judged` are those of columns in which any day holds its row (`Suspenso de`): they count with both ends of the
    pause, or where a cell has a range of days.
    """
    named = _named(unused)
    others = {index: text for index, text in _named(judged or {}).items() if not _OTHERWISE.search(text)}
    ends = named | {index: text for index, text in others.items() if _FIRST.search(text) or _LAST.search(text)}
    pairs = (_paired(each, unused) for each in _by_word(ends))
    found = next((each for each in pairs if each and None not in (each.first, each.last)), None)
    found = found or _paired(named, unused)
    apart = set() if found is None else {found.first, found.last}
    lone = [index for index in (*named, *others) if index not in apart]
    return (*([] if found is None else [found]), *(Pause(index, None, is_range=True) for index in lone))


def _by_word(named: Mapping[int, str]) -> Iterator[dict[int, str]]:
    """Yield the columns of each word for a pause: `Suspensão de` and `Suspenso até`."""
    words = {index: found[0][:_STEM] for index, text in named.items() if (found := _PAUSE.search(text))}
    for word in dict.fromkeys(words.values()):
        yield {index: text for index, text in named.items() if words.get(index) == word}


def _paired(named: Mapping[int, str], unused: Mapping[int, str]) -> Pause | None:
    """Return the pause whose first day, last day or both these columns have; None if several columns have one."""
    lasts = [index for index, text in named.items() if _LAST.search(text)]
    firsts = [index for index, text in named.items() if index not in lasts]
    if len(lasts) > 1 or len(firsts) > 1 or not (lasts or any(_FIRST.search(named[index]) for index in firsts)):
        return None
    back = [index for index, text in unused.items() if firsts and not lasts and _BACK.search(cells.plain(text))]
    last = next(iter(lasts or back), None)
    return Pause(firsts[0] if firsts else None, last, is_back=last in back)


def _named(headers: Mapping[int, str]) -> dict[int, str]:
    """Return the normalized texts of the headers that name a pause."""
    return {index: bare for index, text in headers.items() if _PAUSE.search(bare := cells.plain(text))}


def _stated_in(cell: Cell, month: date) -> tuple[date, ...]:
    if cell is None or cells.is_blank(cell) or (isinstance(cell, float) and cell < _LEAST_MONTH):
        return ()
    return stated_months(cell, month, has_serials=False)


def _are_days(cell: Cell) -> bool:
    """Return whether a cell says nothing beside days and months."""
    words = _WORD.findall(cells.plain(cell)) if isinstance(cell, str) else ()
    return all(word in MONTH_NUMBERS or word in _BETWEEN for word in words)


def _at(columns: Sequence[Sequence[Cell]], index: int | None) -> Sequence[Cell]:
    return columns[index] if index is not None and index < len(columns) else ()
