"""Learn how an amount is put together from products and other amounts: hours × price + extra hours × their price."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from connectors.spreadsheets.formats.sheets import Cell, Percent
from connectors.spreadsheets.headers.final_amounts import numbers_in_cell
from connectors.spreadsheets.parsers import cells

Figures: TypeAlias = Sequence[float | None]
"""The numbers of a row in a rule's columns, the result first; None for a cell without a number."""
_CENT: Final = 0.011
_MOST_COLUMNS: Final = 7
_MOST_ROWS: Final = 12
_SHARE: Final = 1 / 2
"""The share of the rows to which a rule applies that must follow it."""
_MINUS: Final = re.compile(r"\b(?:descontos?|desc|abatimentos?|glosas?|glosad[oa]s?|adiantamentos?|sinal|creditos?)\b")
_NO_TERM: Final = re.compile(
    r"\b(?:dia|vencimento|vencto|venc|parcelas?|prestac(?:ao|oes)|limite|codigo|cod|numero|nro|no?|id|matricula|ano|mes|idade)\b"
)
"""Words of columns that identify a row or its due date: a product with such a number matches by coincidence."""
_PERCENT: Final = re.compile(r"%|\bpercentual\b")


@dataclass(frozen=True, slots=True)
class Terms:
    """A result as a sum: of columns (`singles`), subtracted columns (`less`) and products of two columns (`pairs`).

    A term names a column by its position in `columns`, from 1; position 0 of a row of figures is the result.
    """

    columns: tuple[int, ...] = ()
    singles: tuple[int, ...] = ()
    less: tuple[int, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()

    def holds(self, row: Figures) -> bool | None:
        """Return whether a row follows the rule, None for one without a result or without any term."""
        result = row[0]
        if result is None:
            return None
        total, is_silent = 0.0, True
        for place in self.singles:
            if figure := row[place]:
                total, is_silent = total + figure, False
        for place in self.less:
            if figure := row[place]:
                total, is_silent = total - abs(figure), False
        for one, two in self.pairs:
            if (count := row[one]) and (price := row[two]):
                total, is_silent = total + count * price, False
        return None if is_silent else abs(total - result) < _CENT

    def is_evidence(self, row: Figures) -> bool:
        """Return whether a row is evidence for the rule that it follows: a result that copies one column is none."""
        has_product = any((row[one] or 1) != 1 and (row[two] or 1) != 1 for one, two in self.pairs)
        return has_product or (any(row[place] for place in self.less) and any(row[place] for place in self.singles))

    def with_single(self, column: int, *, is_less: bool) -> "Terms":
        """Return these terms with a single or subtracted (`is_less`) column before all others."""
        found = self._behind(column)
        return replace(found, less=(1, *found.less)) if is_less else replace(found, singles=(1, *found.singles))

    def with_product(self, one: int, two: int) -> "Terms":
        """Return these terms with the product of two columns before all others."""
        found = self._behind(one, two)
        return replace(found, pairs=((1, 2), *found.pairs))

    def _behind(self, *columns: int) -> "Terms":
        more = len(columns)
        return Terms(
            (*columns, *self.columns),
            tuple(place + more for place in self.singles),
            tuple(place + more for place in self.less),
            tuple((one + more, two + more) for one, two in self.pairs),
        )


def learned_terms(
    plain: Mapping[int, str], free: Sequence[int], result: int, sample: Sequence[Sequence[Cell]]
) -> Terms | None:
    """Return the terms whose sum is the column `result` in most rows of the sample; None if there are none.

    The terms with numbers in the most columns win. At least one must be a product or a subtracted column. `plain` are
    normalized headers by column, `free` the columns that may be terms.
    """
    columns = [
        index for index in free if index < result and index in plain and _is_numeric(plain[index], sample, index)
    ][-_MOST_COLUMNS:]
    rows = [row for row in _figures_of(sample, (result, *columns)) if row[0]]
    if len(columns) < 2 or len(rows) < 2:
        return None
    less = frozenset(index for index in columns if _MINUS.search(plain[index]))
    best: tuple[int, int, Terms] | None = None
    for terms in _splits(tuple(columns), less):
        if not (terms.pairs or (terms.less and terms.singles)):
            continue
        follows, shown = _following(terms, columns, rows[:_MOST_ROWS])
        rank = (shown, follows)
        if follows and (best is None or rank > best[:2]):
            best = (*rank, terms)
    return best[2] if best is not None and _following(best[2], columns, rows)[0] else None


def _following(terms: Terms, columns: Sequence[int], rows: Sequence[Figures]) -> tuple[int, int]:
    """Return how many rows follow these terms (0 for too few), and how many columns have a number in those rows."""
    places = [0, *(columns.index(index) + 1 for index in terms.columns)]
    follow = evidence = spoken = 0
    shown: set[int] = set()
    for row in rows:
        figures = [row[place] for place in places]
        verdict = terms.holds(figures)
        spoken += verdict is not None
        if verdict:
            follow += 1
            evidence += terms.is_evidence(figures)
            shown.update(place for place, figure in enumerate(figures) if figure)
    return (follow if evidence and follow >= max(2, _SHARE * spoken) else 0), len(shown)


def _splits(columns: tuple[int, ...], less: frozenset[int]) -> Iterator[Terms]:
    """Yield every choice of terms: leave a column out, take it alone, or multiply it by its right neighbour."""
    if not columns:
        yield Terms()
        return
    first, rest = columns[0], columns[1:]
    for each in _splits(rest, less):
        yield each
        yield each.with_single(first, is_less=first in less)
    if rest and not {first, rest[0]} & less:
        for each in _splits(rest[1:], less):
            yield each.with_product(first, rest[0])


def _is_numeric(header: str, sample: Sequence[Sequence[Cell]], index: int) -> bool:
    """Return whether a column may be a term: all its cells are numbers, neither rates nor identifying numbers."""
    if _PERCENT.search(header) or _NO_TERM.search(header):
        return False
    written = [row[index] for row in sample if index < len(row) and not cells.is_blank(row[index])]
    return bool(written) and all(numbers_in_cell((cell,), 0) and not isinstance(cell, Percent) for cell in written)


def _figures_of(sample: Sequence[Sequence[Cell]], columns: Sequence[int]) -> Iterator[list[float | None]]:
    for row in sample:
        yield [next(iter(numbers_in_cell(row, index)), None) for index in columns]
