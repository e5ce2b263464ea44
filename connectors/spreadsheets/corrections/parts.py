"""Assemble a small workbook from parts of another: chosen rows, their texts, styles and theme.

Nothing else is copied: no macros, formulas, drawings, links or filters, and no texts of other rows.
"""

import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from connectors.spreadsheets.corrections.markup import NAMESPACE
from connectors.spreadsheets.corrections.original import COPIED, INDEX, OFFICE, TEXTS, TYPE, Original
from connectors.spreadsheets.corrections.row_extraction import Columns, ExtractedRow, Merge, SheetExtract
from connectors.spreadsheets.formats.sheet_metadata import column_letter

_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"


@dataclass(frozen=True, slots=True)
class SmallSheet:
    """A sheet for the new package, with new row numbers and column positions."""

    name: str
    state: str
    extract: SheetExtract


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
        package.writestr(TEXTS, f'<sst xmlns="{NAMESPACE}">'.encode() + texts + b"</sst>")
        package.writestr(INDEX, _index_xml(sheets, counts_from_1904=original.counts_from_1904))
        package.writestr("xl/_rels/workbook.xml.rels", _links_xml(len(parts), copied))
        package.writestr("_rels/.rels", _relations([("rId1", "officeDocument", INDEX)]))
        package.writestr("[Content_Types].xml", _types_xml(len(parts), copied))
    return target.getvalue()


def _sheet_xml(sheet: SheetExtract, text_number: Callable[[int], int]) -> str:
    return "".join(
        (
            f'<worksheet xmlns="{NAMESPACE}">{_view_xml(sheet)}',
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
    return f'<workbook xmlns="{NAMESPACE}" xmlns:r="{OFFICE}">{flag}<sheets>{listed}</sheets></workbook>'


def _links_xml(count: int, copied: Mapping[str, bytes]) -> str:
    links = [(f"rId{number}", "worksheet", f"worksheets/sheet{number}.xml") for number in range(1, count + 1)]
    links.append((f"rId{count + 1}", "sharedStrings", "sharedStrings.xml"))
    for number, name in enumerate(copied, start=count + 2):
        links.append((f"rId{number}", COPIED[name][0], name.removeprefix("xl/")))
    return _relations(links)


def _relations(links: Sequence[tuple[str, str, str]]) -> str:
    listed = "".join(f'<Relationship Id="{key}" Type="{OFFICE}/{kind}" Target="{to}"/>' for key, kind, to in links)
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'


def _types_xml(count: int, copied: Mapping[str, bytes]) -> str:
    named = {f"xl/worksheets/sheet{number}.xml": f"{TYPE}.worksheet+xml" for number in range(1, count + 1)}
    named |= {INDEX: f"{TYPE}.sheet.main+xml", TEXTS: f"{TYPE}.sharedStrings+xml"}
    named |= {name: COPIED[name][1] for name in copied}
    listed = "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in named.items())
    default = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    return f'<Types xmlns="{_PACKAGE}/content-types">{default}{listed}</Types>'


def _tag(name: str, attributes: Mapping[str, str]) -> str:
    return f"<{name} {' '.join(f'{key}={quoteattr(value)}' for key, value in attributes.items())}/>"
