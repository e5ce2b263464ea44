"""A zip package from an untrusted source: check sizes, methods and markup before any other code reads it.

A zip's directory may lie about a part, so each XML part is inflated here once with a size limit and must have exactly
the declared length; then the declared sizes can be added up. No part may declare a document type, because entity bombs
need one and no spreadsheet program writes one.
"""

import struct
import zipfile
import zlib
from concurrent.futures import Executor, Future
from io import BytesIO
from typing import Final
from xml.etree import ElementTree as ET
from xml.parsers import expat

from domain.problems import InputError, Problem

PARTS_AT_MOST: Final = 2_000
KEPT_AT_MOST: Final = 2
"""The number of inflated parts kept in memory: a sheet, and the texts that its cells share."""
_LOCAL_HEADER: Final = struct.Struct("<4s22xHH")
_END_MARK, _LARGE_MARK = b"PK\x05\x06", b"PK\x06\x07"
_END: Final = struct.Struct("<12xIIH")
_LARGE_BYTES: Final = 20
_EXTRA: Final = struct.Struct("<HH")
_SECOND_NAME: Final = 0x7075
_ENCRYPTED: Final = 0x1
_NOT_UTF8: Final = (b"\xff\xfe", b"\xfe\xff", b"\x00<", b"<\x00")
_INFLATE_RAW: Final = -15
_FAILURES: Final = (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, RuntimeError, EOFError, struct.error)


XML_FAILURES: Final = (ET.ParseError, expat.ExpatError, LookupError, ValueError)
"""The errors of the XML parsers for broken markup, and for an unknown encoding."""


class Package:
    """The parts of one zip file. Raises `InputError` for anything that no workbook's zip has.

    A thread of `beside` inflates the largest part, without the interpreter lock; `read` or `check` raises its errors.
    """

    def __init__(self, content: bytes, *, unpacked_bytes: int, beside: Executor | None = None) -> None:
        self._content = content
        try:
            with zipfile.ZipFile(BytesIO(content)) as package:
                parts = package.infolist()
        except _FAILURES as error:
            raise InputError(Problem("file.damaged")) from error
        # readers differ in which of two equal names, and of two directories, they use
        if (
            len(parts) > PARTS_AT_MOST
            or len({_folded(part.filename) for part in parts}) < len(parts)
            or not _has_one_directory(content)
            or any(_is_renamed(part.extra) for part in parts)
        ):
            raise InputError(Problem("file.unsafe"))
        if sum(part.file_size for part in parts) > unpacked_bytes:
            raise InputError(Problem("file.unpacks_too_large", params={"limit_mb": unpacked_bytes // 1_000_000}))
        if any(part.flag_bits & _ENCRYPTED for part in parts):
            raise InputError(Problem("file.password"))
        # calamine looks parts up by folded names, so do the same.
        self._parts = {_folded(part.filename): part for part in parts}
        # keep the largest parts, which are read next: inflating them again takes as long as searching them
        self._kept: dict[str, bytes] = {}
        self._coming: dict[str, Future[bytes]] = {}
        names = [name for name in self._parts if name.endswith((".xml", ".rels"))]
        if beside is not None and names:
            largest = max(names, key=self.size)
            self._coming[largest] = beside.submit(self._safe, largest)
        for name in names:
            if name not in self._coming:
                self._keep(name, self._safe(name))

    def __contains__(self, name: str) -> bool:
        return _folded(name) in self._parts

    def size(self, name: str) -> int:
        """Return the size of the part in bytes when inflated."""
        return self._parts[_folded(name)].file_size

    def read(self, name: str) -> bytes:
        """Return the part's bytes, exactly as many as declared."""
        name = _folded(name)
        if name in self._coming:
            return self._coming.pop(name).result()
        if name in self._kept:
            return self._kept.pop(name)
        return self._unpacked(name)

    def _unpacked(self, name: str) -> bytes:
        part = self._parts.get(name)
        if part is None:
            raise InputError(Problem("file.damaged"))
        try:
            mark, name_length, extra_length = _LOCAL_HEADER.unpack_from(self._content, part.header_offset)
        except struct.error as error:
            raise InputError(Problem("file.damaged")) from error
        start = part.header_offset + _LOCAL_HEADER.size + name_length + extra_length
        packed = memoryview(self._content)[start : start + part.compress_size]
        if mark != b"PK\x03\x04" or len(packed) < part.compress_size:
            raise InputError(Problem("file.damaged"))
        return self._inflated(part, packed)

    def check(self) -> None:
        """Wait for the part that a thread inflates, unless it was read already."""
        for coming in self._coming.values():
            coming.result()

    def _inflated(self, part: zipfile.ZipInfo, packed: memoryview) -> bytes:
        if part.compress_type == zipfile.ZIP_STORED:
            data = bytes(packed)
        elif part.compress_type == zipfile.ZIP_DEFLATED:
            inflater = zlib.decompressobj(_INFLATE_RAW)
            try:
                # one byte more than declared, to detect a wrong declaration
                data = inflater.decompress(packed, part.file_size + 1)
            except zlib.error as error:
                raise InputError(Problem("file.damaged")) from error
        else:
            raise InputError(Problem("file.unsafe"))
        if len(data) > part.file_size:
            raise InputError(Problem("file.unsafe"))
        if len(data) < part.file_size or zlib.crc32(data) != part.CRC:
            raise InputError(Problem("file.damaged"))
        return data

    def _safe(self, name: str) -> bytes:
        data = self._unpacked(name)
        # a search for one byte takes a third of the time
        can_expand = b"!" in data and (b"<!DOCTYPE" in data or b"<!ENTITY" in data)
        if data.startswith(_NOT_UTF8) or can_expand:
            raise InputError(Problem("file.unsafe"))
        return data

    def _keep(self, name: str, data: bytes) -> None:
        self._kept[name] = data
        if len(self._kept) > KEPT_AT_MOST:
            del self._kept[min(self._kept, key=self.size)]


def _has_one_directory(content: bytes) -> bool:
    """Return whether the file ends with one directory and its end record, and does not use ZIP64."""
    at = content.rfind(_END_MARK)
    try:
        size, start, comment = _END.unpack_from(content, at)
    except struct.error:
        return False
    is_large = content.startswith(_LARGE_MARK, max(at - _LARGE_BYTES, 0))
    return bool(start + size == at and at + _END.size + comment == len(content) and not is_large)


def _is_renamed(extra: bytes) -> bool:
    """Return whether the part has a second name that only some readers use."""
    at = 0
    while at + _EXTRA.size <= len(extra):
        kind, size = _EXTRA.unpack_from(extra, at)
        if kind == _SECOND_NAME:
            return True
        at += _EXTRA.size + size
    return False


def _folded(name: str) -> str:
    return name.replace("\\", "/").lower()
