"""Files for people: written whole or not at all, text that stays text, and pages that can be read on paper."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import uuid4

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

_STEM_BYTES: Final = 160
"""A name may have 255 bytes; what is put behind, and around while a file is being written, stays far below the rest."""

A4: Final = 9
FOOTER: Final = ("&8&F", "&8&P / &N")
"""At the left the file's name, at the right the page's number."""
MARGINS: Final = {"left": 0.4, "right": 0.4, "top": 0.5, "bottom": 0.6}
"""In inches."""
_LETTERS_A_PAGE: Final = 210
"""How wide a page may be, in letters of its columns: more of them on one A4 across are too small to be read."""

_TEXT_STAYS_TEXT: Final = {
    # what people typed is text: never a formula, a link or a number
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


def readable_stem(name: str) -> str:
    """Return a file's name without its ending, on one line and short enough for the names of its answers."""
    stem = " ".join("".join(char if char.isprintable() else " " for char in Path(name).stem).split())
    return stem.encode()[:_STEM_BYTES].decode("utf-8", "ignore").strip() or "-"


def save_whole(path: Path, fill: Callable[[Path], None]) -> None:
    """Let `fill` write a file that takes its name only when it is complete. The folder is made where it is missing.

    It may be read by whoever may read new files there: a temporary file of the system's is for its owner alone, and the
    folder that people share would hold answers that they cannot open.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".part-{uuid4().hex}{path.suffix}")
    try:
        # made here and by nobody else: the folder may be open to others
        partial.touch(exist_ok=False)
        fill(partial)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def open_book(
    path: Path, title: str, *, made_at: datetime, comments: str = "", constant_memory: bool = True
) -> xlsxwriter.Workbook:
    """Open a new workbook; with the same `made_at` (aware) the same content gives the same bytes."""
    book = xlsxwriter.Workbook(path, _TEXT_STAYS_TEXT | {"constant_memory": constant_memory})
    created = made_at.astimezone(UTC).replace(tzinfo=None)
    book.set_properties({"title": title, "created": created, "comments": comments})
    return book


def on_paper(sheet: Worksheet, *, wide: int = 1, high: int = 0, is_upright: bool = False) -> None:
    """A4, across unless `is_upright`, so many pages `wide` and `high` (0: as many as it takes)."""
    if not is_upright:
        sheet.set_landscape()
    sheet.set_paper(A4)
    sheet.fit_to_pages(wide, high)
    sheet.set_margins(**MARGINS)
    left, right = FOOTER
    sheet.set_footer(f"&L{left}&R{right}")


def pages_wide(letters: float) -> int:
    """Over how many pages columns go that are so wide together."""
    return max(1, -(-int(letters) // _LETTERS_A_PAGE))
