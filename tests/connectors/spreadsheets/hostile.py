"""Files made to exhaust or mislead a reader, each with the problem that must refuse it."""

import struct
from collections.abc import Callable, Iterator
from functools import partial

from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.formats import biff, binaries

Hostile = Iterator[tuple[str, str, Callable[[], bytes]]]

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
    """Return a file with a part that claims to be short and inflates to a hundred megabytes."""
    content = bytearray(books.packed(books.sheet_xml(ONE + " " * 100_000_000)))
    name = b"xl/worksheets/sheet1.xml"
    at = content.rfind(name) - 46
    assert content[at : at + 4] == b"PK\x01\x02"
    struct.pack_into("<I", content, at + 24, 300)
    return bytes(content)


def own_long_texts(count: int) -> bytes:
    """Return a file with cells of the largest length, all different."""
    texts = "".join(f"<si><t>{number:08d}{'x' * 32_759}</t></si>" for number in range(count))
    rows = "".join(f'<row r="{n + 1}"><c r="A{n + 1}" t="s"><v>{n}</v></c></row>' for n in range(count))
    return books.packed(books.sheet_xml(rows), texts=f"<sst {books.MAIN}>{texts}</sst>")


def leading_out() -> bytes:
    """Return a workbook whose sheet claims to be a file of the machine, with part names outside of the archive."""
    links = f'<Relationships {books.LINKS}><Relationship Id="rId1" Type="{books.OFFICE}/worksheet" '
    more = {"xl/_rels/workbook.xml.rels": f'{links}Target="../../../../etc/passwd"/></Relationships>'}
    return books.packed(books.sheet_xml(ONE), more={**more, "../../tmp/owned.xml": "<a/>", "/etc/cron.d/owned": "x"})


def blank_rows() -> bytes:
    blank = "".join(f'<row r="{n}"><c r="A{n}" s="1"/></row>' for n in range(2, 1_048_577))
    return books.packed(books.sheet_xml(ONE + blank))


def hostile() -> Hostile:
    """Yield name, problem and maker of each file: some files are large."""
    yield from _workbooks()
    yield from _addresses()
    yield from _unscanned()
    yield from _redirected()
    yield from _old_files()
    yield from _other_files()


def _workbooks() -> Hostile:
    text = f"<sst {books.MAIN}><si><t>{'x' * 32_767}</t></si></sst>"
    yield "far.xlsx", "file.too_many_columns", lambda: books.packed(far("XFD1048576", 1_048_576))
    yield "low.xlsx", "file.too_many_cells", lambda: books.packed(far("C1048576", 1_048_576))
    yield "wide.xlsx", "file.too_many_cells", lambda: books.packed(far("CV50000", 50_000))
    yield "often.xlsx", "file.too_many_cells", lambda: books.packed(far("CV1000", 1_000), copies=60)
    yield "sheets.xlsx", "file.too_many_sheets", lambda: books.packed(books.sheet_xml(ONE), copies=120)
    yield "text.xlsx", "file.unpacks_too_large", lambda: books.packed(uses_of_one_text(50_000), texts=text)
    yield "text2.xlsx", "file.unpacks_too_large", lambda: books.packed(uses_of_one_text(50_000, "x:"), texts=text)
    yield "entities.xlsx", "file.unsafe", lambda: books.packed(entities())
    yield "utf16.xlsx", "file.unsafe", lambda: books.packed(books.sheet_xml(ONE).encode("utf-16"))
    yield (
        "bomb.xlsx",
        "file.unpacks_too_large",
        lambda: books.packed(books.sheet_xml(ONE), more={"xl/media/a.bin": bytes(200_000_000)}),
    )
    yield "long.xlsx", "file.unpacks_too_large", lambda: own_long_texts(4_000)
    yield "paths.xlsx", "file.damaged", leading_out
    yield "control.csv", "file.encoding", lambda: b"a;b\n\x81\x8d;\x90\n" * 1_000
    yield "null.csv", "file.damaged", lambda: b"a;b\n\x00\x01;\x02\n" * 1_000
    yield "lying.xlsx", "file.unsafe", lying
    yield (
        "open.xlsx",
        "file.too_many_cells",
        lambda: books.packed(books.sheet_xml('<row r="1">' + '<c r="A1"' * 3_000_000)),
    )
    yield (
        "odd.xlsx",
        "file.unusual",
        lambda: books.packed(books.sheet_xml('<row r="1">' + "<c r='A1'/>" * 2_000_000 + "</row>")),
    )
    yield "tags.xlsx", "file.unusual", lambda: books.packed(b"<" * 30_000_000)
    yield (
        "errors.xlsx",
        "file.too_many_marks",
        lambda: books.packed(books.sheet_xml('<row r="1">' + ' t="e"' * 3_000_000)),
    )
    yield (
        "hidden.xlsx",
        "opened",
        lambda: books.packed(
            books.sheet_xml(ONE, before="<cols>" + '<col min="1" max="16384" hidden="1"/>' * 100_000 + "</cols>")
        ),
    )
    yield "blank.xlsx", "opened", blank_rows
    yield "merged.xlsx", "file.too_many_marks", lambda: books.packed(merged(ONE, "A1:Z1048576"))
    yield (
        "macros.xlsm",
        "opened",
        lambda: books.packed(books.sheet_xml(ONE), more={"xl/vbaProject.bin": bytes(1_000_000)}),
    )


