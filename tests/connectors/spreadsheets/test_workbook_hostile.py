"""Files made to exhaust a reader: each is refused in words, within 500 MB, before anything large is built."""

import json
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.formats import binaries

OPEN = """
import json, sys
from pathlib import Path
from connectors.spreadsheets.workbook import open_workbook
from domain.problems import LayoutError
codes = {}
for path in sorted(Path(sys.argv[1]).iterdir()):
    try:
        for sheet in open_workbook(path).sheets:
            for row in sheet.rows():
                pass
        codes[path.name] = "opened"
    except LayoutError as error:
        codes[path.name] = error.problem.code
# The kernel's own high-water mark of this process; getrusage would count what its parent held when it was forked.
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(json.dumps([codes, int(peak.split()[1]) // 1024]))
"""
ONE = '<row r="1"><c r="A1"><v>1</v></c></row>'
FOLDED = binaries.ods_cell("x", more=' table:number-columns-repeated="16384"')
ALL_ROWS = ' table:number-rows-repeated="1048576"'
FAR_XLSB = [("S", binaries.sheet_bin(binaries.row(1_048_575, [binaries.real(16_383, 1)])), 0)]
LONG_XLSB = [("S", binaries.sheet_bin(b"".join(binaries.row(n, [binaries.text(0, 0)]) for n in range(9_000))), 0)]
MONTH = binaries.MONTH_XLS.read_bytes()
EXTENT = struct.pack("<HHIIHH", 0x200, 14, 0, 12, 1, 8)


def merged(rows: str, reference: str) -> str:
    many = "".join(f'<row r="{n}"><c r="Z{n}"><v>1</v></c></row>' for n in range(2, 40_000))
    sheet = books.sheet_xml(rows + many).removesuffix("</worksheet>")
    return f'{sheet}<mergeCells><mergeCell ref="{reference}"/></mergeCells></worksheet>'


def far(place: str, row: int) -> str:
    return books.sheet_xml(f'{ONE}<row r="{row}"><c r="{place}"><v>1</v></c></row>')


def uses_of_one_text(count: int, prefix: str = "") -> str:
    p = prefix
    rows = "".join(f'<{p}row r="{n}"><{p}c r="A{n}" t="s"><{p}v>0</{p}v></{p}c></{p}row>' for n in range(1, count + 1))
    name = f"xmlns{':' + prefix.rstrip(':') if prefix else ''}"
    space = books.MAIN.replace("xmlns", name)
    return f"<{p}worksheet {space}><{p}sheetData>{rows}</{p}sheetData></{p}worksheet>"


def entities() -> str:
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<!DOCTYPE w [<!ENTITY l0 "lol">{levels}]>' + books.sheet_xml(
        '<row r="1"><c r="A1" t="inlineStr"><is><t>&l9;</t></is></c></row>'
    )


def lying() -> bytes:
    """A part that says it is short and inflates to a hundred megabytes."""
    content = bytearray(books.packed(books.sheet_xml(ONE + " " * 100_000_000)))
    name = b"xl/worksheets/sheet1.xml"
    at = content.rfind(name) - 46
    assert content[at : at + 4] == b"PK\x01\x02"
    struct.pack_into("<I", content, at + 24, 300)
    return bytes(content)


