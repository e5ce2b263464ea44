"""XLSX: calamine for the values, a scan of the XML for what it does not tell, ceilings on what either may cost."""

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Final, TypeVar
from xml.etree import ElementTree as ET

import python_calamine as calamine

from connectors.spreadsheets.formats import marks
from connectors.spreadsheets.formats.marks import Marks
from connectors.spreadsheets.formats.package import Package
from connectors.spreadsheets.formats.sheets import Cell, CellError, Limits, Row, Uncalculated, Workbook
from domain.problems import LayoutError, Problem

INDEX_BYTES_AT_MOST: Final = 4_000_000
SHEETS_AT_MOST: Final = 100
_INDEX: Final = "xl/workbook.xml"
_LINKS: Final = "xl/_rels/workbook.xml.rels"
_TEXTS: Final = "xl/sharedStrings.xml"
_SHORTEST_USE: Final = len('<c r="A1" t="s"><v>0</v></c>')
_TEXT_START: Final = re.compile(rb"<(?:[A-Za-z_][\w.\-]{0,40}:)?si[\s/>]")
_TEXT_USE: Final = re.compile(
    rb"""\st\s*=\s*["']s["'][^<>]*>(?:<[^<>]*f[^<>]*/>|<[^<>]*f[^<>]*>[^<]*</[^<>]*f>)?<[^<>]*v>\s*(\d{1,9})"""
)


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Listed:
    name: str
    part: str
    is_visible: bool


class XlsxSheet:
    """One visible sheet; its cells are loaded when its rows are asked for."""

    def __init__(self, reader: "_Reader", index: int, name: str, found: Marks) -> None:
        self._reader = reader
        self._index = index
        self._marks = found
        self.name = name
        self.hidden_columns = frozenset(found.hidden_columns)

    def rows(self) -> Iterator[Row]:
        """Rows with content, numbered as the person sees them."""
        overlay: defaultdict[int, dict[int, Cell]] = defaultdict(dict)
        for (row, column), shown in self._marks.errors.items():
            overlay[row][column] = CellError(shown)
        for row, column in self._marks.uncalculated:
            overlay[row][column] = Uncalculated()
        if not self._marks.height:
            return
        sheet = self._reader.sheet(self._index)
        # calamine keeps leading blank rows but drops leading blank columns
        before: list[Cell] = [None] * (sheet.start[1] if sheet.start else 0)
        for index, values in enumerate(sheet.iter_rows() if sheet.start else ()):
            cells = before + [None if value == "" else value for value in values]
            self._lay_over(cells, overlay.pop(index, {}))
            if any(cell is not None for cell in cells):
                yield self._row(index, cells)
        for index in sorted(overlay):
            cells = []
            self._lay_over(cells, overlay[index])
            yield self._row(index, cells)

    def _row(self, index: int, cells: list[Cell]) -> Row:
        while cells[-1] is None:
            cells.pop()
        return Row(index + 1, tuple(cells), is_hidden=index in self._marks.hidden_rows)

    @staticmethod
    def _lay_over(cells: list[Cell], marked: dict[int, Cell]) -> None:
        for column, cell in marked.items():
            cells.extend([None] * (column + 1 - len(cells)))
            cells[column] = cell


class _Reader:
    """One calamine workbook, holding the cells of one sheet at a time."""

    def __init__(self, content: bytes) -> None:
        self._workbook = _guarded(lambda: calamine.CalamineWorkbook.from_filelike(BytesIO(content)))
        self._held: tuple[int, calamine.CalamineSheet] | None = None

    def sheet(self, index: int) -> calamine.CalamineSheet:
        if self._held is None or self._held[0] != index:
            self._held = None
            self._held = index, _guarded(lambda: self._workbook.get_sheet_by_index(index))
        return self._held[1]


def open_xlsx(content: bytes, limits: Limits) -> Workbook:
    """The visible sheets of an XLSX file. Raises `LayoutError` for a damaged, unsafe or too large one."""
    package = Package(content, unpacked_bytes=limits.unpacked_bytes)
    listed = _listed_sheets(package)
    found = [
        (index, each, _scanned(package, each.part, limits)) for index, each in enumerate(listed) if each.is_visible
    ]
    if sum(scanned.height * scanned.width for _, _, scanned in found) > limits.cells:
        raise LayoutError(Problem("file.too_many_cells", params={"limit": limits.cells}))
    _refuse_text_bomb(package, [each.part for _, each, _ in found], limits)
    reader = _Reader(content)
    return Workbook(
        kind="xlsx",
        sheets=tuple(XlsxSheet(reader, index, each.name, scanned) for index, each, scanned in found),
        hidden_sheets=tuple(each.name for each in listed if not each.is_visible),
        facts={"dates_from": _first_year(package)},
    )


