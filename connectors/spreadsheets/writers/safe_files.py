"""Write files for people completely or not at all, with text that stays text, and with printable pages."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import uuid4

import xlsxwriter
from xlsxwriter.exceptions import FileCreateError
from xlsxwriter.worksheet import Worksheet

from domain.disk_faults import naming

_STEM_BYTES: Final = 160
"""A name may have 255 bytes; this leaves room for suffixes and for the name of the partial file."""

_PARTIAL: Final = ".part-"
_ROOM_BYTES: Final = 16_384
"""A library that meets a full disk writes its buffers once more when its file is garbage: they need this much room."""
_ABANDONED_S: Final = 86_400
"""Seconds without a write after which nobody writes a partial file any more."""

A4: Final = 9
FOOTER: Final = ("&8&F", "&8&P / &N")
"""The file's name on the left, the page's number on the right."""
MARGINS: Final = {"left": 0.4, "right": 0.4, "top": 0.5, "bottom": 0.6}
"""In inches."""
_LETTERS_A_PAGE: Final = 210
"""The most characters across one page: with more, A4 landscape is too small to read."""

_TEXT_STAYS_TEXT: Final = {
    # people's text is text: never a formula, a link or a number
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


def readable_stem(name: str) -> str:
    """Return a file's name without its suffix, on one line, cut so that the names of our result files fit."""
    stem = " ".join("".join(char if char.isprintable() else " " for char in Path(name).stem).split())
    return stem.encode()[:_STEM_BYTES].decode("utf-8", "ignore").strip() or "-"


def write_atomically(path: Path, fill: Callable[[Path], None]) -> None:
    """Let `fill` write a file that gets its name only when complete. Create the folder if it is missing.

    It gets the permissions of new files in its folder: a temporary file is for its owner only, and people who share the
    folder could not open it. A disk fault names the path.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(path.parent)
    partial = path.with_name(f"{_PARTIAL}{uuid4().hex}{path.suffix}")
    try:
        # must be new: other users may write to the folder
        with partial.open("xb") as file:
            os.posix_fallocate(file.fileno(), 0, _ROOM_BYTES)
            file.truncate(0)
        fill(partial)
        # some disks report only now that there was no room, or that a write failed
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException as error:
        # while the partial file still takes its room
        place = _fullest_place(path)
        with suppress(OSError):
            # gives the reserved room back, for the library that closes its file again at garbage collection
            os.truncate(partial, 0)
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        if isinstance(error, FileCreateError) and error.args and isinstance(error.args[0], OSError):
            # the library wraps the disk's error in one that is no OSError
            with naming(str(place)):
                raise error.args[0] from error
        with naming(str(place)):
            raise


def _fullest_place(path: Path) -> Path:
    """Return the path, or the folder of the libraries' temporary files if its disk has less room."""
    places = {path: path.parent, Path(tempfile.gettempdir()): Path(tempfile.gettempdir())}
    return min(places, key=lambda place: shutil.disk_usage(places[place]).free)


def _remove_abandoned(folder: Path) -> None:
    """Delete the partial files of processes that were killed: they have customers' data, and nobody reads them."""
    for path in folder.glob(f"{_PARTIAL}*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _ABANDONED_S:
                path.unlink()


def open_book(path: Path, title: str, *, made_at: datetime, comments: str = "") -> xlsxwriter.Workbook:
    """Open a new workbook; with the same `made_at` (aware) the same content gives the same bytes."""
    book = xlsxwriter.Workbook(path, _TEXT_STAYS_TEXT | {"constant_memory": True})
    created = made_at.astimezone(UTC).replace(tzinfo=None)
    book.set_properties({"title": title, "created": created, "comments": comments})
    return book


def on_paper(sheet: Worksheet, *, wide: int = 1, high: int = 0, is_upright: bool = False) -> None:
    """Set up printing on A4, landscape unless `is_upright`, `wide` by `high` pages (0: as many as needed)."""
    if not is_upright:
        sheet.set_landscape()
    sheet.set_paper(A4)
    sheet.fit_to_pages(wide, high)
    sheet.set_margins(**MARGINS)
    left, right = FOOTER
    sheet.set_footer(f"&L{left}&R{right}")


def pages_wide(letters: float) -> int:
    """Return the number of printed pages for this total column width."""
    return max(1, -(-int(letters) // _LETTERS_A_PAGE))
