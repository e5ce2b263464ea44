"""Read CSV: find its encoding and separator, and yield its rows lazily."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final

from connectors.spreadsheets.formats.sheets import Limits, Row, Workbook
from domain.problems import InputError, Problem, Where

Source = bytes | Path

SHEET_NAME: Final = "CSV"
"""The name of the only sheet. It is fixed, because a renamed copy of the file must have the same sheet and rows."""

SEPARATORS: Final = (";", ",", "\t", "|")
_ENCODINGS: Final = ["utf_8", "cp1252", "utf_16"]
_UTF16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UTF8_LETTERS: Final = re.compile(rb"\xc3[\x80-\x90\x98-\x9f\xa1-\xa9\xab-\xb9\xbb-\xbf]")
"""Accented letters in UTF-8.

Read as cp1252, each would be `Ã` and a sign that never follows it. Signs that may follow it, such as a quote, are
excluded.
"""
_SAMPLE_BYTES: Final = 64_000
_SAMPLE_RECORDS: Final = 60
_PIECE: Final = 1 << 20
_LONGEST_NAME: Final = 40
_RECORDS_AT_MOST: Final = 1_048_576
"""The row limit of spreadsheet programs, blank rows included."""


class DelimitedSheet:
    """The only sheet of a CSV file. A record over several lines is one row, as in a spreadsheet program."""

    def __init__(self, source: Source, *, encoding: str, separator: str, limits: Limits) -> None:
        self._source = source
        self._encoding = encoding
        self._separator = separator
        self._limits = limits
        self.name = SHEET_NAME
        self.hidden_columns: frozenset[int] = frozenset()
        self.has_merges = False
        self.fills: Mapping[tuple[int, int], str] = {}

    def rows(self) -> Iterator[Row]:
        """Yield rows with content. Raises `InputError` for an open quote or beyond the limits."""
        count = 0
        for number, record in _records(self._source, self._encoding, self._separator):
            if len(record) > self._limits.columns:
                params: dict[str, str | int] = {"limit": self._limits.columns}
                raise InputError(Problem("file.too_many_columns", None, Where(row=number), params))
            while record and not record[-1]:
                record.pop()
            if record:
                count += 1
            if count > self._limits.rows or number > _RECORDS_AT_MOST:
                raise InputError(Problem("file.too_many_rows", params={"limit": self._limits.rows}))
            if record:
                yield Row(number, tuple(text or None for text in record))


def open_delimited(content: bytes, limits: Limits) -> Workbook:
    """Open a CSV file as a workbook of one sheet. Raises `InputError` for an unreadable encoding or broken quotes."""
    encoding = encoding_of(content)
    separator = _separator_of(content, encoding)
    sheet = DelimitedSheet(content, encoding=encoding, separator=separator, limits=limits)
    for _ in sheet.rows():
        # refuse a file with broken quotes or too many rows here, before anyone uses a row
        pass
    shown = {"\t": "tab"}.get(separator, separator)
    return Workbook(kind="csv", sheets=(sheet,), facts={"encoding": encoding, "separator": shown})


def reopened(source: Source, facts: Mapping[str, str], limits: Limits) -> DelimitedSheet:
    """Return the sheet of a CSV file that `open_delimited` opened before, with the `facts` that it found."""
    separator = {"tab": "\t"}.get(facts["separator"], facts["separator"])
    encoding = facts["encoding"]
    if separator not in SEPARATORS or len(encoding) > _LONGEST_NAME:
        raise InputError(Problem("file.damaged"))
    return DelimitedSheet(source, encoding=encoding, separator=separator, limits=limits)


def encoding_of(content: bytes) -> str:
    """Return the encoding of a text file. Raises `InputError` for mixed or undecodable text."""
    if content.startswith(_UTF16_MARKS):
        return _proved(content, "utf_16")
    if _decodes(content, "utf-8-sig"):
        return "utf-8-sig"
    # few files need it, and loading it takes longer than reading a small one
    from charset_normalizer import from_bytes  # noqa: PLC0415

    # guess from the lines around the first bytes that are not ASCII
    at = next(index for index, byte in enumerate(content) if byte > 127)
    start = content.rfind(b"\n", 0, max(0, at - 2_000)) + 1
    best = from_bytes(content[start : start + _SAMPLE_BYTES], cp_isolation=_ENCODINGS).best()
    return _proved(content, best.encoding if best else "cp1252")


def _proved(content: bytes, encoding: str) -> str:
    # text of both encodings in one file would print names as `JosÃ©`
    is_both = encoding == "cp1252" and _UTF8_LETTERS.search(content)
    if is_both or not _decodes(content, encoding):
        raise InputError(Problem("file.encoding"))
    return encoding


def _decodes(content: bytes, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    view = memoryview(content)
    try:
        for start in range(0, len(content), _PIECE):
            decoder.decode(bytes(view[start : start + _PIECE]))
        decoder.decode(b"", final=True)
    except UnicodeError:
        return False
    return True


def _separator_of(content: bytes, encoding: str) -> str:
    """Return the separator that the first line declares, or the one that gives most records the same width.

    The standard library's sniffer takes the comma of `1.234,56` for a separator.
    """
    lines = _lines(content, encoding)
    declared = _declared_separator(next(lines, ""))
    if declared:
        return declared
    return max(SEPARATORS, key=lambda separator: _evenness(content, encoding, separator))


def _evenness(content: bytes, encoding: str, separator: str) -> tuple[int, int]:
    widths: Counter[int] = Counter()
    try:
        for _, record in islice(_records(content, encoding, separator), _SAMPLE_RECORDS):
            widths[len(record)] += 1
    except InputError:
        return 0, 0
    # titles and blank lines have one cell with every separator
    wide = Counter({width: count for width, count in widths.items() if width > 1})
    if not wide:
        return 0, 0
    ((width, count),) = wide.most_common(1)
    return count, width


def _lines(source: Source, encoding: str) -> Iterator[str]:
    opened = source.open("rb") if isinstance(source, Path) else io.BytesIO(source)
    # newline="" leaves line breaks inside quotes to the csv module
    with io.TextIOWrapper(opened, encoding=encoding, errors="strict", newline="") as text:
        yield from text


def _declared_separator(first_line: str) -> str | None:
    """Return the separator of a first line `sep=;`, which spreadsheet programs accept and do not show as a row."""
    line = first_line.strip().strip('"').lower()
    return line[4:] if line[:4] == "sep=" and line[4:] in SEPARATORS else None


def _records(source: Source, encoding: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    lines = _lines(source, encoding)
    first = next(lines, "")
    if _declared_separator(first) is None:
        lines = _lines(source, encoding)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    number = 0
    while True:
        try:
            record = next(reader, None)
        except csv.Error as error:
            raise InputError(Problem("file.quotes", None, Where(row=number + 1))) from error
        if record is None:
            return
        number += 1
        yield number, record
