"""Combine cell values from calamine with the marks that it does not report (`SheetMetadata`).

The module of each file format finds the marks and enforces the limits before calamine opens the file.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final, Protocol, TypeVar

import python_calamine as calamine

from connectors.spreadsheets.formats.sheet_metadata import FOREIGN, MULTIPLIED, PERCENT, ROUNDED, SCALED, SheetMetadata
from connectors.spreadsheets.formats.sheets import (
    Cell,
    CellError,
    Covered,
    FileKind,
    Foreign,
    Limits,
    Multiplied,
    Percent,
    Rounded,
    Row,
    Uncalculated,
)
from domain.problems import InputError, Problem, Where

T = TypeVar("T")

PERCENTS_AT_MOST: Final = 1_024
_NEVER: Final = sys.maxsize
"""An index beyond every row."""
_UNCALCULATED: Final = Uncalculated()
_COVERED: Final = Covered()


class CellSource(Protocol):
    """The values of one sheet, without marks."""

    def extent(self) -> tuple[int, int]:
        """Return the number of rows and columns, (0, 0) for a sheet without cells."""
        ...

    def rows(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield rows from the top with their index from 0, all of one width; empty cells are None.

        Blank rows may be left out: a used range may end a million rows below the last value. Raises `InputError` at a
        row that cannot be read.
        """
        ...


class CalamineBook:
    """One calamine workbook. Only one sheet's cells are in memory at a time."""

    def __init__(self, content: bytes, kind: FileKind) -> None:
        self.kind = kind
        self._workbook = guarded(lambda: _opened(content))
        self._held: tuple[int, calamine.CalamineSheet] | None = None

    @property
    def sheets(self) -> list[tuple[str, bool]]:
        """Return every sheet's name and whether it is visible."""
        visible = calamine.SheetVisibleEnum.Visible
        return [(each.name, each.visible == visible) for each in self._workbook.sheets_metadata]

    def sheet(self, index: int) -> calamine.CalamineSheet:
        if self._held is None or self._held[0] != index:
            self._held = None
            self._held = index, guarded(lambda: self._workbook.get_sheet_by_index(index))
        return self._held[1]


