"""Open a workbook of any format in a guarded process and read its cells as data.

The guarded process returns all cells, and not only whether the file is safe. For 100,000 rows of 25 cells, it writes
them in 0.15 s of CPU time and we read them in 0.1 s a pass. Opening the checked file again with calamine would cost
1.6 s, and would run the parsers of a hostile file in the process that issues invoices. CSV is the exception: the
guarded process checks it, and we read its rows with Python's own reader, which is cheaper than passing the cells on.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from connectors.spreadsheets.formats import delimited
from connectors.spreadsheets.formats.sheets import (
    Cell,
    CellError,
    FileKind,
    Limits,
    Row,
    Sheet,
    Uncalculated,
    Workbook,
)
from connectors.spreadsheets.formats.values import MarkedSheet
from connectors.spreadsheets.guard.bounds import Bounds
from connectors.spreadsheets.guard.client import open_spool, run_guarded, start_early
from connectors.spreadsheets.reading.spool import Spool, SpooledCells, read_marks
from domain.problems import InputError, Problem

__all__ = [
    "HIDDEN_DATA",
    "Cell",
    "CellError",
    "FileKind",
    "Limits",
    "Row",
    "Sheet",
    "Uncalculated",
    "Workbook",
    "bounds_of",
    "expect_workbook",
    "open_workbook",
]

_READING: Final = "connectors.spreadsheets.reading.job:read"
HIDDEN_DATA: Final = "connectors.spreadsheets.corrections.hidden_data_search:find"
"""The job that searches a workbook for our hidden data."""


def expect_workbook() -> None:
    """Start the server of guarded processes early, while the caller does other things before it opens a workbook."""
    for job in (_READING, HIDDEN_DATA):
        start_early(job)


def open_workbook(source: Path | bytes, limits: Limits | None = None, *, name: str = "") -> Workbook:
    """Open the workbook in a file or in its bytes.

    Args:
        source: The file's path, or its bytes.
        limits: The limits of the file.
        name: The file's name for people, if `source` is not a path.

    Raises:
        InputError: With a `file.*` problem for a file that cannot or may not be read.
    """
    limits = limits or Limits()
    if isinstance(source, bytes):
        return _opened(source, source, limits, size=len(source), name=name)
    descriptor = os.open(source, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        return _opened(source, descriptor, limits, size=os.fstat(descriptor).st_size, name=name or source.name)
    finally:
        os.close(descriptor)


def bounds_of(limits: Limits) -> Bounds:
    """Return the CPU, time, memory and result bounds of the isolated reader process for files within `limits`.

    2,500,000 cells, the default maximum of a file, take some 4 s of CPU time and less than 600 MB of address space. The
    bounds leave room for a slow core and for long texts; only a file made to exhaust its reader reaches them.
    """
    cpu_s = 30 + limits.cells // 50_000
    return Bounds(
        cpu_s=cpu_s,
        wall_s=10.0 * cpu_s,
        memory_bytes=500_000_000 + 2 * limits.unpacked_bytes + 200 * limits.cells,
        result_bytes=8 * limits.unpacked_bytes + 100 * limits.cells,
    )


def _opened(source: Path | bytes, content: bytes | int, limits: Limits, *, size: int, name: str) -> Workbook:
    if size > limits.file_bytes:
        params = {"size_mb": -(-size // 1_000_000), "limit_mb": limits.file_bytes // 1_000_000}
        raise InputError(Problem("file.too_large", params=params))
    spool = Spool(open_spool())
    arguments = {"name": name, "limits": limits.to_json()}
    described = run_guarded(
        _READING,
        content,
        arguments,
        bounds=bounds_of(limits),
        spool=spool.descriptor,
    )
    try:
        return _workbook(described, spool, source, limits)
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise InputError(Problem("file.damaged")) from error


def _workbook(described: Mapping[str, Any], spool: Spool, source: Path | bytes, limits: Limits) -> Workbook:
    kind: FileKind = described["kind"]
    facts = {str(name): str(fact) for name, fact in described["facts"].items()}
    sheets: tuple[Sheet, ...]
    if kind == "csv":
        sheets = (delimited.reopened(source, facts, limits),)
    else:
        sheets = tuple(
            MarkedSheet(SpooledCells(spool, each), str(each["name"]), read_marks(spool, each["marks"]))
            for each in described["sheets"]
        )
    hidden = tuple(str(each) for each in described["hidden_sheets"])
    return Workbook(kind=kind, sheets=sheets, hidden_sheets=hidden, facts=facts)
