"""Read XLSX: calamine for the values, searches of the XML for the marks, limits on the cost of both."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree as ET

from connectors.spreadsheets.formats import cell_comments, fills, sheet_xml
from connectors.spreadsheets.formats.links import INDEX_BYTES_AT_MOST, check_root, check_sheets, linked_parts, tree
from connectors.spreadsheets.formats.package import Package
from connectors.spreadsheets.formats.shared_texts import SharedTexts, shared_texts
from connectors.spreadsheets.formats.sheet_metadata import SheetMetadata, kind_of_format
from connectors.spreadsheets.formats.sheets import FileKind, Limits, Workbook
from connectors.spreadsheets.formats.values import CalamineBook, CalamineCells, MarkedSheet, keep_limits, too_much_text
from domain.problems import InputError, Problem

_INDEX: Final = "xl/workbook.xml"
_LINKS: Final = "xl/_rels/workbook.xml.rels"
_TEXTS: Final = "xl/sharedStrings.xml"
_STYLES: Final = "xl/styles.xml"
_KNOWN_FORMATS: Final = {
    "1": "0", "3": "#,##0", "5": '"$"#,##0', "6": '"$"#,##0', "9": "0%", "10": "0.00%", "37": "#,##0", "38": "#,##0",
}  # fmt: skip
"""Built-in number formats that hide a part of a number, or show a percentage."""


@dataclass(frozen=True, slots=True)
class _Listed:
    name: str
    part: str
    is_visible: bool


def open_xlsx(content: bytes, limits: Limits, *, kind: FileKind = "xlsx") -> Workbook:
    """Return the visible sheets of an XLSX or XLSM file; macros are neither run nor read.

    Raises `InputError` for a damaged, unsafe or too large file.
    """
    with ThreadPoolExecutor(1, "workbook") as beside:
        package = Package(content, unpacked_bytes=limits.unpacked_bytes, beside=beside)
        check_root(package, _INDEX)
        listed = _listed_sheets(package)
        texts = package.read(_TEXTS) if _TEXTS in package else b""
        formatting = _Formatting(package, texts)
        copies = _Copies(
            package, [each.part for each in listed if each.is_visible], shared_texts(texts, limits), limits
        )
        del texts
        package.check()
        # calamine works without the interpreter lock: it reads the shared texts while the sheets are searched
        opening = beside.submit(CalamineBook, content, kind)
        found = [
            (index, each, _scanned(package, each.part, limits, formatting, copies))
            for index, each in enumerate(listed)
            if each.is_visible
        ]
        keep_limits([scanned for _, _, scanned in found], limits)
        copies.keep_limit()
    book = opening.result()
    return Workbook(
        kind=kind,
        sheets=tuple(
            MarkedSheet(CalamineCells(book, index, each.name), each.name, scanned) for index, each, scanned in found
        ),
        hidden_sheets=tuple(each.name for each in listed if not each.is_visible),
        facts={"dates_from": _first_year(package), **({"macros": "ignored"} if kind == "xlsm" else {})},
    )


class _Formatting:
    """What cell styles and shared texts show beside values.

    `formats` (as in `SheetMetadata.formats`) and `fills` are by the index of a cell style, `struck` are the indexes of
    the styles that strike through, and `struck_texts` is the result of `cell_comments.struck_texts`.
    """

    def __init__(self, package: Package, texts: bytes) -> None:
        self.formats: Mapping[int, int] = {}
        self.struck: frozenset[int] = frozenset()
        self.fills: Mapping[int, str] = {}
        self.struck_texts = cell_comments.struck_texts(texts)
        if _STYLES in package and package.size(_STYLES) <= INDEX_BYTES_AT_MOST:
            styles = tree(package, _STYLES)
            self.formats, self.struck = _formats(styles), cell_comments.struck_styles(styles)
            self.fills = fills.coloured_styles(styles, package)


class _Copies:
    """The bytes that calamine copies from the shared texts to the cells of the visible sheets."""

    def __init__(self, package: Package, parts: list[str], texts: SharedTexts, limits: Limits) -> None:
        self._package, self._parts, self._texts, self._limits = package, parts, texts, limits
        sheet_bytes = sum(package.size(part) for part in parts if part in package)
        self._are_few = texts.fit(sheet_bytes, limits.unpacked_bytes)
        self._at_most = 0

    def add(self, sheet: bytes) -> None:
        """Add the bytes that are copied to a sheet, while its XML is in memory."""
        if not self._are_few:
            self._at_most += self._texts.bytes_at_most(sheet, enough=self._limits.unpacked_bytes // len(self._parts))

    def keep_limit(self) -> None:
        """Raise `InputError` for too many bytes: a small file may have one long text in a million cells."""
        limit = self._limits.unpacked_bytes
        if self._at_most > limit and self._texts.exceed(map(self._package.read, self._parts), limit):
            raise too_much_text(self._limits)


def _scanned(package: Package, part: str, limits: Limits, formatting: _Formatting, copies: _Copies) -> SheetMetadata:
    data = package.read(part)
    found = sheet_xml.scan(
        data, rows=limits.rows, columns=limits.columns, cells=limits.cells, formats=formatting.formats
    )
    keep_limits([found], limits)
    copies.add(data)
    cell_comments.mark_struck(data, formatting.struck, formatting.struck_texts, found)
    fills.mark_fills(data, formatting.fills, found)
    cell_comments.mark_comments(package, part, found)
    return found


def _formats(sheet: ET.Element) -> dict[int, int]:
    """Return the number formats of cell styles by index, as in `SheetMetadata.formats`; leave out those of kind 0."""
    codes = dict(_KNOWN_FORMATS)
    for each in sheet.iter():
        if each.tag.rpartition("}")[2] == "numFmt":
            codes[each.get("numFmtId", "")] = each.get("formatCode", "")
    kinds = {number: kind for number, code in codes.items() if (kind := kind_of_format(code))}
    styles = next((each for each in sheet if each.tag.rpartition("}")[2] == "cellXfs"), ())
    shown = ((index, kinds.get(style.get("numFmtId", ""), 0)) for index, style in enumerate(styles))
    return {index: kind for index, kind in shown if kind}


def _listed_sheets(package: Package) -> list[_Listed]:
    """Return every sheet in workbook order, like calamine."""
    targets = linked_parts(package, _LINKS)
    listed = [
        _Listed(
            name=sheet.get("name", ""),
            part=targets.get(_link_of(sheet), ""),
            is_visible=sheet.get("state", "visible") == "visible",
        )
        for sheet in tree(package, _INDEX).iter()
        if sheet.tag.rpartition("}")[2] == "sheet"
    ]
    check_sheets([each.name for each in listed], [each.part for each in listed])
    return listed


def _link_of(sheet: ET.Element) -> str:
    links = [text for key, text in sheet.items() if key.endswith("}id")]
    if len(links) > 1:
        # of two ids, readers follow different ones
        raise InputError(Problem("file.damaged"))
    return links[0] if links else ""


def _first_year(package: Package) -> str:
    """Return the first year of day numbers: 1900, or 1904 in workbooks from an old Macintosh."""
    flags = [
        element.get("date1904", "0")
        for element in tree(package, _INDEX).iter()
        if element.tag.rpartition("}")[2] == "workbookPr"
    ]
    return "1904" if flags and flags[0] in ("1", "true", "on") else "1900"
