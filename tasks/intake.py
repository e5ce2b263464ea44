"""Station 1: take a dropped file, archive its bytes unchanged and enter it in the ledger."""

import os
from pathlib import Path
from typing import Final

from connectors.inbox.folders import readable
from connectors.ledger import files as ledger_files
from connectors.ledger.files import FileRecord
from connectors.spreadsheets.archive import archive
from connectors.spreadsheets.workbook import Limits
from domain.keys import file_digest
from domain.problems import FaturistaError, LayoutError, Problem
from tasks.runtime import SERVICES, Desk

CELLS_PER_ROW, BYTES_PER_ROW = 50, 2_560
"""How many cells a workbook may hold, and to how many bytes it may unpack, for each row that is allowed."""


def take_file(desk: Desk, path: Path, *, kind: str = SERVICES) -> int:
    """The ledger's id of the file; the same bytes always give the same id.

    Raises `LayoutError` when the path is no readable file or the file is over the limit.
    """
    return keep_bytes(desk, read_bytes(path, limit=desk.settings.limits.file_bytes), name=path.name, kind=kind)


def keep_bytes(desk: Desk, content: bytes, *, name: str, kind: str) -> int:
    """Archive the bytes of a file and enter it in the ledger; its id."""
    sha256 = file_digest(content)
    archive(content, sha256=sha256, name=name, folder=desk.archive)
    name = readable(name)
    record = desk.ledger.write(ledger_files.receive, sha256=sha256, name=name, size_bytes=len(content), kind=kind)
    return record.id


def find_dropped(desk: Desk, path: Path) -> FileRecord:
    """The file in the ledger, by its bytes where the path is a file, else by name or digest.

    Raises `FaturistaError` when it was never dropped.
    """
    if path.is_file():
        content = read_bytes(path, limit=desk.settings.limits.file_bytes)
        found = desk.ledger.read(ledger_files.find_file, sha256=file_digest(content))
    else:
        name = readable(path.name)
        by_digest = desk.ledger.read(ledger_files.find_file, sha256=name)
        found = by_digest or desk.ledger.read(ledger_files.find_file, name=name)
    if found is None:
        raise FaturistaError(Problem("file.not_dropped", params={"name": readable(path.name)}))
    return found


def read_bytes(path: Path, *, limit: int) -> bytes:
    """The file's bytes. Raises `LayoutError` when there are none, too many, they cannot be read, or they change."""
    name = readable(path.name)
    try:
        with path.open("rb") as file:
            before = os.fstat(file.fileno())
            # a byte more than there is: room for all that is allowed would cost its copy
            content = file.read(min(limit, before.st_size) + 1)
            after = os.fstat(file.fileno())
    except FileNotFoundError as error:
        raise LayoutError(Problem("file.not_found", params={"name": name})) from error
    except IsADirectoryError as error:
        raise LayoutError(Problem("file.is_folder", params={"name": name})) from error
    except OSError as error:
        raise LayoutError(Problem("file.unreadable", params={"name": name})) from error
    # half of a file that somebody is still saving could be a sheet with half of its rows
    is_settled = before.st_mtime_ns == after.st_mtime_ns and before.st_size == after.st_size
    if not is_settled or (len(content) <= limit and after.st_size != len(content)):
        raise LayoutError(Problem("file.changing", params={"name": name}))
    if not content:
        raise LayoutError(Problem("file.empty", params={"name": name}))
    if len(content) > limit:
        raise LayoutError(Problem("file.too_large", params={"name": name, "limit": limit // 1_000_000}))
    return content


ROWS_BESIDE_LINES: Final = 200
"""Titles, headers, totals and notes: 50,000 rows are 50,000 lines."""


def limits_of(desk: Desk) -> Limits:
    """How large a dropped workbook may be: so many lines, and some rows for titles, headers and totals."""
    rows = desk.settings.limits.rows
    return Limits(
        file_bytes=desk.settings.limits.file_bytes,
        rows=rows + ROWS_BESIDE_LINES,
        cells=CELLS_PER_ROW * rows,
        unpacked_bytes=BYTES_PER_ROW * rows,
    )
