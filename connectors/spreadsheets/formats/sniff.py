"""Detect a file's format by its first bytes, independent of its name."""

import zipfile
from collections.abc import Iterable
from io import BytesIO
from pathlib import PurePath
from typing import Final

_STARTS: Final[tuple[tuple[bytes, str], ...]] = (
    (b"%PDF", "pdf"),
    (b"\x89PNG", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF8", "gif"),
    (b"Rar!", "rar"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"\x1f\x8b", "gzip"),
    (b"SQLite format 3\x00", "database"),
)
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM: Final = "EncryptedPackage".encode("utf-16-le")
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
_NAMED: Final = {
    "xlsx": "xlsx", "xlsm": "xlsm", "xlsb": "xlsb", "xls": "xls", "ods": "ods", "pdf": "pdf",
    "numbers": "numbers",
    "csv": "csv", "tsv": "csv", "txt": "csv", "html": "html", "htm": "html", "xml": "xml", "zip": "zip",
}  # fmt: skip
_TEXT_SAMPLE: Final = 4096


def kind_by_name(name: str) -> str | None:
    """Return the format that the file's extension promises, or None."""
    return _NAMED.get(PurePath(name.lower().rstrip(". ")).suffix.lstrip("."))


def kind_by_content(content: bytes) -> str:
    """Return the format's short name: `xlsx`, …, `csv` for any text but HTML, XML and JSON, else `binary`."""
    for start, kind in _STARTS:
        if content.startswith(start):
            return kind
    if content.startswith(_OLE):
        return "encrypted" if _ENCRYPTED_STREAM in content else "xls"
    if content.startswith(b"PK"):
        return _kind_of_package(content)
    return _kind_of_text(content[:_TEXT_SAMPLE])


def _kind_of_package(content: bytes) -> str:
    try:
        with zipfile.ZipFile(BytesIO(content)) as package:
            names = set(package.namelist())
            is_ods = "mimetype" in names and b"opendocument" in _first_bytes(package, "mimetype")
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, RuntimeError, EOFError):
        return "damaged"
    if is_ods:
        return "ods"
    return _kind_of_office(names)


def _first_bytes(package: zipfile.ZipFile, name: str) -> bytes:
    try:
        with package.open(name) as part:
            return part.read(100)
    except Exception:  # noqa: BLE001 - zlib and zipfile raise half a dozen classes for a damaged part
        return b""


def _kind_of_office(names: Iterable[str]) -> str:
    found = frozenset(names)
    if "xl/vbaProject.bin" in found:
        return "xlsm"
    if "xl/workbook.bin" in found:
        return "xlsb"
    if "word/document.xml" in found:
        return "docx"
    if any(name.startswith("xl/") for name in found):
        return "xlsx"
    if any(name.endswith(".iwa") for name in found):
        return "numbers"
    return "zip"


def _kind_of_text(sample: bytes) -> str:
    if sample.startswith(_UTF16_MARKS):
        return "csv"
    if b"\x00" in sample:
        return "binary"
    head = sample.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if head.startswith((b"<!doctype html", b"<html", b"<table", b"<meta", b"<head")):
        return "html"
    if head.startswith((b"<?xml", b"<")):
        return "html" if b"<table" in head or b"<html" in head else "xml"
    if head.startswith((b"{", b"[")):
        return "json"
    return "csv"