def hostile() -> Iterator[tuple[str, str, bytes]]:
    text = f"<sst {books.MAIN}><si><t>{'x' * 32_767}</t></si></sst>"
    stray = '<row r="1">' + "<c r='A1'/>" * 2_000_000 + "</row>"
    yield "far.xlsx", "file.too_many_columns", books.packed(far("XFD1048576", 1_048_576))
    yield "low.xlsx", "file.too_many_cells", books.packed(far("C1048576", 1_048_576))
    yield "wide.xlsx", "file.too_many_cells", books.packed(far("CV50000", 50_000))
    yield "often.xlsx", "file.too_many_cells", books.packed(far("CV1000", 1_000), copies=60)
    yield "sheets.xlsx", "file.too_many_sheets", books.packed(books.sheet_xml(ONE), copies=120)
    yield "text.xlsx", "file.unpacks_too_large", books.packed(uses_of_one_text(50_000), texts=text)
    yield "text2.xlsx", "file.unpacks_too_large", books.packed(uses_of_one_text(50_000, "x:"), texts=text)
    yield "entities.xlsx", "file.unsafe", books.packed(entities())
    yield "utf16.xlsx", "file.unsafe", books.packed(books.sheet_xml(ONE).encode("utf-16"))
    yield (
        "bomb.xlsx",
        "file.unpacks_too_large",
        books.packed(books.sheet_xml(ONE), more={"xl/media/a.bin": bytes(200_000_000)}),
    )
    yield "lying.xlsx", "file.unsafe", lying()
    yield "open.xlsx", "file.too_many_cells", books.packed(books.sheet_xml('<row r="1">' + '<c r="A1"' * 3_000_000))
    yield "odd.xlsx", "file.unusual", books.packed(books.sheet_xml(stray))
    yield "tags.xlsx", "file.unusual", books.packed(b"<" * 30_000_000)
    yield "errors.xlsx", "file.too_many_marks", books.packed(books.sheet_xml('<row r="1">' + ' t="e"' * 3_000_000))
    yield (
        "hidden.xlsx",
        "opened",
        books.packed(
            books.sheet_xml(ONE, before="<cols>" + '<col min="1" max="16384" hidden="1"/>' * 100_000 + "</cols>")
        ),
    )
    for name, place in (("digits", "A99999999999999999999"), ("eights", "A" + "8" * 51)):
        yield f"{name}.xlsx", "file.damaged", books.packed(books.sheet_xml(ONE.replace("A1", place)))
        yield f"{name}2.xlsx", "file.damaged", books.packed(books.sheet_xml(ONE.replace('"A1"', f"'{place}'")))
        dimension = f'<dimension ref="A1:{place}"/>'
        yield f"{name}3.xlsx", "file.damaged", books.packed(books.sheet_xml(ONE, before=dimension))
    blank = "".join(f'<row r="{n}"><c r="A{n}" s="1"/></row>' for n in range(2, 1_048_577))
    yield "blank.xlsx", "opened", books.packed(books.sheet_xml(ONE + blank))
    yield "merged.xlsx", "file.too_many_marks", books.packed(merged(ONE, "A1:Z1048576"))
    yield "macros.xlsm", "opened", books.packed(books.sheet_xml(ONE), more={"xl/vbaProject.bin": bytes(1_000_000)})
    yield "folded.ods", "file.too_many_cells", binaries.ods(binaries.table(binaries.ods_row(FOLDED, more=ALL_ROWS)))
    yield "tags.ods", "file.too_many_cells", binaries.ods("<a/>" * 8_000_000)
    yield "far.xlsb", "file.too_many_columns", binaries.xlsb(FAR_XLSB)
    yield "text.xlsb", "file.unpacks_too_large", binaries.xlsb(LONG_XLSB, texts=["x" * 32_767])
    yield (
        "extent.xls",
        "file.too_many_cells",
        MONTH.replace(EXTENT, struct.pack("<HHIIHH", 0x200, 14, 0, 65_536, 0, 256)),
    )
    yield "wide.csv", "file.too_many_columns", b";" * 5_000_000
    yield "quote.csv", "file.quotes", b'a;b\n1;"2\n' + b"x;y\n" * 100_000
    yield "blank.csv", "file.too_many_rows", b"\n" * 3_000_000 + b"a"
    yield "field.csv", "file.quotes", b'a;"' + b"x" * 200_000 + b'"'
    yield "latin.csv", "file.encoding", bytes(range(128, 256)) * 1_000


def test_every_hostile_file_is_refused_within_bounds(tmp_path: Path) -> None:
    folder = tmp_path / "drop"
    folder.mkdir()
    expected = {}
    for name, code, content in hostile():
        (folder / name).write_bytes(content)
        expected[name] = code
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", OPEN, str(folder)], capture_output=True, text=True, cwd=root, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    codes, peak_mb = json.loads(done.stdout)
    assert codes == expected
    assert peak_mb < 500
