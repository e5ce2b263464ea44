"""Read a dropped file's bytes within the profile's limits."""

import os
from pathlib import Path
from typing import Final

from connectors.inbox.folders import readable
from connectors.spreadsheets.workbook import Limits
from domain.problems import LayoutError, Problem
from tasks.runtime import Context

CELLS_PER_ROW, BYTES_PER_ROW = 50, 2_560
"""How many cells a workbook may hold, and to how many bytes it may unpack, for each row that is allowed."""


ROWS_BESIDE_LINES: Final = 200
"""Titles, headers, totals and notes: 50,000 rows are 50,000 lines."""


def read_bytes(path: Path, *, limit: int) -> bytes:
    """Return the file's bytes. Raises `LayoutError` if it is empty, too large, unreadable or still changing."""
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


def limits_of(context: Context) -> Limits:
    """Return how large a dropped workbook may be: so many lines, and some rows for titles, headers and totals."""
    rows = context.settings.limits.rows
    return Limits(
        file_bytes=context.settings.limits.file_bytes,
        rows=rows + ROWS_BESIDE_LINES,
        cells=CELLS_PER_ROW * rows,
        unpacked_bytes=BYTES_PER_ROW * rows,
    )
