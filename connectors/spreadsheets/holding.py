"""Decide why a row is held until a person releases it: by its cells, its marks and the titles above it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from connectors.spreadsheets import cells, side_amounts, signs, validity
from connectors.spreadsheets.formats.sheets import Cell, Row
from connectors.spreadsheets.sections import Sections
from domain.problems import Problem

Reason: TypeAlias = tuple[Problem, int | None]
"""Why a row is held, and the index of the column that says so."""
_FEWEST_STRUCK: Final = 0.5


@dataclass(frozen=True, slots=True)
class Holding:
    """The facts of a whole sheet that decide which rows to bill.

    `signs` are the columns about billing, with their fields. `all_paid` are columns in which every row is paid, which
    therefore mean nothing. `merged_amounts` are rows whose amount is in a cell that is merged over several rows. In a
    returned workbook of ours, comments are our own and ignored. `beside` are unused columns, `naming` those of names
    and descriptions: a person may write reasons against billing there as well. `side` are unused columns whose
    figures speak against the amount in column `amount`.
    """

    signs: tuple[tuple[str, int], ...] = ()
    headers: Mapping[int, str] = field(default_factory=dict)
    all_paid: frozenset[int] = frozenset()
    merged_amounts: frozenset[int] = frozenset()
    sections: Sections = field(default_factory=Sections)
    hears_comments: bool = True
    beside: tuple[int, ...] = ()
    naming: tuple[int, ...] = ()
    side: tuple[tuple[int, side_amounts.Effect], ...] = ()
    amount: int | None = None

    @property
    def is_of_rows(self) -> bool:
        """Whether the sheet says of whole rows that they are to be held."""
        return bool(self.merged_amounts or self.sections)

    @property
    def worded(self) -> tuple[tuple[str, int], ...]:
        """Return the columns whose words are reported for a billed row: statuses and kinds, then notes."""
        return tuple(each for name in ("status", "kind", "notes") for each in self.signs if each[0] == name)

    @property
    def dated(self) -> tuple[tuple[str, int], ...]:
        """Return the columns that say since when or until when a row is billed."""
        return tuple(each for each in self.signs if each[0] in validity.DATED)

    def said_by_cells(self, columns: Sequence[Sequence[Cell]]) -> dict[int, list[Reason]]:
        """Return why rows of a block are held for what their cells say, by their place in the block.

        `columns` are the cells of the block. Each text of a column is judged once, however many rows have it.
        """
        found: defaultdict[int, list[Reason]] = defaultdict(list)
        for name, index in self.signs:
            is_silent = name in validity.DATED or (name == "paid" and index in self.all_paid)
            if index < len(columns) and not is_silent:
                header = self.headers.get(index, "")
                for place, said in signs.stops_of(name, columns[index]):
                    found[place].append((Problem(said.code, name, params={**said.params, "header": header}), index))
        for indexes, stops in ((self.beside, signs.text_stops), (self.naming, signs.named_stops)):
            for index in indexes:
                for place, text in stops(columns[index]) if index < len(columns) else ():
                    params = {"text": text, "header": self.headers.get(index, "")}
                    found[place].append((Problem("held.notes", params=params), index))
        amounts = columns[self.amount] if self.amount is not None and self.amount < len(columns) else ()
        for index, effect in self.side:
            column = columns[index] if index < len(columns) else ()
            for place, text in side_amounts.side_amounts(column, effect, amounts):
                params = {"text": text, "header": self.headers.get(index, "")}
                found[place].append((Problem("held.side_amount", params=params), index))
        return found

    def said_of_row(self, row: Row, telling: frozenset[int], *, has_month: bool) -> Iterator[Reason]:
        """Yield why this row is held for its marks or for where it stands.

        `telling` are the columns that name customer and amount. `has_month`: the row has its own month.
        """
        section = self.sections.reason(row.number)
        if section is not None and not (has_month and section.code == "held.month"):
            yield section, None
        if row.number in self.merged_amounts:
            yield Problem("held.merged_amount", "service_cents"), None
        for index, text in row.comments if self.hears_comments else ():
            if (said := signs.text_stop(text)) is not None:
                yield Problem("held.comment", params={"text": said}), index
        if row.struck and _is_struck(row, telling):
            yield Problem("held.struck"), min(row.struck)


def _is_struck(row: Row, telling: frozenset[int]) -> bool:
    """Return whether a whole row is struck through: its customer or amount, or half of its cells."""
    filled = sum(not cells.is_blank(cell) for cell in row.cells)
    return bool(row.struck & telling) or len(row.struck) >= _FEWEST_STRUCK * max(filled, 1)
