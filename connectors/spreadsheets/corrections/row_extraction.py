"""Cut the wanted rows out of a sheet's XML in a stream, for sheets of any length.

A spreadsheet library would load every cell first. An XML parser reads the wanted rows, and `parts` writes them anew, so
nothing else of the sheet is copied. Markup that no common program writes raises `UnusualMarkup`: the caller then uses
the slower module `values`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Final
from xml.etree import ElementTree as ET

from connectors.spreadsheets.corrections.markup import MAIN, PIECE, UnusualMarkup
from connectors.spreadsheets.formats.sheet_metadata import column_index

LONGEST_HEAD: Final = 4 << 20
LONGEST_ROW: Final = 32 << 20
MERGES_AT_MOST: Final = 1_000
_ROOT: Final = re.compile(rb"<worksheet(?=[\s>])[^<>]*>")
_DATA: Final = re.compile(rb"<sheetData\s*(/?)>")
_DATA_END: Final = b"</sheetData>"
_ROW: Final = re.compile(rb"<row(?=[\s/>])[^<>]*>")
_ROW_END: Final = b"</row>"
_NUMBER: Final = re.compile(rb"""\sr=["'](\d{1,7})["']""")
_ADDRESS: Final = re.compile(r"([A-Z]{1,3})\d{1,7}")
_MERGE: Final = re.compile(rb"""<mergeCell\s+ref=["']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})["']""")
_LONGEST_MERGE: Final = 60


@dataclass(frozen=True, slots=True)
class ExtractedCell:
    """One cell: column from 0, style number, type and value as in the XML.

    The value of type `s` is the number of a shared text.
    """

    column: int
    style: str
    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class ExtractedRow:
    """One row: its number in the sheet, its height if a person set one, its cells."""

    number: int
    height: str | None
    is_hidden: bool
    cells: tuple[ExtractedCell, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """The format of columns `first` to `last`, from 0: the attributes as in the XML."""

    first: int
    last: int
    look: dict[str, str]


@dataclass(frozen=True, slots=True)
class Merge:
    """One merged range: rows from 1, columns from 0."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True, slots=True)
class SheetExtract:
    """The rows cut out of one sheet. `frozen_columns` stay in place when a person scrolls to the right."""

    rows: tuple[ExtractedRow, ...]
    columns: tuple[Columns, ...]
    merges: tuple[Merge, ...]
    defaults: dict[str, str]
    frozen_columns: int
    has_grid: bool


def extract_rows(part: IO[bytes], is_wanted: Callable[[int], bool], *, last: int) -> SheetExtract:
    """Return the wanted rows of a sheet's XML part, up to row `last`. Raises `UnusualMarkup` for odd markup."""
    stream = _Stream(part)
    head, has_rows = stream.head()
    root = _ROOT.search(head)
    if root is None:
        raise UnusualMarkup("prefixed markup")
    rows = tuple(_rows(stream, root[0], is_wanted, last)) if has_rows else ()
    # stopping before the sheet's end leaves the rest unread, merged ranges too
    merges = tuple(stream.merges()) if last >= stream.reached else ()
    return _extract(head, rows, merges)


class _Stream:
    """A sheet's XML part, read in pieces; `reached` is the number of the last row read."""

    def __init__(self, part: IO[bytes]) -> None:
        self._part = part
        self._held = b""
        self._is_over = False
        self.reached = 0

    def head(self) -> tuple[bytes, bool]:
        """Return everything before the rows, and whether there are any."""
        while (found := _DATA.search(self._held)) is None:
            if len(self._held) > LONGEST_HEAD or not self._more():
                raise UnusualMarkup("no rows at all")
        head, self._held = self._held[: found.start()], self._held[found.end() :]
        return head, not found[1]

    def rows(self) -> Iterator[tuple[int, bytes, bytes]]:
        """Yield (number, opening tag, cells) of each row that has cells."""
        while True:
            end = self._held.find(_DATA_END)
            whole = end if end >= 0 else self._held.rfind(_ROW_END) + len(_ROW_END)
            if end >= 0 or whole >= len(_ROW_END):
                yield from self._whole_rows(self._held[:whole])
                self._held = self._held[whole:]
            if end >= 0:
                return
            if len(self._held) > LONGEST_ROW or not self._more():
                raise UnusualMarkup("rows without an end")

    def merges(self) -> Iterator[Merge]:
        """Yield the merged ranges after the rows."""
        count = 0
        while True:
            taken = 0
            for found in _MERGE.finditer(self._held):
                taken = found.end()
                yield Merge(int(found[2]), _index(found[1]), int(found[4]), _index(found[3]))
                count += 1
                if count >= MERGES_AT_MOST:
                    return
            self._held = self._held[max(taken, len(self._held) - _LONGEST_MERGE) :]
            if not self._more():
                return

    def _whole_rows(self, data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
        if b"<!" in data:
            raise UnusualMarkup("comments or character data sections")
        for tag in _ROW.finditer(data):
            found = _NUMBER.search(tag[0])
            self.reached = int(found[1]) if found else self.reached + 1
            if not tag[0].endswith(b"/>"):
                yield self.reached, tag[0], data[tag.end() : data.find(_ROW_END, tag.end())]

    def _more(self) -> bool:
        if self._is_over:
            return False
        piece = self._part.read(PIECE)
        self._is_over = not piece
        self._held += piece
        return bool(piece)


def _rows(stream: _Stream, root: bytes, is_wanted: Callable[[int], bool], last: int) -> Iterator[ExtractedRow]:
    for number, tag, cells in stream.rows():
        if number > last:
            return
        if is_wanted(number):
            yield _row(number, _parsed(root + tag + cells + b"</row></worksheet>"))


def _row(number: int, tree: ET.Element) -> ExtractedRow:
    row = tree[0]
    cells: list[ExtractedCell] = []
    for cell in row.iterfind(f"{MAIN}c"):
        address = _ADDRESS.fullmatch(cell.get("r", ""))
        column = column_index(address[1]) if address else (cells[-1].column + 1 if cells else 0)
        cells.append(ExtractedCell(column, cell.get("s", ""), cell.get("t", ""), _value(cell)))
    height = row.get("ht") if row.get("customHeight") in ("1", "true") else None
    return ExtractedRow(number, height, row.get("hidden") in ("1", "true"), tuple(cells))


def _value(cell: ET.Element) -> str:
    if cell.get("t") == "inlineStr":
        return "".join(text.text or "" for text in cell.iter(f"{MAIN}t"))
    return cell.findtext(f"{MAIN}v", "")


def _extract(head: bytes, rows: tuple[ExtractedRow, ...], merges: tuple[Merge, ...]) -> SheetExtract:
    tree = _parsed(head + b"</worksheet>")
    view = tree.find(f"{MAIN}sheetViews/{MAIN}sheetView")
    pane = None if view is None else view.find(f"{MAIN}pane")
    is_frozen = pane is not None and pane.get("state", "").startswith("frozen")
    defaults = tree.find(f"{MAIN}sheetFormatPr")
    return SheetExtract(
        rows=rows,
        columns=tuple(_columns(tree)),
        merges=merges,
        defaults={} if defaults is None else _plain(defaults),
        frozen_columns=int(float(pane.get("xSplit", "0"))) if pane is not None and is_frozen else 0,
        has_grid=view is None or view.get("showGridLines") not in ("0", "false"),
    )


def _columns(tree: ET.Element) -> Iterator[Columns]:
    for column in tree.iterfind(f"{MAIN}cols/{MAIN}col"):
        look = _plain(column)
        first, last = look.pop("min", ""), look.pop("max", "")
        if first.isdecimal() and last.isdecimal():
            yield Columns(int(first) - 1, int(last) - 1, look)


def _plain(element: ET.Element) -> dict[str, str]:
    """Return the attributes of the main namespace, without any program's extensions."""
    return {name: value for name, value in element.attrib.items() if not name.startswith("{")}


def _parsed(xml: bytes) -> ET.Element:
    try:
        # the reader refused document types on arrival: nothing here can expand
        return ET.fromstring(xml)  # noqa: S314
    except ET.ParseError as error:
        raise UnusualMarkup("no well-formed markup") from error


def _index(letters: bytes) -> int:
    return column_index(letters.decode("ascii"))
