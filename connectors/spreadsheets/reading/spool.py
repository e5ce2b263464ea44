"""Pass the cells of a sheet from the guarded process to ours: as JSON in a file, as data only.

The rows of a sheet are in blocks, each after its length in bytes. For 100,000 rows of 25 cells, writing costs 0.15 s
and reading 0.1 s, less than calamine needs to return the same rows.
"""

import os
import struct
import weakref
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from math import isfinite
from typing import Any, BinaryIO, Final

import orjson

from connectors.spreadsheets.formats.sheet_metadata import CellPosition, SheetMetadata
from connectors.spreadsheets.formats.values import MarkedSheet
from domain.problems import InputError, Problem

ROWS_A_BLOCK: Final = 64
BLOCK_BYTES_AT_MOST: Final = 256_000_000
_LENGTH: Final = struct.Struct("<I")
_PLAIN: Final = frozenset({str, float, int, bool, type(None)})


class Spool:
    """The file from a guarded process, read in pieces by any number of readers."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        weakref.finalize(self, os.close, descriptor)

    def read(self, start: int, size: int) -> bytes:
        """Return `size` bytes from `start` on. Raises `InputError` if there are fewer."""
        found = os.pread(self.descriptor, size, start) if 0 <= size <= BLOCK_BYTES_AT_MOST else b""
        if len(found) != size:
            raise InputError(Problem("file.damaged"))
        return found


class SpooledCells:
    """The values of one sheet from a spool. `described` is the result of `write_sheet`."""

    def __init__(self, spool: Spool, described: Mapping[str, Any]) -> None:
        self._spool = spool
        self._start, self._end = int(described["start"]), int(described["end"])
        self._extent = int(described["height"]), int(described["width"])
        self._problem = None if described["problem"] is None else Problem.from_json(described["problem"])

    def extent(self) -> tuple[int, int]:
        return self._extent

    def rows(self) -> Iterator[tuple[int, list[Any]]]:
        at = self._start
        while at < self._end:
            (size,) = _LENGTH.unpack(self._spool.read(at, _LENGTH.size))
            yield from self._block(at + _LENGTH.size, size)
            at += _LENGTH.size + size
        if self._problem is not None:
            raise InputError(self._problem)

    def _block(self, start: int, size: int) -> list[tuple[int, list[Any]]]:
        try:
            indexes: list[Any]
            rows: list[list[Any]]
            indexes, odd, rows = orjson.loads(self._spool.read(start, size))
            for column in odd:
                for row in rows:
                    if type(row[column]) is dict:
                        row[column] = _value(row[column])
            return list(zip(map(int, indexes), rows, strict=True))
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
            raise InputError(Problem("file.damaged")) from error


def write_sheet(spool: BinaryIO, sheet: MarkedSheet) -> dict[str, Any]:
    """Write the values of a sheet. Return their position and the sheet's marks, ready for JSON.

    For a sheet that cannot be read to its end, write the rows before, and return the problem as well.
    """
    start, problem = spool.tell(), None
    height, width = 0, 0
    # skip a sheet without content by its marks: calamine would reserve memory for cells that they do not count
    if sheet.marks.height:
        try:
            height, width = sheet.source.extent()
            _write_rows(spool, sheet.source.rows())
        except InputError as error:
            problem = error.problem.to_json()
    end = spool.tell()
    marks = _write_marks(spool, sheet.marks)
    return {
        "name": sheet.name, "start": start, "end": end, "height": height, "width": width, "problem": problem,
        "marks": marks,
    }  # fmt: skip


def read_marks(spool: Spool, described: Mapping[str, Any]) -> SheetMetadata:
    """Return the marks of a sheet from the result of `write_sheet`."""
    return SheetMetadata(
        row_count=int(described["row_count"]),
        height=int(described["height"]),
        width=int(described["width"]),
        errors={(int(row), int(column)): str(shown) for row, column, shown in described["errors"]},
        uncalculated=_positions(described["uncalculated"]),
        covered=_positions(described["covered"]),
        hidden_rows={int(row) for row in described["hidden_rows"]},
        hidden_columns={int(column) for column in described["hidden_columns"]},
        comments={(int(row), int(column)): str(text) for row, column, text in described["comments"]},
        struck=_positions(described["struck"]),
        part_struck=_positions(described["part_struck"]),
        fills={(int(row), int(column)): str(digits) for row, column, digits in described["fills"]},
        formats={
            int(column): bytearray(spool.read(int(start), int(size))) for column, start, size in described["formats"]
        },
    )


def _write_rows(spool: BinaryIO, rows: Iterator[tuple[int, list[Any]]]) -> None:
    block: list[tuple[int, list[Any]]] = []
    try:
        for numbered in rows:
            block.append(numbered)
            if len(block) == ROWS_A_BLOCK:
                _write_block(spool, block)
                block = []
    finally:
        # also write the rows before one that cannot be read
        _write_block(spool, block)


def _write_block(spool: BinaryIO, numbered: list[tuple[int, list[Any]]]) -> None:
    """Write rows of one width, with their indexes and the columns that have values of types unknown to JSON."""
    indexes, block = [index for index, _ in numbered], [row for _, row in numbered]
    odd = []
    for column, found in enumerate(zip(*block, strict=True)):
        kinds = set(map(type, found))
        if float in kinds and not isfinite(sum(found if len(kinds) == 1 else _floats(found))):
            kinds.add(dict)
            _replace_endless(block, column)
        if not kinds <= _PLAIN:
            odd.append(column)
    data = orjson.dumps((indexes, odd, block), default=_plain, option=orjson.OPT_PASSTHROUGH_DATETIME)
    spool.write(_LENGTH.pack(len(data)) + data)


def _floats(column: tuple[Any, ...]) -> list[float]:
    return [cell for cell in column if type(cell) is float]


def _replace_endless(block: list[list[Any]], column: int) -> None:
    """Replace NaN and infinity by an object with their text: orjson would write null."""
    for place, row in enumerate(block):
        if type(cell := row[column]) is float and not isfinite(cell):
            block[place] = [*row[:column], {"number": repr(cell)}, *row[column + 1 :]]


def _write_marks(spool: BinaryIO, marks: SheetMetadata) -> dict[str, Any]:
    formats = []
    for column, kinds in marks.formats.items():
        formats.append((column, spool.tell(), len(kinds)))
        spool.write(kinds)
    return {
        "row_count": marks.row_count,
        "height": marks.height,
        "width": marks.width,
        "errors": [(*place, shown) for place, shown in marks.errors.items()],
        "uncalculated": sorted(marks.uncalculated),
        "covered": sorted(marks.covered),
        "hidden_rows": sorted(marks.hidden_rows),
        "hidden_columns": sorted(marks.hidden_columns),
        "formats": formats,
        "comments": [(*place, text) for place, text in marks.comments.items()],
        "struck": sorted(marks.struck),
        "part_struck": sorted(marks.part_struck),
        "fills": [(*place, digits) for place, digits in marks.fills.items()],
    }


def _positions(pairs: Any) -> set[CellPosition]:
    return {(int(row), int(column)) for row, column in pairs}


@lru_cache(maxsize=1_024, typed=True)
def _plain(value: object) -> dict[str, Any]:
    """Return a JSON value for a value without a JSON type; a sheet has few different ones."""
    if isinstance(value, datetime):
        return {"at": value.isoformat()}
    if isinstance(value, date):
        return {"on": value.isoformat()}
    if isinstance(value, time):
        return {"time": value.isoformat()}
    if isinstance(value, timedelta):
        return {"for": [value.days, value.seconds, value.microseconds]}
    raise TypeError(type(value).__name__)


def _value(tagged: dict[str, Any]) -> date | datetime | time | timedelta | float:
    ((kind, value),) = tagged.items()
    if kind == "number":
        return float(value)
    if kind == "for":
        return timedelta(*value)
    return _dated(kind, value)


@lru_cache(maxsize=1_024)
def _dated(kind: str, text: str) -> date | datetime | time:
    """Return a date or a time of day; a sheet has few different ones."""
    if kind == "on":
        return date.fromisoformat(text)
    return datetime.fromisoformat(text) if kind == "at" else time.fromisoformat(text)
