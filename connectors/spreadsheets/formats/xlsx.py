"""XLSX: calamine for the values, a scan of the XML for the marks, and limits on the cost of both."""

import re
from array import array
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Final
from xml.etree import ElementTree as ET

from connectors.spreadsheets.formats import remarks, sheet_xml
from connectors.spreadsheets.formats.links import INDEX_BYTES_AT_MOST, check_root, check_sheets, linked_parts, tree
from connectors.spreadsheets.formats.marks import Marks, kind_of_format
from connectors.spreadsheets.formats.package import Package
from connectors.spreadsheets.formats.sheets import FileKind, Limits, Workbook
from connectors.spreadsheets.formats.values import CalamineBook, CalamineCells, MarkedSheet, keep_limits, too_much_text
from domain.problems import LayoutError, Problem

_INDEX: Final = "xl/workbook.xml"
_LINKS: Final = "xl/_rels/workbook.xml.rels"
_TEXTS: Final = "xl/sharedStrings.xml"
_STYLES: Final = "xl/styles.xml"
_KNOWN_FORMATS: Final = {
    "1": "0", "3": "#,##0", "5": '"$"#,##0', "6": '"$"#,##0', "9": "0%", "10": "0.00%", "37": "#,##0", "38": "#,##0",
}  # fmt: skip
"""Built-in number formats that hide a part of a number, or show a percentage."""
_SHORTEST_USE: Final = len('<c r="A1" t="s"><v>0</v></c>')
_PLAIN_TEXT: Final = b"<si>"
_STRIDE: Final = 1 << 20
_TEXT_START: Final = re.compile(rb"<(?:[A-Za-z_][\w.\-]{0,40}:)?si[\s/>]")
_TEXT_USE: Final = re.compile(
    rb"""<(?:[^<>\s:]*+:)?+c(?=\s)(?=[^<>]*\st\s*+=\s*+["']s["'])[^<>]*+>\s*+"""
    rb"""(?:<(?:[^<>\s:]*+:)?+f(?=[\s/>])[^<>]*+(?:(?<=/)>|(?<!/)>[^<]*+</[^<>]*+>)\s*+)?+"""
    rb"""<(?:[^<>\s:]*+:)?+v(?=[\s>])[^<>]*+>\s*+(\d{1,9})"""
)


@dataclass(frozen=True, slots=True)
class _Listed:
    name: str
    part: str
    is_visible: bool


def open_xlsx(content: bytes, limits: Limits, *, kind: FileKind = "xlsx") -> Workbook:
    """Return the visible sheets of an XLSX or XLSM file; macros are neither run nor read.

    Raises `LayoutError` for a damaged, unsafe or too large file.
    """
    with ThreadPoolExecutor(1, "workbook") as beside:
        package = Package(content, unpacked_bytes=limits.unpacked_bytes, beside=beside)
        check_root(package, _INDEX)
        listed = _listed_sheets(package)
        look = _Look(package)
        texts = package.read(_TEXTS) if _TEXTS in package else b""
        sizes, struck = _text_sizes(texts, limits), remarks.struck_texts(texts)
        del texts
        package.check()
        # calamine works without the interpreter lock: it reads the shared texts while the sheets are searched
        opening = beside.submit(CalamineBook, content, kind)
        found = [
            (index, each, _scanned(package, each.part, limits, look, struck))
            for index, each in enumerate(listed)
            if each.is_visible
        ]
        keep_limits([scanned for _, _, scanned in found], limits)
        _refuse_text_bomb(package, [each.part for _, each, _ in found], sizes, limits)
    book = opening.result()
    return Workbook(
        kind=kind,
        sheets=tuple(
            MarkedSheet(CalamineCells(book, index, each.name), each.name, scanned) for index, each, scanned in found
        ),
        hidden_sheets=tuple(each.name for each in listed if not each.is_visible),
        facts={"dates_from": _first_year(package), **({"macros": "ignored"} if kind == "xlsm" else {})},
    )


class _Look:
    """The effect of cell styles: `formats` as in `Marks.formats`, `struck` the styles that strike through."""

    def __init__(self, package: Package) -> None:
        self.formats: Mapping[int, int] = {}
        self.struck: frozenset[int] = frozenset()
        if _STYLES in package and package.size(_STYLES) <= INDEX_BYTES_AT_MOST:
            styles = tree(package, _STYLES)
            self.formats, self.struck = _formats(styles), remarks.struck_styles(styles)


def _scanned(package: Package, part: str, limits: Limits, look: _Look, struck: frozenset[int]) -> Marks:
    data = package.read(part)
    found = sheet_xml.scan(data, rows=limits.rows, columns=limits.columns, cells=limits.cells, formats=look.formats)
    keep_limits([found], limits)
    remarks.mark_struck(data, look.struck, struck, found)
    remarks.mark_comments(package, part, found)
    return found


def _formats(sheet: ET.Element) -> dict[int, int]:
    """Return the number formats of cell styles by index, as in `Marks.formats`, without those that have no effect."""
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
        # readers differ in which of them they follow
        raise LayoutError(Problem("file.damaged"))
    return links[0] if links else ""


def _first_year(package: Package) -> str:
    """Return the first year of day numbers: 1900, or 1904 in workbooks from an old Macintosh."""
    flags = [
        element.get("date1904", "0")
        for element in tree(package, _INDEX).iter()
        if element.tag.rpartition("}")[2] == "workbookPr"
    ]
    return "1904" if flags and flags[0] in ("1", "true", "on") else "1900"


def _refuse_text_bomb(package: Package, parts: list[str], sizes: "array[int]", limits: Limits) -> None:
    """Refuse one long text in a million cells: a small file, but calamine copies the text to each cell."""
    uses = sum(package.size(part) for part in parts) // _SHORTEST_USE
    if max(sizes, default=0) * uses <= limits.unpacked_bytes:
        return
    total = 0
    for part in parts:
        for found in _TEXT_USE.finditer(package.read(part)):
            total += sizes[number] if (number := int(found[1])) < len(sizes) else 0
    if total > limits.unpacked_bytes:
        raise too_much_text(limits)


def _refuse_many_texts(texts: bytes, limits: Limits) -> None:
    # check before any memory is reserved; few files are long enough to hold so many
    if len(texts) // len("<si>") > limits.cells and any(islice(_TEXT_START.finditer(texts), limits.cells, None)):
        raise LayoutError(Problem("file.too_many_cells", params={"limit": limits.cells}))


def _text_sizes(texts: bytes, limits: Limits) -> "array[int]":
    """Return the bytes of each shared text with its markup; an array, because there may be a million."""
    _refuse_many_texts(texts, limits)
    sizes = array("I")
    if texts.count(b"<si") == texts.count(_PLAIN_TEXT) and texts.find(b":si") < 0:
        start = texts.find(_PLAIN_TEXT)
        while 0 <= start < len(texts):
            # in pieces, so that a million texts are never in memory at once
            end = texts.find(_PLAIN_TEXT, start + _STRIDE)
            sizes.extend(map(len, texts[start : end if end > 0 else None].split(_PLAIN_TEXT)[1:]))
            start = end
        return sizes
    before = None
    for found in _TEXT_START.finditer(texts):
        if before is not None:
            sizes.append(found.start() - before)
        before = found.start()
    if before is not None:
        sizes.append(len(texts) - before)
    return sizes
