"""Decide why a row is held until a person releases it: by its cells, its marks and the titles above it."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from connectors.spreadsheets import cells, signs
from connectors.spreadsheets.formats.sheets import Cell, Row
from connectors.spreadsheets.sections import Sections
from domain.problems import Problem

_FEWEST_STRUCK: Final = 0.5


@dataclass(frozen=True, slots=True)
class Holding:
    """The facts of a whole sheet that decide which rows to bill.

    `signs` are the columns about billing, with their fields. `all_paid` are columns in which every row is paid, which
    therefore mean nothing. `merged_amounts` are rows whose amount is in a cell that is merged over several rows. In a
    returned workbook of ours, comments are our own and ignored. `beside` are unused columns, `naming` those of names
    and descriptions: a person may write reasons against billing there as well.
    """

    signs: tuple[tuple[str, int], ...] = ()
    headers: Mapping[int, str] = field(default_factory=dict)
    all_paid: frozenset[int] = frozenset()
    merged_amounts: frozenset[int] = frozenset()
    sections: Sections = field(default_factory=Sections)
    hears_comments: bool = True
    beside: tuple[int, ...] = ()
    naming: tuple[int, ...] = ()

    @property
    def is_needed(self) -> bool:
        """Return whether the sheet gives any reason to hold rows, apart from marks on single rows."""
        return bool(self.signs or self.merged_amounts or self.sections or self.beside or self.naming)

    @property
    def worded(self) -> tuple[tuple[str, int], ...]:
        """Return the columns whose words are reported for a billed row: statuses, then notes."""
        return tuple(each for name in ("status", "notes") for each in self.signs if each[0] == name)

    def narrowed(self, columns: Sequence[Sequence[Cell]]) -> Self:
        """Return the facts for a block of rows with these cells by column, without columns that hold none of them."""
        width = len(columns)
        return dataclasses.replace(
            self,
            signs=tuple(each for each in self.signs if each[1] < width and signs.may_stop(each[0], columns[each[1]])),
            beside=tuple(index for index in self.beside if index < width and signs.may_stop_text(columns[index])),
            naming=tuple(index for index in self.naming if index < width and signs.may_stop_named(columns[index])),
        )

    def reasons(self, row: Row, telling: frozenset[int], *, has_month: bool) -> Iterator[tuple[Problem, int | None]]:
        """Yield each reason to hold this row, with its column.

        `telling` are the columns that name customer and amount. `has_month`: the row has its own month.
        """
        yield from self._of_signs(row)
        yield from self._of_texts(row)
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

    def _of_signs(self, row: Row) -> Iterator[tuple[Problem, int | None]]:
        width = len(row.cells)
        for name, index in self.signs:
            cell = row.cells[index] if index < width else None
            if cell is None or cells.is_blank(cell) or (name == "paid" and index in self.all_paid):
                continue
            if (found := signs.stop_of(name, cell)) is not None:
                header = self.headers.get(index, "")
                yield Problem(found.code, name, params={**found.params, "header": header}), index

    def _of_texts(self, row: Row) -> Iterator[tuple[Problem, int | None]]:
        """Yield reasons in the texts of unused columns, names and descriptions."""
        width = len(row.cells)
        for indexes, judge in ((self.beside, signs.text_stop), (self.naming, signs.named_stop)):
            for index in indexes:
                if index < width and type(cell := row.cells[index]) is str and (said := judge(cell)) is not None:
                    yield Problem("held.notes", params={"text": said, "header": self.headers.get(index, "")}), index


def _is_struck(row: Row, telling: frozenset[int]) -> bool:
    """Return whether a whole row is struck through: its customer or amount, or half of its cells."""
    filled = sum(not cells.is_blank(cell) for cell in row.cells)
    return bool(row.struck & telling) or len(row.struck) >= _FEWEST_STRUCK * max(filled, 1)
