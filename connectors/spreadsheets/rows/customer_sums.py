"""Find rows with a customer's document that sum up its other rows: by a total label or by their amount."""

from array import array
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.headers.layouts import Header
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.rows import titles
from connectors.spreadsheets.rows.row_facts import rows_below
from domain.money import format_brl
from domain.problems import Problem

_LABELLED: Final = ("name", "description")
_FEWEST: Final = 2
"""The fewest rows of a sum without a label: a row equal to one other row is a repeated row."""
_NEAR: Final = 1e-6


class CustomerSums:
    """The runs of consecutive lines with one document. `take` must get every line, in order."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self._document, self._name = (header.columns.get(name, -1) for name in ("document", "name"))
        self._labelled = tuple(header.columns[name] for name in _LABELLED if name in header.columns)
        self._last: tuple[Cell, ...] = ()
        self._customer: Cell = None
        # may have a million entries
        self._starts = array("q")
        self._taken = 0

    def take(self, row: tuple[Cell, ...], _number: int) -> None:
        """Record a line."""
        customer = row[self._document] if -1 < self._document < len(row) else None
        if customer is None or customer != self._customer:
            self._customer = customer
            self._starts.append(self._taken)
        self._taken += 1
        self._last = row

    def label_of(self, row: tuple[Cell, ...]) -> str | None:
        """Return the total label of a row that sums up the lines of the customer above it; None for any other row.

        The label is a total's words alone, or beside the customer's name: `Total Energia Ltda` may be a customer.
        """
        width = len(row)
        for index in self._labelled:
            text = row[index] if index < width else None
            if type(text) is str and ("otal" in text or "OTAL" in text) and self._is_same(row):
                name = cells.plain(cells.as_text(self._last[self._name] if -1 < self._name < len(self._last) else None))
                # a description "Total" may be a plan's name
                bare = ("",) if index == self._name or cells.plain(text).startswith("sub") else ()
                if titles.is_total_label(text) and titles.name_in_total(text) in (name, *bare):
                    return f"Total {name}"
        return None

    def problems(self, cents: Sequence[int], control: int, aside: Collection[int]) -> dict[int, Problem]:
        """Return why rows are held, by number: their amount sums up their customer's rows, and they say nothing else.

        `cents` are the amounts of all lines, `control` is the column of amounts, `aside` are numbers of other rows.
        """
        sums = dict(self._sums(cents))
        if not sums:
            return {}
        found: dict[int, Problem] = {}
        starts, added, numbers = set(self._starts), dict[int, float](), list[int]()
        above: tuple[Cell, ...] = ()
        for place, row in enumerate(row for row in rows_below(self._header) if row.number not in aside):
            if place in starts:
                added, numbers = {}, []
            numbers.append(row.number)
            if place in sums and not _says_more(row.cells, above, added, control):
                rows = ", ".join(map(str, numbers[-1 - sums[place] : -1][:5]))
                params: dict[str, str | int] = {"rows": rows, "text": format_brl(cents[place])}
                found[row.number] = Problem("held.sum", "service_cents", params=params)
                added = {}
            else:
                _add(added, row.cells)
            above = row.cells
        return found

    def _is_same(self, row: tuple[Cell, ...]) -> bool:
        return self._customer is not None and row[self._document : self._document + 1] == (self._customer,)

    def _sums(self, cents: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield (index, number of rows summed) for each amount that is the sum of those above it in the same run."""
        ends = [*self._starts[1:], self._taken]
        for first, end in zip(self._starts, ends, strict=False):
            if end - first <= _FEWEST:
                continue
            total, since = 0, first
            for place in range(first, end):
                if place - since >= _FEWEST and total and cents[place] == total:
                    yield place, place - since
                    total, since = 0, place + 1
                else:
                    total += cents[place]


def _says_more(row: Sequence[Cell], above: Sequence[Cell], added: dict[int, float], control: int) -> bool:
    """Return whether a row has a cell that is neither that of the row above, a sum (`added`), nor a total label."""
    for index, cell in enumerate(row):
        if index == control or cells.is_blank(cell) or (index < len(above) and cell == above[index]):
            continue
        if isinstance(cell, float) and abs(cell - added.get(index, 0.0)) < _NEAR:
            continue
        if not (isinstance(cell, str) and titles.is_total_label(cell)):
            return True
    return False


def _add(added: dict[int, float], row: Sequence[Cell]) -> None:
    for index, cell in enumerate(row):
        if isinstance(cell, float):
            added[index] = added.get(index, 0.0) + cell
