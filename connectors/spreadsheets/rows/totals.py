"""Compare total rows with the rows that they may sum up: all, one customer's, or only the billed ones."""

import dataclasses
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Final

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.headers.layouts import Header
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.rows import titles
from connectors.spreadsheets.rows.row_facts import rows_below
from domain.money import format_brl
from domain.problems import Problem, Where

_DIFFERS: Final = "sheet.total_differs"
_OF_CUSTOMER_DIFFERS: Final = "sheet.total_of_customer_differs"
_FITS_NEITHER: Final = "sheet.total_fits_neither"


@dataclass(frozen=True, slots=True)
class Total:
    """A total row: its declared amount (None when unreadable) and the computed sum of the rows that it covers.

    `since` is the row of the total above, 0 without one. `is_partial`: it sums up only the rows since then.
    `is_first`: it is above all rows and sums them up. `customer` is the name in its label, `own_rows` are the numbers
    of that customer's rows.
    """

    row: int
    declared_cents: int | None
    computed_cents: int
    agrees: bool
    since: int = 0
    is_first: bool = False
    is_partial: bool = False
    customer: str | None = None
    own_rows: frozenset[int] = frozenset()

    def problem(self, name: str, where: Where) -> Problem:
        """Return the problem of a total that does not agree."""
        computed = format_brl(self.computed_cents)
        if self.declared_cents is None:
            return Problem("sheet.total_unreadable", name, where, {"computed": computed})
        params: dict[str, str | int] = {"declared": format_brl(self.declared_cents), "computed": computed}
        if self.customer is None:
            return Problem(_DIFFERS, name, where, params)
        return Problem(_OF_CUSTOMER_DIFFERS, name, where, {**params, "customer": self.customer})


@dataclass(frozen=True, slots=True)
class Owned:
    """The rows of the customer whom a total's label names: indexes among the lines, and row numbers."""

    customer: str
    places: Sequence[int]
    numbers: frozenset[int]


def customer_rows(header: Header, labels: Mapping[int, str], aside: Collection[int]) -> dict[int, Owned]:
    """Return the rows of each total that names a customer. `aside` are numbers of rows that are not billable lines."""
    named = {row: name for row, label in labels.items() if (name := titles.name_in_total(label))}
    index = header.columns.get("name")
    if not named or index is None:
        return {}
    found: dict[str, list[tuple[int, int]]] = {name: [] for name in named.values()}
    shown: dict[str, str] = {}
    lines = (row for row in rows_below(header) if row.number not in aside)
    for place, row in enumerate(lines):
        text = cells.as_text(row.cells[index]) if index < len(row.cells) else ""
        if (name := cells.plain(text)) in found:
            found[name].append((place, row.number))
            shown.setdefault(name, text)
    return {
        row: Owned(shown[name], [place for place, _ in found[name]], frozenset(number for _, number in found[name]))
        for row, name in named.items()
        if found[name]
    }


def compared(
    total_cells: Sequence[tuple[int, Cell, int]],
    cents: Sequence[int],
    cents_of: Callable[[Cell], int | None],
    owned: Mapping[int, Owned] | None = None,
) -> Iterator[Total]:
    """Yield totals, compared with all rows above them and with those since the last total.

    `total_cells` are row number, cell and the number of rows above; `cents` are the amounts of all rows. A total above
    all rows sums up those below it. Compare a customer's total (`owned`) with that customer's rows instead of all.
    """
    since, last = 0, 0
    for row, cell, upto in total_cells:
        declared = cents_of(cell)
        own = (owned or {}).get(row)
        of_all = sum(cents[:upto] if upto else cents) if own is None else sum(cents[place] for place in own.places)
        is_partial = declared == sum(cents[since:upto]) and declared != of_all
        agrees = cells.is_blank(cell) or declared == of_all or is_partial
        total = Total(row, declared, of_all, agrees, last, not upto, is_partial)
        yield total if own is None else dataclasses.replace(total, customer=own.customer, own_rows=own.numbers)
        since, last = upto, row


@dataclass(slots=True)
class BilledTotals:
    """Compare the totals with the rows that the reading took, once all rows were parsed.

    Later stations leave out more rows, so the words say nothing about what will be billed.
    `control` and `letter` are field and column letter of the totals.
    """

    totals: Sequence[Total]
    sheet: str
    control: str
    letter: str | None
    _lines: list[tuple[int, int | None]] = field(default_factory=list)

    def clear(self) -> None:
        """Forget all rows, because they are read again."""
        self._lines.clear()

    def take(self, row: int, cents: int | None) -> None:
        """Add a row with its billed amount in cents, or None if the reading left it out."""
        if self.totals:
            self._lines.append((row, cents))

    def judged(self, warnings: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the warnings; replace or add a more exact one for each total that includes rows left out."""
        sums = _Sums(self._lines)
        problems = (self._judge(total, sums) for total in self.totals)
        found = {problem.where.row: problem for problem in problems if problem is not None}
        kept = [
            dict(each)
            for each in warnings
            if each["code"] not in (_DIFFERS, _OF_CUSTOMER_DIFFERS) or Problem.from_json(each).where.row not in found
        ]
        return [*(each.to_json() for each in found.values()), *kept]

    def _judge(self, total: Total, sums: "_Sums") -> Problem | None:
        """Return the warning about a total that includes rows left out; None for any other total."""
        since = (0, 0) if total.is_first else sums.between(total.since, total.row)
        if total.own_rows:
            billed, left = sums.owned(total.own_rows)
        elif total.is_partial:
            billed, left = since
        else:
            billed, left = sums.above(None if total.is_first else total.row)
        if total.declared_cents is None or not left:
            return None
        params: dict[str, str | int] = {
            "declared": format_brl(total.declared_cents),
            "computed": format_brl(total.computed_cents),
            "billed": format_brl(billed),
            "left": left,
        }
        if total.declared_cents in (billed, since[0]):
            code = "sheet.total_of_billed"
        else:
            code = "sheet.total_of_all" if total.agrees else _FITS_NEITHER
        return Problem(code, self.control, Where(sheet=self.sheet, row=total.row, column=self.letter), params)


class _Sums:
    """Sums over lines. Each method returns the cents of the billed lines, and the number of the other lines."""

    def __init__(self, lines: Sequence[tuple[int, int | None]]) -> None:
        self._rows = [row for row, _ in lines]
        self._cents = dict(lines)
        self._billed = list(accumulate((cents or 0 for _, cents in lines), initial=0))
        self._left = list(accumulate((cents is None for _, cents in lines), initial=0))

    def above(self, row: int | None) -> tuple[int, int]:
        """Sum up the lines above a row; all lines if `row` is None."""
        place = len(self._rows) if row is None else bisect_left(self._rows, row)
        return self._billed[place], self._left[place]

    def between(self, since: int, row: int) -> tuple[int, int]:
        """Sum up the lines from row `since` up to the line above `row`."""
        (billed, left), (billed_before, left_before) = self.above(row), self.above(since)
        return billed - billed_before, left - left_before

    def owned(self, rows: Collection[int]) -> tuple[int, int]:
        """Sum up the lines with these row numbers."""
        found = [self._cents.get(row) for row in rows]
        return sum(cents or 0 for cents in found), found.count(None)