def _addresses() -> Hostile:
    for name, place in (("digits", "A99999999999999999999"), ("eights", "A" + "8" * 51)):
        yield f"{name}.xlsx", "file.damaged", partial(books.packed, books.sheet_xml(ONE.replace("A1", place)))
        yield f"{name}2.xlsx", "file.damaged", partial(books.packed, books.sheet_xml(ONE.replace('"A1"', f"'{place}'")))
        dimension = f'<dimension ref="A1:{place}"/>'
        yield f"{name}3.xlsx", "file.damaged", partial(books.packed, books.sheet_xml(ONE, before=dimension))


def _unscanned() -> Hostile:
    """Yield files for which a reader would allocate memory although a scan might not see the reason."""
    for name, empty in (("value", "<x:v></x:v>"), ("text", "<x:is/>")):
        cell = f'<x:row r="1048576"><x:c r="XFD1048576" t="str">{empty}</x:c></x:row>'
        rows = f'<x:row r="1"><x:c r="A1"><x:v>1</x:v></x:c></x:row>{cell}'
        yield f"empty_{name}.xlsx", "file.too_many_columns", partial(books.packed, books.sheet_xml(rows))
    link = f'<Relationship Id="{{}}" Type="{books.OFFICE}/{{}}" Target="worksheets/{{}}.xml"/>'
    small, large = link.format("r1", "worksheet", "sheet1"), link.format("r2", "worksheet", "far")
    first = '<sheet name="A" r:id="r1"/>'
    yield "twins.xlsx", "file.damaged", _linked('<sheet name="A" r:id="r2" state="hidden"/>' + first, small + large)
    yield "links.xlsx", "file.damaged", _linked('<sheet name="A" a:id="r1" r:id="r2"/>', small + large)
    yield "again.xlsx", "file.damaged", _linked(first, small + link.format("r1", "theme", "far"))
    yield "entity.xlsx", "file.damaged", _linked(first, link.format("r1", "worksheet", "sheet&#49;"))
    yield "folder.xlsx", "file.damaged", _linked(first, small.replace("worksheets", "xl/worksheets"))
    texts = f"<sst {books.MAIN}><si><t>{'x' * 32_767}</t></si></sst>"
    folded = {"xl/SHAREDSTRINGS.xml": texts}
    yield "folded.xlsx", "file.unpacks_too_large", lambda: books.packed(uses_of_one_text(50_000), more=folded)
    value = '<table:table-cell office:value="1" table:number-columns-repeated="16384"/>'
    yield "untyped.ods", "file.too_many_columns", lambda: binaries.ods(binaries.table(binaries.ods_row(value) * 999))


def _linked(sheets: str, links: str) -> Callable[[], bytes]:
    """Return a workbook that lists these sheets; beside its small sheet it has a huge one under some names."""
    distant = far("XFD1048576", 1_048_576)
    names = ("worksheets/far", "worksheets/sheet&#49;", "xl/worksheets/sheet1")
    more = {
        "xl/workbook.xml": f'<workbook {books.MAIN} xmlns:r="{books.OFFICE}" xmlns:a="urn:a"><sheets>{sheets}</sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": f"<Relationships {books.LINKS}>{links}</Relationships>",
        **{f"xl/{name}.xml": distant for name in names},
    }
    return partial(books.packed, books.sheet_xml(ONE), more=more)


