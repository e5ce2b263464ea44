"""Parse the cells of many rows column by column, because a call for each cell would cost five times as much.

Most columns of a block have cells of one type, and most of their texts are clean or were seen before.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, zip_longest
from math import isfinite
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias

from connectors.spreadsheets.formats.sheet_metadata import column_letter
from connectors.spreadsheets.formats.sheets import Cell, Rounded, Row
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.parsers.city_lookup import REMEMBERED
from domain.problems import Problem

ROWS_A_BLOCK: Final = 128
_NOTHING: Final = type(None)
_NUMBERS: Final = frozenset({float})
_TEXTS_OR_NOTHING: Final = frozenset({str, _NOTHING})


class _NoValue:
    """The value of a cell whose text means "no value": a dash, "não tem"."""


_NO_VALUE: Final = _NoValue()
_GAPS: Final = frozenset({Problem, _NOTHING, _NoValue})
"""The types of parsed results that are left out of a row's values."""
_BETWEEN: Final = "\u00b7"
"""A printable character between the texts of a column."""
_FIRST: Final = itemgetter(0)

Parse: TypeAlias = Callable[[Cell, str], Any]
"""Converts a cell that is not blank into the value of the named field, or into a Problem without a place.

None or an empty tuple: the cell's text says that there is no value.
"""


class ParsedColumn(NamedTuple):
    """A column to parse: its field, its index in the row and its parser.

    `is_text`: a tidy text is already the value. `known` are the values of the distinct cells seen so far, by cell type,
    because equal cells of two types differ (0.05 and 5 %, 1 and True). `known` is None if cells rarely repeat, or if
    parsing is as cheap as remembering. `of_numbers` parses a column of plain numbers at once, or returns None.
    """

    field: str
    place: int
    parse: Parse
    is_text: bool
    known: "dict[type, ValueCache] | None"
    of_numbers: "Callable[[Sequence[float]], Sequence[Any] | None] | None" = None


class ValueCache(dict[Any, Any]):
    """Values of the distinct cells of one type in a column. The first use of a cell parses it."""

    def __init__(self, column: ParsedColumn) -> None:
        super().__init__()
        self._column = column

    def __missing__(self, cell: Cell) -> Any:
        if len(self) >= REMEMBERED:
            self.clear()
        found = self[cell] = _meaning(self._column, cell)
        return found


class Parsed(NamedTuple):
    """The parsed columns of a block of rows.

    Attributes:
        values: The values of each row, by field. A field is missing if its cell is blank or wrong.
        problems: (row in the block, field, problem).
        rounded: (row in the block, field, cell) of cells that show fewer digits than they hold.
        unsaid: (row in the block, field) of cells with a text that means "no value".
    """

    values: list[dict[str, Any]]
    problems: list[tuple[int, str, Problem]]
    rounded: list[tuple[int, str, Cell]]
    unsaid: list[tuple[int, str]]


def in_blocks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield the rows in blocks, so that a sheet's rows are never all in memory."""
    coming = iter(rows)
    while block := list(islice(coming, ROWS_A_BLOCK)):
        yield block


def by_column(rows: Sequence[Row]) -> list[tuple[Cell, ...]]:
    """Return the cells of these rows by column; a short row has None in the later columns."""
    return list(zip_longest(*(row.cells for row in rows)))


def parse_columns(columns: Iterable[ParsedColumn], found: Sequence[tuple[Cell, ...]], *, count: int) -> Parsed:
    """Parse the cells of a block of `count` rows."""
    columns_by_field: dict[str, Sequence[Any]] = {}
    gaps: list[str] = []
    problems: list[tuple[int, str, Problem]] = []
    rounded: list[tuple[int, str, Cell]] = []
    unsaid: list[tuple[int, str]] = []
    for column in columns:
        if column.place < len(found):
            kinds = set(map(type, found[column.place]))
            if Rounded in kinds:
                shown = enumerate(found[column.place])
                rounded += [(row, column.field, cell) for row, cell in shown if type(cell) is Rounded]
            values = _values(column, found[column.place], kinds)
            if values is not found[column.place]:
                kinds = set(map(type, values))
            if Problem in kinds:
                problems += [(row, column.field, value) for row, value in enumerate(values) if type(value) is Problem]
                values = [None if type(value) is Problem else value for value in values]
            if _NoValue in kinds:
                unsaid += [(row, column.field) for row, value in enumerate(values) if value is _NO_VALUE]
                values = [None if value is _NO_VALUE else value for value in values]
            if not kinds.isdisjoint(_GAPS):
                gaps.append(column.field)
            columns_by_field[column.field] = values
    return Parsed(_by_row(columns_by_field, gaps, count), problems, rounded, unsaid)


