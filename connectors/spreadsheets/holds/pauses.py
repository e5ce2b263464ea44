"""Find columns with the start and the end of a customer's pause: `Trancado de`, `Trancado até`, `Férias`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Final

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.parsers import cells
from domain.problems import Problem

_PAUSE: Final = re.compile(
    r"\b(?:tranc(?:ad[oa]|amento)|congel(?:ad[oa]|amento)|suspens(?:o|a|ao)|pausa(?:d[oa])?|ferias|afasta(?:d[oa]|mento)|"
    r"interrupcao|freeze|frozen|paused?|hold)\b"
)
_FIRST: Final = re.compile(r"\b(?:de|desde|em|inicio|a partir|data|from|start|since)\b")
_LAST: Final = re.compile(r"\b(?:ate|fim|final|termino|to|until|end)\b")
_BACK: Final = re.compile(r"^(?:data (?:d[aeo] )?)?(?:retorno|volta|reativacao|destrancamento)\b")
_LONGEST: Final = 60
_RANGE: Final = re.compile(r"(?:de )?(\d[\d./-]{3,12}) ?(?:a|à|ate|até|-|–|to) ?(\d[\d./-]{3,12})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pause:
    """The columns with the first and the last day of a pause; either may be None.

    Without `last`, a cell of `first` may have a range of days. `is_back`: the column `last` has the day on which the
    customer returns.
    """

    first: int | None
    last: int | None
    is_back: bool = False

    def stops(self, columns: Sequence[Sequence[Cell]], competence: date) -> Iterator[tuple[int, int]]:
        """Yield (index in the block, index of the column) for each row whose pause includes a day of this month."""
        firsts, lasts = _at(columns, self.first), _at(columns, self.last)
        for place in range(max(len(firsts), len(lasts))):
            first, within = _months(firsts[place]) if firsts else (None, None)
            last = _months(lasts[place])[0] if lasts else None
            if self.last is None:
                last = within
            is_over = last is not None and (last < competence or (self.is_back and last == competence))
            if (first or last) and (first or competence) <= competence and not is_over:
                index = self.last if last and self.last is not None else self.first
                if index is not None:
                    yield place, index


def pauses(unused: Mapping[int, str]) -> tuple[Pause, ...]:
    """Return the pauses that the headers of unused columns name."""
    named = {index: bare for index, text in unused.items() if _PAUSE.search(bare := cells.plain(text))}
    lasts = [index for index, text in named.items() if _LAST.search(text)]
    firsts = [index for index, text in named.items() if index not in lasts]
    if len(lasts) > 1 or len(firsts) > 1 or not (lasts or any(_FIRST.search(named[index]) for index in firsts)):
        return ()
    back = [index for index, text in unused.items() if firsts and not lasts and _BACK.search(cells.plain(text))]
    last = next(iter(lasts or back), None)
    return (Pause(firsts[0] if firsts else None, last, is_back=last in back),)


@lru_cache(maxsize=4096, typed=True)
def _months(cell: Cell) -> tuple[date | None, date | None]:
    """Return the month of a cell's day and, of a range such as `01/11/2026 a 31/12/2026`, that of its last day."""
    ends = _RANGE.fullmatch(cell.strip()[:_LONGEST]) if isinstance(cell, str) else None
    parts = ends.groups() if ends is not None else (cell,)
    found = [cells.parse_month(each, has_serials=False) for each in parts]
    months = [None if isinstance(each, Problem) else each for each in found]
    return months[0], months[-1] if ends is not None else None


def _at(columns: Sequence[Sequence[Cell]], index: int | None) -> Sequence[Cell]:
    return columns[index] if index is not None and index < len(columns) else ()