class CalamineCells:
    """The values of one sheet, loaded on first use."""

    def __init__(self, book: CalamineBook, index: int, name: str) -> None:
        self._book, self._index, self._name = book, index, name

    def extent(self) -> tuple[int, int]:
        end = self._book.sheet(self._index).end
        return (end[0] + 1, end[1] + 1) if end else (0, 0)

    def rows(self) -> Iterator[tuple[int, list[Any]]]:
        sheet = self._book.sheet(self._index)
        if not sheet.start:
            return
        has_integers = self._book.kind == "xls"
        # calamine keeps leading blank rows but drops leading blank columns
        before: list[Cell] = [None] * sheet.start[1]
        row = 0
        try:
            for row, values in enumerate(sheet.iter_rows(), 1):
                blanks = values.count("")
                if blanks == len(values):
                    continue
                cells: list[Any] = [*before, *values] if before else values
                if blanks:
                    cells = [None if cell == "" else cell for cell in cells]
                if has_integers:
                    # XLS distinguishes 42 from 42.0, but a person who reads the sheet cannot
                    cells = [float(cell) if type(cell) is int else cell for cell in cells]
                yield row - 1, cells
        except (GeneratorExit, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            # calamine fails or panics at a number that is too large for its time format
            raise InputError(Problem("file.odd_time", None, Where(sheet=self._name, row=row + 1))) from error


@dataclass(slots=True)
class _RowMarks:
    """People's marks on one row."""

    comments: list[tuple[int, str]] = field(default_factory=list)
    struck: set[int] = field(default_factory=set)
    part_struck: set[int] = field(default_factory=set)


class MarkedSheet:
    """One visible sheet: values combined with marks."""

    def __init__(self, source: CellSource, name: str, marks: SheetMetadata) -> None:
        self.source = source
        self.marks = marks
        self.name = name
        self.hidden_columns = frozenset(marks.hidden_columns)
        self.has_merges = bool(marks.covered)
        self.fills = marks.fills

    def rows(self) -> Iterator[Row]:
        """Yield rows with content, numbered as the person sees them."""
        if not self.marks.height:
            return
        hidden, marked = self.marks.hidden_rows, self._marked()
        for index, cells in self._laid_over():
            while cells and cells[-1] is None:
                cells.pop()
            if cells:
                row = Row(index + 1, tuple(cells), index in hidden)
                yield _with_marks(row, marked[index]) if index in marked else row

    def _laid_over(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield the index and cells of each row with a value or mark; formats and marks change the values."""
        overlay = self._overlay()
        waiting = [_NEVER, *sorted(overlay, reverse=True)]
        rates, formats = self._formats()
        percents: dict[float, Percent] = {}
        for index, cells in self.source.rows():
            while waiting[-1] < index:
                yield (blank := waiting.pop()), _lay_over([], overlay[blank])
            for column in rates:
                # few percentages differ: looking one up costs a third of making one
                if type(cell := cells[column]) is float:
                    shown = percents.get(cell)
                    cells[column] = _percent(percents, cell) if shown is None else shown
            if formats:
                _show(cells, index, formats, percents)
            if waiting[-1] == index:
                _lay_over(cells, overlay[waiting.pop()])
            yield index, cells
        while waiting[-1] < _NEVER:
            yield (blank := waiting.pop()), _lay_over([], overlay[blank])

    def _marked(self) -> dict[int, _RowMarks]:
        """Return comments and struck-through cells by the row's index."""
        found: defaultdict[int, _RowMarks] = defaultdict(_RowMarks)
        for (row, column), text in sorted(self.marks.comments.items()):
            found[row].comments.append((column, text))
        for row, column in self.marks.struck:
            found[row].struck.add(column)
        for row, column in self.marks.part_struck:
            found[row].part_struck.add(column)
        return dict(found)

    def _formats(self) -> tuple[list[int], list[tuple[int, bytearray]]]:
        """Return the columns that show percentages in every row, and the other columns with their formats by row."""
        height = self.marks.height
        rows, width = self.source.extent()
        found = [(column, kinds) for column, kinds in self.marks.formats.items() if column < width]
        rates = [column for column, kinds in found if rows <= height == kinds.count(PERCENT)]
        return rates, [(column, kinds) for column, kinds in found if column not in rates]

    def _overlay(self) -> dict[int, dict[int, Cell]]:
        overlay: defaultdict[int, dict[int, Cell]] = defaultdict(dict)
        for row, column in self.marks.covered:
            overlay[row][column] = _COVERED
        for row, column in self.marks.uncalculated:
            overlay[row][column] = _UNCALCULATED
        for (row, column), shown in self.marks.errors.items():
            overlay[row][column] = CellError(shown)
        return dict(overlay)


def _with_marks(row: Row, marks: _RowMarks) -> Row:
    filled = {column for column, cell in enumerate(row.cells) if cell is not None}
    return row._replace(
        comments=tuple(marks.comments),
        struck=frozenset(marks.struck & filled),
        part_struck=frozenset(marks.part_struck & filled),
    )


def _opened(content: bytes) -> calamine.CalamineWorkbook:
    """Open the workbook from a nameless file: calamine would read a Python object in pieces and hold the GIL."""
    with os.fdopen(os.memfd_create("workbook"), "wb") as file:
        file.write(content)
        file.flush()
        return calamine.CalamineWorkbook.from_path(f"/proc/self/fd/{file.fileno()}")


def keep_limits(found: list[SheetMetadata], limits: Limits) -> None:
    """Raise `InputError` if all sheets together, or one alone, exceed the limits."""
    for marks in found:
        if marks.row_count > limits.rows:
            raise too_many_rows(limits)
        if marks.width > limits.columns:
            raise InputError(Problem("file.too_many_columns", params={"limit": limits.columns}))
    if sum(marks.height * marks.width for marks in found) > limits.cells:
        raise InputError(Problem("file.too_many_cells", params={"limit": limits.cells}))


def too_many_rows(limits: Limits) -> InputError:
    return InputError(Problem("file.too_many_rows", params={"limit": limits.rows}))


def too_much_text(limits: Limits) -> InputError:
    """Return the error for shared texts of too many bytes.

    One long text in a million cells is a small file, but calamine copies the text to each cell.
    """
    return InputError(Problem("file.unpacks_too_large", params={"limit_mb": limits.unpacked_bytes // 1_000_000}))


def guarded(call: Callable[[], T]) -> T:
    """Return the result of a call of calamine; raise `InputError` for its errors and its panics (no `Exception`)."""
    try:
        return call()
    except calamine.PasswordError as error:
        raise InputError(Problem("file.password")) from error
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise InputError(Problem("file.damaged")) from error


def _show(cells: list[Any], index: int, formats: list[tuple[int, bytearray]], percents: dict[float, Percent]) -> None:
    for column, kinds in formats:
        if index < len(kinds) and (kind := kinds[index]):
            cell = cells[column]
            if kind == PERCENT and type(cell) is float:
                shown = percents.get(cell)
                cells[column] = _percent(percents, cell) if shown is None else shown
            else:
                cells[column] = _formatted(cell, kind)


def _percent(percents: dict[float, Percent], rate: float) -> Percent:
    if len(percents) >= PERCENTS_AT_MOST:
        percents.clear()
    shown = percents[rate] = Percent(rate)
    return shown


def _formatted(cell: Cell, kind: int) -> Cell:
    """Return a number as a value of the class for its format, or as a text with padding zeros."""
    if not isinstance(cell, (int, float)) or isinstance(cell, bool) or not isfinite(cell):
        return cell
    if kind == PERCENT:
        return Percent(cell)
    if kind == FOREIGN:
        return Foreign(cell)
    if kind == MULTIPLIED:
        return Multiplied(cell)
    if kind == SCALED or (kind == ROUNDED and cell != int(cell)):
        return Rounded(cell)
    if kind == ROUNDED:
        return cell
    return f"{int(cell):0{kind}d}" if cell >= 0 and cell == int(cell) and cell < 10**kind else cell


def _lay_over(cells: list[Cell], marked: dict[int, Cell]) -> list[Cell]:
    for column, cell in marked.items():
        cells.extend([None] * (column + 1 - len(cells)))
        # a merged range has its value in its first cell; a value below it, in a damaged file, still counts
        if not isinstance(cell, Covered) or cells[column] is None:
            cells[column] = cell
    return cells
