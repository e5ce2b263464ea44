"""Find lines of goods that an order has twice with equal cells, as after a second export."""

from collections.abc import Collection, Sequence

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.headers.layouts import Header
from connectors.spreadsheets.parsers import cells
from domain.problems import Problem


class IdenticalLines:
    """The lines of a list of goods. `take` must get every line, in order."""

    def __init__(self, header: Header) -> None:
        self._order = header.columns.get("order_key", -1)
        self._first: dict[int, int] = {}
        self._again: dict[int, int] = {}

    def take(self, row: tuple[Cell, ...], number: int) -> None:
        """Record a line with its row number. Ignore a line without an order, which may belong to any."""
        if -1 < self._order < len(row) and not cells.is_blank(row[self._order]):
            # the hash of a line takes a hundredth of its memory
            first = self._first.setdefault(hash(row), number)
            if first != number:
                self._again[number] = first

    def label_of(self, _row: tuple[Cell, ...]) -> None:
        """Return None: in a list of goods, `Survey` finds total rows by their labels alone."""

    def problems(self, _cents: Sequence[int], _control: int, aside: Collection[int]) -> dict[int, Problem]:
        """Return why lines that repeat another line are held, by row number. `aside` are rows that are no lines."""
        again = {number: first for number, first in self._again.items() if number not in aside}
        return {number: Problem("held.line_twice", params={"row": first}) for number, first in again.items()}