def _scanned(package: Package, part: str, limits: Limits) -> Marks:
    found = marks.scan(package.read(part), rows=limits.rows, columns=limits.columns, cells=limits.cells)
    if found.row_count > limits.rows:
        raise LayoutError(Problem("file.too_many_rows", params={"limit": limits.rows}))
    if found.width > limits.columns:
        raise LayoutError(Problem("file.too_many_columns", params={"limit": limits.columns}))
    return found


def _listed_sheets(package: Package) -> list[_Listed]:
    """Every sheet in workbook order, as calamine counts them."""
    targets = {
        link.get("Id", ""): _part_of(link.get("Target", ""))
        for link in _tree(package, _LINKS)
        if link.get("Type", "").endswith(("/worksheet", "/chartsheet", "/dialogsheet", "/macrosheet"))
    }
    listed = [
        _Listed(
            name=sheet.get("name", ""),
            part=targets.get(next((text for key, text in sheet.items() if key.endswith("}id")), ""), ""),
            is_visible=sheet.get("state", "visible") == "visible",
        )
        for sheet in _tree(package, _INDEX).iter()
        if sheet.tag.rpartition("}")[2] == "sheet"
    ]
    if len(listed) > SHEETS_AT_MOST:
        raise LayoutError(Problem("file.too_many_sheets", params={"limit": SHEETS_AT_MOST}))
    return listed


def _first_year(package: Package) -> str:
    """Day numbers count from 1900, or from 1904 in workbooks that began on a Macintosh."""
    flags = [
        element.get("date1904", "0")
        for element in _tree(package, _INDEX).iter()
        if element.tag.rpartition("}")[2] == "workbookPr"
    ]
    return "1904" if flags and flags[0] in ("1", "true", "on") else "1900"


def _part_of(target: str) -> str:
    return target[1:] if target.startswith("/") else target if target.startswith("xl/") else f"xl/{target}"


def _tree(package: Package, name: str) -> ET.Element:
    if name not in package or package.size(name) > INDEX_BYTES_AT_MOST:
        raise LayoutError(Problem("file.damaged"))
    try:
        # the package has refused document types, so nothing here can expand
        return ET.fromstring(package.read(name))  # noqa: S314
    except ET.ParseError as error:
        raise LayoutError(Problem("file.damaged")) from error


def _refuse_text_bomb(package: Package, parts: list[str], limits: Limits) -> None:
    """One long text used by a million cells is a small file; calamine gives every cell a copy of its own."""
    if _TEXTS not in package:
        return
    sizes = _text_sizes(package.read(_TEXTS), limits)
    uses = sum(package.size(part) for part in parts) // _SHORTEST_USE
    if max(sizes, default=0) * uses <= limits.unpacked_bytes:
        return
    total = 0
    for part in parts:
        for found in _TEXT_USE.finditer(package.read(part)):
            total += sizes[number] if (number := int(found[1])) < len(sizes) else 0
    if total > limits.unpacked_bytes:
        raise LayoutError(Problem("file.unpacks_too_large", params={"limit_mb": limits.unpacked_bytes // 1_000_000}))


def _text_sizes(texts: bytes, limits: Limits) -> "array[int]":
    """How many bytes each shared text takes, markup included; an array, for there may be a million of them."""
    sizes = array("I")
    before = None
    for found in _TEXT_START.finditer(texts):
        if before is not None:
            sizes.append(found.start() - before)
        before = found.start()
        if len(sizes) > limits.cells:
            raise LayoutError(Problem("file.too_many_cells", params={"limit": limits.cells}))
    if before is not None:
        sizes.append(len(texts) - before)
    return sizes


def _guarded(call: Callable[[], T]) -> T:
    """What calamine raises, as a `LayoutError`; its panics are no `Exception`."""
    try:
        return call()
    except calamine.PasswordError as error:
        raise LayoutError(Problem("file.password")) from error
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise LayoutError(Problem("file.damaged")) from error
