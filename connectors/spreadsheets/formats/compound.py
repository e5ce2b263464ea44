"""The container of an old XLS file: a small file system in sectors, of which we need one stream.

A stream larger than the file, or a chain of more sectors than the file has, is refused. calamine might follow other
chains, to another stream or without end, so it gets a container that `packed` builds.
"""

import struct
import sys
from array import array
from typing import Final

from domain.problems import InputError, Problem

_MAGIC: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEADER: Final = struct.Struct("<8s16xHHHHH6xIIIIIIIII")
_HEADER_BYTES: Final = 512
_HEADER_FAT_ENTRIES: Final = 109
_ENTRY_BYTES: Final = 128
_LAST_REGULAR, _OF_THE_TABLE, _END, _FREE = 0xFFFFFFFA, 0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFF
_SECTOR_SHIFTS: Final = (9, 12)
_MINI_SHIFT: Final = 6
_STREAM, _ROOT = 2, 5
_ENTRY: Final = struct.Struct("<64sHBBIII36xIQ")
_SHIFT: Final = 12
_SMALLEST: Final = 4096
"""Streams of fewer bytes are stored in 64-byte sectors."""


class Compound:
    """The streams of one compound file, by name. Raises `InputError` for a damaged one."""

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
        """Return the first of these streams that the file has, or None."""
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

    def _read_fat(self, *, difat_start: int, fat_count: int) -> "array[int]":
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
        """Return start and size of each stream, by name in capitals; the mini stream has an empty name."""
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
        if size > len(self._content):
            raise _damaged()
        data = self._chain(start) if size >= self._cutoff else self._mini_chain(start, size)
        if len(data) < size:
            raise _damaged()
        return data[:size]

    def _mini_chain(self, number: int, size: int) -> bytes:
        container = self._chain(self._entries.get("", (_LAST_REGULAR, 0))[0])
        found: list[bytes] = []
        for _ in range((size >> _MINI_SHIFT) + 1):
            if number >= _LAST_REGULAR:
                break
            found.append(container[number << _MINI_SHIFT : (number + 1) << _MINI_SHIFT])
            number = self._next(self._mini_fat, number)
        return b"".join(found)

    @staticmethod
    def _next(table: "array[int]", number: int) -> int:
        if number >= len(table):
            raise _damaged()
        return table[number]

    @staticmethod
    def _numbers(data: bytes) -> "array[int]":
        # a table can be as large as the file: as a tuple it would need ten times the memory
        numbers = array("I", data[: len(data) // 4 * 4])
        if sys.byteorder == "big":
            numbers.byteswap()
        return numbers


def packed(stream: bytes | bytearray) -> bytes:
    """Return a compound file with this stream as `Workbook` and no other; pad a short stream with zeros."""
    size, per_sector = 1 << _SHIFT, 1 << (_SHIFT - 2)
    data = bytes(stream).ljust(_SMALLEST, b"\0")
    count = -(-len(data) // size)
    fat_count = -(-(count + 1) // (per_sector - 1))
    fat = [_OF_THE_TABLE] * fat_count + [_END]
    fat += [*range(fat_count + 2, fat_count + 1 + count), _END]
    header = _HEADER.pack(
        _MAGIC, 0x3E, 4, 0xFFFE, _SHIFT, _MINI_SHIFT, 1, fat_count, fat_count, 0, _SMALLEST, _END, 0, _END, 0
    )
    listed = [*range(fat_count), *[_FREE] * (_HEADER_FAT_ENTRIES - fat_count)]
    return b"".join(
        (
            (header + _words(listed)).ljust(size, b"\0"),
            _words(fat).ljust(fat_count * size, b"\xff"),
            (_entry("Root Entry", _ROOT, 0, 0) + _entry("Workbook", _STREAM, fat_count + 1, len(data))).ljust(
                size, b"\0"
            ),
            data.ljust(count * size, b"\0"),
        )
    )


def _words(numbers: list[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers)


def _entry(name: str, kind: int, start: int, size: int) -> bytes:
    text = f"{name}\0".encode("utf-16-le")
    child = 1 if kind == _ROOT else _FREE
    return _ENTRY.pack(text, len(text), kind, 1, _FREE, _FREE, child, start, size)


def _damaged() -> InputError:
    return InputError(Problem("file.damaged"))
