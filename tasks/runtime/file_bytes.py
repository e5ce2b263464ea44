"""Read a dropped file's bytes within the profile's limits."""

import os
from pathlib import Path
from typing import Final

from connectors.inbox.folders import readable_name
from connectors.spreadsheets.workbook import Limits
from domain.disk_faults import is_disk_failure
from domain.problems import InputError, Problem
from tasks.runtime import Context

CELLS_PER_ROW, BYTES_PER_ROW = 50, 2_560
"""Number of cells that a workbook may have, and of bytes that it may unpack to, per allowed row."""


ROWS_BESIDE_LINES: Final = 200
"""Rows allowed for titles, headers, totals and notes, in addition to the lines."""


def read_bytes(path: Path, *, limit: int) -> bytes:
    """Return the file's bytes.

    Raises `InputError` if the file is empty, too large, unreadable or still changing, and the `OSError` of a failing
    disk: that is no fault of the file, which may be whole.
    """
    name = readable_name(path.name)
    try:
        with path.open("rb") as file:
            before = os.fstat(file.fileno())
            # Read one byte more than the size: a buffer for the whole limit would cost its copy.
            content = file.read(min(limit, before.st_size) + 1)
            after = os.fstat(file.fileno())
    except FileNotFoundError as error:
        raise InputError(Problem("file.not_found", params={"name": name})) from error
    except IsADirectoryError as error:
        raise InputError(Problem("file.is_folder", params={"name": name})) from error
    except OSError as error:
        if is_disk_failure(error):
            raise
        raise InputError(Problem("file.unreadable", params={"name": name})) from error
    # Half of a file that somebody is saving could be a sheet with half of its rows.
    is_settled = before.st_mtime_ns == after.st_mtime_ns and before.st_size == after.st_size
    if not is_settled or (len(content) <= limit and after.st_size != len(content)):
        raise InputError(Problem("file.changing", params={"name": name}))
    if not content:
        raise InputError(Problem("file.empty", params={"name": name}))
    if len(content) > limit:
        raise InputError(Problem("file.too_large", params={"name": name, "limit": limit // 1_000_000}))
    return content


def limits_of(context: Context) -> Limits:
    """Return the size limits of a dropped workbook: its lines, and some rows for titles, headers and totals."""
    rows = context.settings.limits.rows
    return Limits(
        file_bytes=context.settings.limits.file_bytes,
        rows=rows + ROWS_BESIDE_LINES,
        cells=CELLS_PER_ROW * rows,
        unpacked_bytes=BYTES_PER_ROW * rows,
    )
