"""The container of an old XLS file: a small file system in 512-byte sectors, of which one stream is wanted.

Nothing in it can be larger than the file, and every chain is followed no further than the file has sectors.
"""

import struct
from typing import Final

from domain.problems import LayoutError, Problem

_MAGIC: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEADER: Final = struct.Struct("<8s16xHHHHH6xIIIIIIIII")
_HEADER_BYTES: Final = 512
_HEADER_FAT_ENTRIES: Final = 109
_ENTRY_BYTES: Final = 128
_LAST_REGULAR: Final = 0xFFFFFFFA
_SECTOR_SHIFTS: Final = (9, 12)
_MINI_SHIFT: Final = 6
_STREAM, _ROOT = 2, 5


class Compound:
    """The streams of one compound file, by name. Raises `LayoutError` for whatever is not whole."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        if len(content) < _HEADER_BYTES:
            raise _damaged()
        header = _HEADER.unpack_from(content)
        magic, _, _, _, shift, mini_shift = header[:6]
        self._directory_start, self._cutoff = header[8], header[10]
        if magic != _MAGIC or shift not in _SECTOR_SHIFTS or mini_shift != _MINI_SHIFT:
            raise _damaged()
        self._size = 1 << shift
        self._sectors = len(content) // self._size
        self._fat = self._read_fat(difat_start=header[13], fat_count=header[7])
        self._mini_fat = self._numbers(self._chain(header[11]))
        self._entries = self._read_entries()

    def stream(self, *names: str) -> bytes | None:
        """The first of these streams that the file has."""
        for name in names:
            if name.upper() in self._entries:
                return self._read(*self._entries[name.upper()])
        return None

    def _sector(self, number: int) -> bytes:
        start = (number + 1) * self._size
        found = self._content[start : start + self._size]
        if not found:
            raise _damaged()
        return found

    def _read_fat(self, *, difat_start: int, fat_count: int) -> tuple[int, ...]:
        listed = list(struct.unpack_from(f"<{_HEADER_FAT_ENTRIES}I", self._content, 76))
        number = difat_start
        while number < _LAST_REGULAR and len(listed) < min(fat_count, self._sectors):
            entries = self._numbers(self._sector(number))
            listed += entries[:-1]
            number = entries[-1] if len(entries) > 1 else _LAST_REGULAR
        used = [each for each in listed if each < _LAST_REGULAR][: min(fat_count, self._sectors)]
        return self._numbers(b"".join(self._sector(each) for each in used))

    def _chain(self, number: int) -> bytes:
        found: list[bytes] = []
        for _ in range(self._sectors + 1):
            if number >= _LAST_REGULAR:
                return b"".join(found)
            found.append(self._sector(number))
            number = self._next(self._fat, number)
        raise _damaged()

    def _read_entries(self) -> dict[str, tuple[int, int]]:
        """Start and size of each stream, by name in capitals; the mini stream's under an empty name."""
        directory = self._chain(self._directory_start)
        found: dict[str, tuple[int, int]] = {}
        for at in range(0, len(directory) - _ENTRY_BYTES + 1, _ENTRY_BYTES):
            length, kind = struct.unpack_from("<HB", directory, at + 64)
            start, size = struct.unpack_from("<II", directory, at + 116)
            name = directory[at : at + max(0, min(length, 64) - 2)].decode("utf-16-le", "replace").upper()
            if kind == _ROOT:
                found[""] = start, size
            elif kind == _STREAM:
                found.setdefault(name, (start, size))
        return found

    def _read(self, start: int, size: int) -> bytes:
        data = self._chain(start) if size >= self._cutoff else self._mini_chain(start)
        if len(data) < size:
            raise _damaged()
        return data[:size]

    def _mini_chain(self, number: int) -> bytes:
        container = self._chain(self._entries.get("", (_LAST_REGULAR, 0))[0])
        found: list[bytes] = []
        for _ in range(len(self._mini_fat) + 1):
            if number >= _LAST_REGULAR:
                return b"".join(found)
            found.append(container[number << _MINI_SHIFT : (number + 1) << _MINI_SHIFT])
            number = self._next(self._mini_fat, number)
        raise _damaged()

    @staticmethod
    def _next(table: tuple[int, ...], number: int) -> int:
        if number >= len(table):
            raise _damaged()
        return table[number]

    @staticmethod
    def _numbers(data: bytes) -> tuple[int, ...]:
        return struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])


def _damaged() -> LayoutError:
    return LayoutError(Problem("file.damaged"))
