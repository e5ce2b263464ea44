"""Split a workbook's package into parts and assemble a small one: chosen rows, their texts, styles and theme.

Macros, formulas, drawings, links, filters and everything else are never copied; neither are the texts of other rows.
"""

import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import IO, Final
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

from connectors.spreadsheets.corrections.row_extraction import (
    MAIN,
    PIECE,
    Columns,
    ExtractedRow,
    Merge,
    SheetExtract,
    UnusualMarkup,
)
from connectors.spreadsheets.formats.marks import column_letter

_NAMESPACE: Final = MAIN.strip("{}")
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_INDEX: Final = "xl/workbook.xml"
_TEXTS: Final = "xl/sharedStrings.xml"
_COPIED: Final = {
    "xl/styles.xml": ("styles", f"{_TYPE}.styles+xml"),
    "xl/theme/theme1.xml": ("theme", "application/vnd.openxmlformats-officedocument.theme+xml"),
}
_ITEM: Final = re.compile(rb"<si\s*+/>|<si(?=[\s>])[^<>]*+>(?:[^<]++|<(?!/?si[\s/>]))*+</si>")
_ITEM_END: Final = b"</si>"
_LONGEST_ITEM: Final = 4 << 20


@dataclass(frozen=True, slots=True)
class ListedSheet:
    """A worksheet as the workbook's index lists it."""

    name: str
    part: str
    state: str


@dataclass(frozen=True, slots=True)
class SmallSheet:
    """A sheet for the new package, with new row numbers and column positions."""

    name: str
    state: str
    extract: SheetExtract


class Original:
    """The person's file, opened once; the reader checked it before. Raises `UnusualMarkup` for odd packages."""

    def __init__(self, content: bytes) -> None:
        try:
            self._package = zipfile.ZipFile(BytesIO(content))
            self._names = frozenset(self._package.namelist())
            index = ET.fromstring(self._package.read(_INDEX))  # noqa: S314 - no document types in a file that was taken
            links = ET.fromstring(self._package.read("xl/_rels/workbook.xml.rels"))  # noqa: S314
        except (zipfile.BadZipFile, KeyError, ET.ParseError, OSError, RuntimeError) as error:
            raise UnusualMarkup("no package of the usual shape") from error
        flag = index.find(f"{MAIN}workbookPr")
        self.counts_from_1904 = flag is not None and flag.get("date1904") in ("1", "true", "on")
        self.sheets = tuple(self._listed(index, links))
        if not self.sheets:
            raise UnusualMarkup("no worksheets in the usual namespace")

    def open(self, part: str) -> IO[bytes]:
        """Open a part's bytes as a stream."""
        return self._package.open(part)

    def copied(self) -> Iterator[tuple[str, bytes]]:
        """Yield the parts that are copied unchanged."""
        for name in _COPIED:
            if name in self._names:
                yield name, self._package.read(name)

    def texts(self, wanted: Mapping[int, int]) -> list[bytes]:
        """Return the shared texts by their new numbers; `wanted` maps old to new numbers."""
        found: list[bytes] = [b"<si><t/></si>"] * len(wanted)
        if not wanted or _TEXTS not in self._names:
            return found
        last = max(wanted)
        with self.open(_TEXTS) as part:
            for number, item in enumerate(_items(part)):
                if number in wanted:
                    found[wanted[number]] = item
                if number >= last:
                    break
        return found

    def _listed(self, index: ET.Element, links: ET.Element) -> Iterator[ListedSheet]:
        targets = {link.get("Id"): link.get("Target", "") for link in links if _is_worksheet(link)}
        for sheet in index.iterfind(f"{MAIN}sheets/{MAIN}sheet"):
            target = targets.get(next((value for key, value in sheet.items() if key.endswith("}id")), ""))
            if target:
                part = target[1:] if target.startswith("/") else f"xl/{target.removeprefix('xl/')}"
                if part not in self._names:
                    raise UnusualMarkup("a sheet without its part")
                yield ListedSheet(sheet.get("name", ""), part, sheet.get("state", "visible"))


def assembled(original: Original, sheets: Sequence[SmallSheet]) -> bytes:
    """Return a package of these sheets in the original's format."""
    numbers: dict[int, int] = {}
    parts = [_sheet_xml(sheet.extract, lambda old: numbers.setdefault(old, len(numbers))) for sheet in sheets]
    texts = b"".join(original.texts(numbers))
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as package:
        copied = dict(original.copied())
        for name, data in copied.items():
            package.writestr(name, data)
        for number, xml in enumerate(parts, start=1):
            package.writestr(f"xl/worksheets/sheet{number}.xml", xml)
        package.writestr(_TEXTS, f'<sst xmlns="{_NAMESPACE}">'.encode() + texts + b"</sst>")
        package.writestr(_INDEX, _index_xml(sheets, counts_from_1904=original.counts_from_1904))
        package.writestr("xl/_rels/workbook.xml.rels", _links_xml(len(parts), copied))
        package.writestr("_rels/.rels", _relations([("rId1", "officeDocument", _INDEX)]))
        package.writestr("[Content_Types].xml", _types_xml(len(parts), copied))
    return target.getvalue()


def text_of(item: bytes) -> str:
    """Return a shared text without its formatting."""
    try:
        tree = ET.fromstring(item.replace(b"<si", f'<si xmlns="{_NAMESPACE}"'.encode(), 1))  # noqa: S314
    except ET.ParseError as error:
        raise UnusualMarkup("a text that cannot be read") from error
    return "".join(text.text or "" for text in tree.iter(f"{MAIN}t"))


