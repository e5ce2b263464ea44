"""One process writes a sheet and another reads the same values; anything else is damaged."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

import pytest

from connectors.spreadsheets.formats.sheet_metadata import SheetMetadata
from connectors.spreadsheets.formats.values import MarkedSheet
from connectors.spreadsheets.guard.client import open_spool
from connectors.spreadsheets.reading.spool import ROWS_A_BLOCK, Spool, SpooledCells, read_marks, write_sheet
from domain.problems import InputError, Problem

VALUES = [
    None, True, False, 1.0, 0.1 + 0.2, -1e300, float("inf"), "", "text", 'qu"ote\\ \n', "ç \U0001f4c4 \u2028", 42,
    date(2026, 11, 1), datetime.fromisoformat("2026-11-01T23:59:59.999999"), time(1, 2, 3),
    timedelta(days=-1, microseconds=5),
]  # fmt: skip


@dataclass
class Held:
    values: list[list[Any]] = field(default_factory=list)
    error: InputError | None = None

    def extent(self) -> tuple[int, int]:
        return len(self.values), len(self.values[0])

    def rows(self) -> Iterator[tuple[int, list[Any]]]:
        yield from enumerate(self.values)
        if self.error:
            raise self.error


def handed_over(source: Held, marks: SheetMetadata) -> tuple[SpooledCells, SheetMetadata]:
    spool = Spool(open_spool())
    with open(spool.descriptor, "wb", closefd=False) as file:
        described = write_sheet(file, MarkedSheet(source, "S", marks))
    return SpooledCells(spool, described), read_marks(spool, described["marks"])


@pytest.mark.parametrize("count", [1, ROWS_A_BLOCK - 1, ROWS_A_BLOCK, ROWS_A_BLOCK + 1, 200])
def test_values_come_back_as_they_were_and_again(count: int) -> None:
    cells, _ = handed_over(Held([VALUES] * count), SheetMetadata(height=count))
    for _ in range(2):
        indexes, found = map(list, zip(*cells.rows(), strict=True))
        assert (indexes, found) == ([*range(count)], [VALUES] * count)
        assert [[type(cell) for cell in row] for row in found] == [[type(cell) for cell in VALUES]] * count
    assert cells.extent() == (count, len(VALUES))


def test_marks_come_back_as_they_were() -> None:
    marks = SheetMetadata(3, 4, 5, {(1, 2): "#REF!"}, {(0, 0)}, {(2, 2)}, {1, 3}, {4}, {2: bytearray(b"\0\1\5\0")})
    assert handed_over(Held([[1.0]]), marks)[1] == marks


def test_rows_before_one_that_cannot_be_read_come_back() -> None:
    problem = Problem("file.odd_time")
    cells, _ = handed_over(Held([[1.0]] * 70, InputError(problem)), SheetMetadata(height=70))
    rows = cells.rows()
    assert [next(rows) for _ in range(70)] == [(index, [1.0]) for index in range(70)]
    with pytest.raises(InputError) as refused:
        next(rows)
    assert refused.value.problem == problem


@pytest.mark.parametrize(
    "block",
    [
        b"[[1",
        b'[[0],[0],[[{"on": "never"}]]]',
        b'[[0],[0],[[{"at": 1}]]]',
        b'[[0],[0],[[{"for": 1}]]]',
        b"[[0],[0],[[{}]]]",
        b'[["x"],[],[[1.0]]]',
        b"[[0,1],[],[[1.0]]]",
        b"\xff",
    ],
)
def test_block_that_is_no_such_thing_is_damaged(block: bytes) -> None:
    spool = Spool(open_spool())
    with open(spool.descriptor, "wb", closefd=False) as file:
        file.write(len(block).to_bytes(4, "little") + block)
    values = {"start": 0, "end": 4 + len(block), "height": 1, "width": 1, "problem": None}
    with pytest.raises(InputError) as refused:
        list(SpooledCells(spool, values).rows())
    assert refused.value.problem.code == "file.damaged"


def test_spool_that_ends_too_early_is_damaged() -> None:
    values = {"start": 0, "end": 100, "height": 1, "width": 1, "problem": None}
    with pytest.raises(InputError):
        list(SpooledCells(Spool(open_spool()), values).rows())
