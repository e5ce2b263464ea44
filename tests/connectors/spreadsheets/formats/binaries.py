"""XLSB and ODS files made by hand, for content that no common writer produces; and two saved by LibreOffice."""

import struct
from collections.abc import Iterable
from pathlib import Path

from tests.connectors.spreadsheets import books

MONTH_XLS = Path(__file__).with_name("month.xls")
MONTH_ODS = Path(__file__).with_name("month.ods")
"""One month saved by LibreOffice in two formats: a title, errors, a percentage, merges, hidden parts, a total."""

OFFICE = "urn:oasis:names:tc:opendocument:xmlns:"


def record(kind: int, data: bytes = b"") -> bytes:
    """Return one XLSB record."""
    head = bytes([kind]) if kind < 0x80 else bytes([kind & 0x7F | 0x80, kind >> 7])
    length, size = len(data), b""
    while True:
        size += bytes([length & 0x7F | (0x80 if length > 0x7F else 0)])
        length >>= 7
        if not length:
            return head + size + data


def wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def row(number: int, cells: Iterable[bytes], *, hidden: bool = False) -> bytes:
    flags = bytes([0, 0x10 if hidden else 0])
    return record(0, struct.pack("<IIH", number, 0, 300) + flags + bytes(5)) + b"".join(cells)


def cell(kind: int, column: int, value: bytes, style: int = 0) -> bytes:
    return record(kind, struct.pack("<II", column, style) + value)


def real(column: int, value: float, style: int = 0) -> bytes:
    return cell(5, column, struct.pack("<d", value), style)


def text(column: int, index: int) -> bytes:
    return cell(7, column, struct.pack("<I", index))


def error(column: int, code: int) -> bytes:
    return cell(3, column, bytes([code]))


def sheet_bin(rows: bytes, *, columns: bytes = b"", merges: bytes = b"", size: tuple[int, int] = (20, 8)) -> bytes:
    dimension = record(148, struct.pack("<IIII", 0, size[0], 0, size[1]))
    return record(129) + dimension + columns + record(145) + rows + record(146) + merges + record(130)


def xlsb(
    sheets: Iterable[tuple[str, bytes, int]],
    *,
    texts: Iterable[str] = (),
    formats: Iterable[tuple[int, str]] = (),
    styles: Iterable[int] = (0,),
    dates_from_1904: bool = False,
    more: Iterable[tuple[str, bytes]] = (),
) -> bytes:
    """Return an XLSB file: name, records and state (0 = visible) of each sheet; number formats and their styles."""
    listed = list(sheets)
    index = b"".join(
        record(156, struct.pack("<II", state, n) + wide(f"rId{n}") + wide(name))
        for n, (name, _, state) in enumerate(listed, 1)
    )
    book = record(131) + record(153, struct.pack("<II", int(dates_from_1904), 0) + wide("")) + record(143) + index
    links = "".join(
        f'<Relationship Id="rId{n}" Type="{books.OFFICE}/worksheet" Target="worksheets/sheet{n}.bin"/>'
        for n in range(1, len(listed) + 1)
    )
    shared = [record(19, b"\0" + wide(each)) for each in texts]
    codes = [record(44, struct.pack("<H", number) + wide(code)) for number, code in formats]
    cells = [record(47, struct.pack("<HHHHH", 0, number, 0, 0, 0) + bytes(6)) for number in styles]
    parts: list[tuple[str, str | bytes]] = [
        ("[Content_Types].xml", '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'),
        ("xl/workbook.bin", book + record(144) + record(157) + record(132)),
        ("xl/_rels/workbook.bin.rels", f"<Relationships {books.LINKS}>{links}</Relationships>"),
        ("xl/sharedStrings.bin", counted(159, shared, twice=True) + record(160)),
        ("xl/styles.bin", record(278) + counted(615, codes) + record(616) + counted(617, cells) + record(618)),
        *((f"xl/worksheets/sheet{n}.bin", data) for n, (_, data, _) in enumerate(listed, 1)),
        *more,
    ]
    return books.zipped(parts)


def counted(kind: int, records: list[bytes], *, twice: bool = False) -> bytes:
    count = struct.pack("<I", len(records))
    return record(kind, count * 2 if twice else count) + b"".join(records)


def ods(tables: str, *, styles: str = "") -> bytes:
    """Return an ODS file with these tables, given as markup."""
    names = {"office": "office", "table": "table", "text": "text", "style": "style"}
    spaces = " ".join(f'xmlns:{short}="{OFFICE}{name}:1.0"' for short, name in names.items())
    calc = 'xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
    content = (
        f'<office:document-content {spaces} {calc} office:version="1.3"><office:automatic-styles>{styles}'
        f"</office:automatic-styles><office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>"
        "</office:document-content>"
    )
    manifest = f'<manifest:manifest xmlns:manifest="{OFFICE}manifest:1.0"/>'
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    return books.zipped([("mimetype", kind), ("META-INF/manifest.xml", manifest), ("content.xml", content)])


def table(rows: str, *, name: str = "Dados", more: str = "") -> str:
    return f'<table:table table:name="{name}"{more}>{rows}</table:table>'


def ods_row(*cells: str, more: str = "") -> str:
    return f"<table:table-row{more}>{''.join(cells)}</table:table-row>"


def ods_cell(shown: str = "", *, value: float | None = None, kind: str = "string", more: str = "") -> str:
    held = "" if value is None else f' office:value="{value}"'
    typed = f' office:value-type="{kind}"{held}' if shown or value is not None else ""
    inside = f"<text:p>{shown}</text:p>" if shown else ""
    return f"<table:table-cell{typed}{more}>{inside}</table:table-cell>"


def repacked(content: bytes, part: str, old: bytes, new: bytes) -> bytes:
    """Return the package with some bytes of one part replaced."""
    return books.zipped((name, data.replace(old, new) if name == part else data) for name, data in books.parts(content))