def _redirected() -> Hostile:
    """Yield a small workbook beside a huge one, to which a reader may be redirected."""
    distant = dict(books.parts(books.packed(far("XFD1048576", 1_048_576))))
    book = f'<Relationship Id="r1" Type="{books.OFFICE}/officeDocument" Target="foo/workbook.xml"/>'
    root = {"_rels/.rels": f"<Relationships {books.LINKS}>{book}</Relationships>".encode()}
    elsewhere = {name.replace("xl/", "foo/"): data for name, data in distant.items()} | root
    small = {
        "xlsx": books.packed(books.sheet_xml(ONE)),
        "xlsb": binaries.xlsb([("S1", binaries.sheet_bin(binaries.row(0, [binaries.real(0, 1)])), 0)]),
        "ods": binaries.ods(binaries.table(binaries.ods_row(binaries.ods_cell("x")), name="S1")),
    }
    for kind, content in small.items():
        found = dict(books.parts(content))
        yield f"led.{kind}", "file.damaged", partial(books.zipped, {**found, **elsewhere}.items())
        if kind != "xlsx":
            yield f"both.{kind}", "file.damaged", partial(books.zipped, {**distant, **found}.items())
    brackets = f'<numFmts><numFmt numFmtId="164" formatCode="{"[" * 3_000_000}"/></numFmts>'
    styles = f'<styleSheet {books.MAIN}>{brackets}<cellXfs><xf numFmtId="164"/></cellXfs></styleSheet>'
    yield "brackets.xlsx", "opened", lambda: books.packed(books.sheet_xml(ONE), more={"xl/styles.xml": styles})
    text = binaries.record(19, b"\0" + binaries.wide("x" * 500_000))
    short = binaries.record(19, b"\0" + struct.pack("<I", 499_990))
    shared = binaries.counted(159, [text, *[short] * 2_000], twice=True)
    yield (
        "stale.xlsb",
        "file.damaged",
        lambda: books.zipped({**dict(books.parts(small["xlsb"])), "xl/sharedStrings.bin": shared}.items()),
    )
    idle = binaries.record(9_999) * 5_000_000
    yield "idle.xlsb", "file.too_many_cells", lambda: binaries.xlsb([("S", binaries.sheet_bin(idle), 0)])


def _old_files() -> Hostile:
    small = biff.label(0, 0, "Valor") + biff.number(1, 0)
    stream = biff.stream(small)
    distant = biff.stream(small + biff.number(65_535, 65_535))
    circle = struct.pack("<1023II", *[0] * 1023, 3)
    yield "circle.xls", "opened", lambda: biff.compound(stream, more_tables=(3, 0), behind=circle)
    yield (
        "other.xls",
        "opened",
        lambda: biff.compound(
            distant.ljust(4_096, b"\0"), first=[biff.entry("WORKBOOK", 3, 4_096)], behind=stream.ljust(4_096, b"\0")
        ),
    )
    counted_on = small + biff.many_numbers(20_000, 65_000, 637, 100)
    yield "counted.xls", "file.damaged", lambda: biff.compound(biff.stream(counted_on))
    spaces = biff.formula(2, 0, b"\x1e\x01\x00" + b"\x19\x40\x00\xff" * 15_000, 1.0)
    yield "spaces.xls", "opened", lambda: biff.compound(biff.stream(small + spaces))
    wide = biff.texts(biff.text("中" * 4_000, wide=True))
    uses = b"".join(biff.shared(row, 0, 0) for row in range(2, 30_000))
    yield "wide.xls", "file.unpacks_too_large", lambda: biff.compound(biff.stream(small + uses, before=wide))


def _other_files() -> Hostile:
    yield (
        "folded.ods",
        "file.too_many_cells",
        lambda: binaries.ods(binaries.table(binaries.ods_row(FOLDED, more=ALL_ROWS))),
    )
    full = binaries.ods_row(binaries.ods_cell("x") * 20)
    yield "rows.ods", "file.too_many_rows", lambda: binaries.ods(binaries.table(full * 50_001))
    yield "tags.ods", "file.too_many_cells", lambda: binaries.ods("<a/>" * 8_000_000)
    yield "far.xlsb", "file.too_many_columns", lambda: binaries.xlsb(FAR_XLSB)
    yield "text.xlsb", "file.unpacks_too_large", lambda: binaries.xlsb(LONG_XLSB, texts=["x" * 32_767])
    yield (
        "extent.xls",
        "file.too_many_cells",
        lambda: MONTH.replace(EXTENT, struct.pack("<HHIIHH", 0x200, 14, 0, 65_536, 0, 256)),
    )
    yield "wide.csv", "file.too_many_columns", lambda: b";" * 5_000_000
    yield "quote.csv", "file.quotes", lambda: b'a;b\n1;"2\n' + b"x;y\n" * 100_000
    yield "blank.csv", "file.too_many_rows", lambda: b"\n" * 3_000_000 + b"a"
    yield "field.csv", "file.quotes", lambda: b'a;"' + b"x" * 200_000 + b'"'
    yield "latin.csv", "file.encoding", lambda: bytes(range(128, 256)) * 1_000