def _items(part: IO[bytes]) -> Iterator[bytes]:
    held = b""
    is_first = True
    while piece := part.read(PIECE):
        held += piece
        if is_first and b"<sst" not in held[:2_000]:
            raise UnusualMarkup("prefixed markup")
        is_first = False
        end = held.rfind(_ITEM_END) + len(_ITEM_END)
        if end >= len(_ITEM_END):
            yield from _ITEM.findall(held[:end])
            held = held[end:]
        if len(held) > _LONGEST_ITEM:
            raise UnusualMarkup("a text without an end")
    yield from _ITEM.findall(held)


def _is_worksheet(link: ET.Element) -> bool:
    return link.get("Type", "").endswith("/worksheet")


def _sheet_xml(sheet: SheetExtract, text_number: Callable[[int], int]) -> str:
    return "".join(
        (
            f'<worksheet xmlns="{_NAMESPACE}">{_view_xml(sheet)}',
            _tag("sheetFormatPr", sheet.defaults) if sheet.defaults else "",
            _columns_xml(sheet.columns),
            "<sheetData>",
            *(_row_xml(row, text_number) for row in sheet.rows),
            "</sheetData>",
            _merges_xml(sheet.merges),
            "</worksheet>",
        )
    )


def _view_xml(sheet: SheetExtract) -> str:
    grid = "" if sheet.has_grid else ' showGridLines="0"'
    corner = f"{column_letter(sheet.frozen_columns)}1"
    frozen = f'xSplit="{sheet.frozen_columns}" topLeftCell="{corner}" activePane="topRight" state="frozen"'
    pane = f"<pane {frozen}/>" if sheet.frozen_columns else ""
    return f'<sheetViews><sheetView workbookViewId="0"{grid}>{pane}</sheetView></sheetViews>'


def _columns_xml(columns: Sequence[Columns]) -> str:
    if not columns:
        return ""
    tags = (_tag("col", {"min": str(each.first + 1), "max": str(each.last + 1), **each.look}) for each in columns)
    return f"<cols>{''.join(tags)}</cols>"


def _merges_xml(merges: Sequence[Merge]) -> str:
    if not merges:
        return ""
    ranges = (
        f'<mergeCell ref="{column_letter(each.left)}{each.top}:{column_letter(each.right)}{each.bottom}"/>'
        for each in merges
    )
    return f"<mergeCells>{''.join(ranges)}</mergeCells>"


def _row_xml(row: ExtractedRow, text_number: Callable[[int], int]) -> str:
    look = "" if row.height is None else f' ht={quoteattr(row.height)} customHeight="1"'
    look += ' hidden="1"' if row.is_hidden else ""
    cells = []
    for cell in row.cells:
        address = f'r="{column_letter(cell.column)}{row.number}"' + (
            f" s={quoteattr(cell.style)}" if cell.style else ""
        )
        if cell.kind == "s" and cell.value.isdecimal():
            cells.append(f'<c {address} t="s"><v>{text_number(int(cell.value))}</v></c>')
        elif cell.kind in ("str", "inlineStr"):
            text = f'<is><t xml:space="preserve">{escape(cell.value)}</t></is>'
            cells.append(f'<c {address} t="inlineStr">{text}</c>')
        elif cell.value:
            kind = f" t={quoteattr(cell.kind)}" if cell.kind else ""
            cells.append(f"<c {address}{kind}><v>{escape(cell.value)}</v></c>")
        else:
            cells.append(f"<c {address}/>")
    return f'<row r="{row.number}"{look}>{"".join(cells)}</row>'


def _index_xml(sheets: Sequence[SmallSheet], *, counts_from_1904: bool) -> str:
    listed = "".join(
        f'<sheet name={quoteattr(sheet.name)} sheetId="{number}" state={quoteattr(sheet.state)} r:id="rId{number}"/>'
        for number, sheet in enumerate(sheets, start=1)
    )
    flag = '<workbookPr date1904="1"/>' if counts_from_1904 else ""
    return f'<workbook xmlns="{_NAMESPACE}" xmlns:r="{_OFFICE}">{flag}<sheets>{listed}</sheets></workbook>'


def _links_xml(count: int, copied: Mapping[str, bytes]) -> str:
    links = [(f"rId{number}", "worksheet", f"worksheets/sheet{number}.xml") for number in range(1, count + 1)]
    links.append((f"rId{count + 1}", "sharedStrings", "sharedStrings.xml"))
    for number, name in enumerate(copied, start=count + 2):
        links.append((f"rId{number}", _COPIED[name][0], name.removeprefix("xl/")))
    return _relations(links)


def _relations(links: Sequence[tuple[str, str, str]]) -> str:
    listed = "".join(f'<Relationship Id="{key}" Type="{_OFFICE}/{kind}" Target="{to}"/>' for key, kind, to in links)
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'


def _types_xml(count: int, copied: Mapping[str, bytes]) -> str:
    named = {f"xl/worksheets/sheet{number}.xml": f"{_TYPE}.worksheet+xml" for number in range(1, count + 1)}
    named |= {_INDEX: f"{_TYPE}.sheet.main+xml", _TEXTS: f"{_TYPE}.sharedStrings+xml"}
    named |= {name: _COPIED[name][1] for name in copied}
    listed = "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in named.items())
    default = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    return f'<Types xmlns="{_PACKAGE}/content-types">{default}{listed}</Types>'


def _tag(name: str, attributes: Mapping[str, str]) -> str:
    return f"<{name} {' '.join(f'{key}={quoteattr(value)}' for key, value in attributes.items())}/>"