def rows_as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the cells of each row by column letter, as `cells.as_json` returns them but texts of any length."""
    columns_by_letter: dict[str, Sequence[Any]] = {}
    gaps: list[str] = []
    columns = by_column(rows)
    for letter, column in zip(_letters(len(columns)), columns, strict=True):
        kinds = set(map(type, column))
        columns_by_letter[letter] = values = _as_json(column, kinds)
        if _NOTHING in (kinds if values is column else set(map(type, values))):
            gaps.append(letter)
    return _by_row(columns_by_letter, gaps, len(rows))


@lru_cache(maxsize=64)
def _letters(width: int) -> tuple[str, ...]:
    return tuple(map(column_letter, range(width)))


def _by_row(columns: Mapping[str, Sequence[Any]], gaps: Iterable[str], count: int) -> list[dict[str, Any]]:
    """Return the values of each of `count` rows by the name of their column, without those that are None.

    Only the columns in `gaps` hold None.
    """
    if not columns:
        return [{} for _ in range(count)]
    names = tuple(columns)
    rows = [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    # most columns of a sheet have a value in every row
    for name in gaps:
        for row in rows:
            if row[name] is None:
                del row[name]
    return rows


def _as_json(column: Sequence[Cell], kinds: set[type]) -> Sequence[str | float | bool | None]:
    """Return `cells.as_json` of each cell of a column with cells of these types, but texts of any length."""
    if kinds <= _TEXTS_OR_NOTHING:
        return column  # type: ignore[return-value]
    if kinds == _NUMBERS:
        numbers: Sequence[Any] = column
        if isfinite(sum(numbers)):
            return list(map(cells.int_if_whole, numbers))
    if len(kinds - {_NOTHING}) > 1:
        return [cells.as_json(cell) for cell in column]
    # equal cells of one type have equal results
    written = {cell: cells.as_json(cell) for cell in set(column)}
    return [written[cell] for cell in column]


def are_tidy(texts: Sequence[str]) -> bool:
    """Return whether all texts are tidy as in `cells.is_tidy`; a doubtful text gives False."""
    # One search in all texts costs a fraction of a search in each.
    whole = f"{_BETWEEN.join(texts)}{_BETWEEN}"
    return (
        all(texts)
        and whole.isprintable()
        and "  " not in whole
        and f" {_BETWEEN}" not in whole
        and cells.ERROR_START not in whole
        and cells.LOOSE_STARTS.isdisjoint(map(_FIRST, texts))
        and (len(whole) <= cells.TEXT_LENGTH or max(map(len, texts)) <= cells.TEXT_LENGTH)
    )


def _values(column: ParsedColumn, found: Sequence[Cell], kinds: set[type]) -> Sequence[Any]:
    if column.is_text and kinds <= _TEXTS_OR_NOTHING:
        texts: Any = found if _NOTHING not in kinds else [cell for cell in found if cell is not None]
        if are_tidy(texts):
            return found
    if column.of_numbers is not None and kinds == _NUMBERS and (parsed := column.of_numbers(found)) is not None:  # type: ignore[arg-type]
        return parsed
    if column.known is None:
        return [_meaning(column, cell) for cell in found]
    if len(kinds - {_NOTHING}) > 1:
        return [_meanings(column, type(cell))[cell] for cell in found]
    kind = next(iter(kinds - {_NOTHING}), _NOTHING)
    return list(map(_meanings(column, kind).__getitem__, found))


def _meanings(column: ParsedColumn, kind: type) -> ValueCache:
    assert column.known is not None
    known = column.known.get(kind)
    if known is None:
        known = column.known[kind] = ValueCache(column)
    return known


def _meaning(column: ParsedColumn, cell: Cell) -> Any:
    """Return the value of a cell: a Problem, None for a blank cell, or `_NO_VALUE` for a text such as a dash."""
    if cell is None:
        return None
    if type(cell) is str:
        if column.is_text and cells.is_tidy(cell):
            return cell
        if cells.is_blank(cell):
            return None
    found = cells.unusable(cell) or column.parse(cell, column.field)
    return _NO_VALUE if found is None or found == () else found
