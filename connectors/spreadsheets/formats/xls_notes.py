"""Read comments on cells of an XLS sheet. A note record names a cell and an object; other records hold its text."""

import struct
from typing import Final

from connectors.spreadsheets.formats.sheet_metadata import MARKS_AT_MOST, OUR_AUTHOR, SheetMetadata

OBJECT, TEXT, MORE, NOTE = 0x5D, 0x1B6, 0x3C, 0x1C
_COMMON: Final = 0x15
"""Type of the first part of an object record, which has the object's number."""
_LONGEST: Final = 2_000


class Notes:
    """Collect the comments of one sheet from its records, in file order."""

    def __init__(self) -> None:
        self._object: int | None = None
        self._left = 0
        self._texts: dict[int, str] = {}
        self._cells: list[tuple[int, int, int, str]] = []

    def take(self, kind: int, data: bytes) -> None:
        """Add a record: `OBJECT` has a number, `TEXT` the length of its text, `MORE` the text, and `NOTE` its cell."""
        if kind == MORE and self._left > 0 and self._object is not None and data:
            self._continue(self._object, data)
        elif kind == OBJECT:
            self._left = 0
            part, _, _, number = struct.unpack_from("<HHHH", data) if len(data) >= 8 else (0, 0, 0, 0)
            self._object = number if part == _COMMON else None
        elif kind == TEXT and len(data) >= 12:
            (self._left,) = struct.unpack_from("<H", data, 10)
        elif kind == NOTE and len(data) >= 8 and len(self._cells) < MARKS_AT_MOST:
            row, column, _, number = struct.unpack_from("<HHHH", data)
            self._cells.append((row, column, number, _author(data)))

    def mark(self, marks: SheetMetadata) -> None:
        """Add people's comments to `marks`. Ignore comments that this system wrote."""
        for row, column, number, author in self._cells:
            text = self._texts.get(number, "").strip()
            if text and author != OUR_AUTHOR:
                marks.comments[row, column] = text[:_LONGEST]

    def _continue(self, number: int, data: bytes) -> None:
        is_wide = data[0] & 1
        size = min(self._left << is_wide, len(data) - 1)
        self._left -= size >> is_wide
        text = data[1 : 1 + size].decode("utf-16-le" if is_wide else "latin-1", "replace")
        if number in self._texts or len(self._texts) < MARKS_AT_MOST:
            self._texts[number] = (self._texts.get(number, "") + text)[:_LONGEST]


def _author(data: bytes) -> str:
    if len(data) < 11:
        return ""
    length, flags = struct.unpack_from("<HB", data, 8)
    is_wide = flags & 1
    return data[11 : 11 + (length << is_wide)].decode("utf-16-le" if is_wide else "latin-1", "replace")
