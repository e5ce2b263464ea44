"""Which files open, how their cells are read, and with which words other files are refused."""

import datetime as dt
import io
from pathlib import Path

import pytest
import xlsxwriter

from connectors.spreadsheets.formats.sheets import Row
from connectors.spreadsheets.workbook import CellError, Limits, Uncalculated, open_workbook
from domain.problems import InputError
from tests.connectors.spreadsheets import books


def refusal(content: bytes, *, name: str = "", limits: Limits | None = None) -> str:
    with pytest.raises(InputError) as caught:
        open_workbook(content, limits, name=name)
    return caught.value.problem.code


def rows_of(content: bytes) -> list[Row]:
    (sheet,) = open_workbook(content).sheets
    return list(sheet.rows())


def test_cells_keep_their_place_and_kind() -> None:
    when = dt.datetime.fromisoformat("2026-11-20T10:30")
    content = books.written(
        ("P", [[], [], [None, None, "x", 1.5, True, when], [], [None, None, None, " ", dt.date(2026, 11, 1)]])
    )
    first, second = rows_of(content)
    assert first == Row(3, (None, None, "x", 1.5, True, when))
    assert (second.number, second.cells[4]) == (5, dt.date(2026, 11, 1))


def test_facts_that_the_cell_reader_hides_are_found() -> None:
    def dress(sheet) -> None:
        sheet.write_formula("B2", "=NA()", None, "#N/A")
        sheet.write_formula("C2", "=1+1", None, 2)
        sheet.set_row(2, None, None, {"hidden": True})
        sheet.set_column("C:C", None, None, {"hidden": True})

    content = books.written(("P", [["a"], ["b"], ["c"]]), dress=dress)
    (sheet,) = open_workbook(content).sheets
    assert sheet.hidden_columns == {2}
    _, formulas, hidden = sheet.rows()
    assert formulas.cells == ("b", CellError("#N/A"), 2.0)
    assert hidden.is_hidden
    assert not formulas.is_hidden


def test_a_formula_without_its_result_is_not_a_blank() -> None:
    xml = books.sheet_xml(
        '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1+1</f></c><c r="C1"><f>1</f><v></v></c></row>'
    )
    (row,) = rows_of(books.packed(xml))
    assert row.cells == (1.0, Uncalculated(), Uncalculated())


def test_prefixed_markup_and_cells_without_addresses_are_read() -> None:
    prefixed = (
        '<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:sheetData>'
        '<x:row r="2" hidden="1"><x:c r="B2"><x:v>7</x:v></x:c><x:c r="C2" t="e"><x:v>#REF!</x:v></x:c></x:row>'
        "</x:sheetData></x:worksheet>"
    )
    assert rows_of(books.packed(prefixed)) == [Row(2, (None, 7.0, CellError("#REF!")), is_hidden=True)]
    bare = books.sheet_xml("<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row>")
    assert [row.cells for row in rows_of(books.packed(bare))] == [(1.0, 2.0), (3.0,)]


def test_hidden_sheets_are_named_and_not_read() -> None:
    content = books.written(("Dados", [["a"]]), ("Velha", [["b"]]))
    book = open_workbook(content)
    assert [sheet.name for sheet in book.sheets] == ["Dados", "Velha"]
    hidden = content_with_hidden_sheet()
    assert [sheet.name for sheet in open_workbook(hidden).sheets] == ["Dados"]
    assert open_workbook(hidden).hidden_sheets == ("Velha",)


def content_with_hidden_sheet() -> bytes:
    target = io.BytesIO()
    book = xlsxwriter.Workbook(target)
    book.add_worksheet("Dados").write(0, 0, "a")
    book.add_worksheet("Velha").hide()
    book.close()
    return target.getvalue()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "file.empty"),
        (b" \r\n\t\n", "file.empty"),
        (b"\xef\xbb\xbf", "file.empty"),
        (b"%PDF-1.7 ...", "file.unsupported"),
        (b"\x89PNG\r\n", "file.unsupported"),
        (b"<html><p>CNPJ", "file.unsupported"),
        (b"<?xml version='1.0'?><a/>", "file.unsupported"),
        (b'{"rows": []}', "file.unsupported"),
        (b"a\x00b\x00\x01\x02", "file.damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "file.damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "file.password"),
        (b"PK\x03\x04 not really", "file.damaged"),
        (books.zipped([("word/document.xml", "<w/>")]), "file.unsupported"),
        (books.zipped([("readme.txt", "x")]), "file.unsupported"),
        (books.zipped([("xl/workbook.xml", "<w/>"), ("xl/vbaProject.bin", "x")]), "file.damaged"),
        (books.zipped([("xl/workbook.bin", "x")]), "file.damaged"),
        (books.zipped([("mimetype", "application/vnd.oasis.opendocument.spreadsheet")]), "file.damaged"),
        (books.zipped([("xl/workbook.xml", "<workbook")]), "file.damaged"),
        (books.written(("P", [["a"]]))[:-900], "file.damaged"),
    ],
    # A package contains the second in which it was made: in a test's name, it would differ between workers.
    ids=lambda value: value if isinstance(value, str) else "bytes",
)
def test_another_file_than_a_workbook_is_refused_in_words(content: bytes, code: str) -> None:
    assert refusal(content) == code


def test_a_file_of_another_office_program_is_named() -> None:
    with pytest.raises(InputError) as caught:
        open_workbook(books.zipped([("Index/Document.iwa", "x")]), name="a.numbers")
    assert caught.value.problem.params["found"] == "NUMBERS"


def test_a_name_that_lies_is_refused() -> None:
    sheet = books.written(("P", [["a"]]))
    assert refusal(b"%PDF-1.7", name="notas.xlsx") == "file.wrong_type"
    assert refusal(b"\x89PNG\r\n", name="notas.csv") == "file.wrong_type"
    assert refusal(b"a;b\n1;2\n", name="notas.xlsx") == "file.wrong_type"
    assert refusal(sheet, name="notas.csv") == "file.wrong_type"
    assert refusal(sheet, name="NOTAS.XLS ") == "file.wrong_type"
    assert open_workbook(sheet, name="notas.final.XLSX").kind == "xlsx"
    assert open_workbook(b"a;b\n1;2\n", name="notas.txt").kind == "csv"
    assert open_workbook(sheet, name="notas").kind == "xlsx"


def test_macros_are_ignored_and_reported() -> None:
    macros = books.packed(books.sheet_xml('<row r="1"><c r="A1"><v>1</v></c></row>'), more={"xl/vbaProject.bin": b"\0"})
    for name in ("notas.xlsm", "notas.xlsx", ""):
        book = open_workbook(macros, name=name)
        assert (book.kind, book.facts["macros"]) == ("xlsm", "ignored")
        assert [row.cells for row in book.sheets[0].rows()] == [(1.0,)]


def test_the_size_is_looked_at_before_the_content(tmp_path: Path) -> None:
    path = tmp_path / "grande.csv"
    path.write_bytes(b"a;b\n" * 100)
    with pytest.raises(InputError) as caught:
        open_workbook(path, Limits(file_bytes=50))
    assert caught.value.problem.code == "file.too_large"


def test_limits_of_rows_columns_and_cells() -> None:
    content = books.written(("P", [["a"] * 4] * 6))
    assert refusal(content, limits=Limits(rows=5)) == "file.too_many_rows"
    assert refusal(content, limits=Limits(columns=3)) == "file.too_many_columns"
    assert refusal(content, limits=Limits(cells=23)) == "file.too_many_cells"
    assert open_workbook(content, Limits(rows=6, columns=4, cells=24)).kind == "xlsx"
    text = b"a;b;c;d\n" * 6
    assert refusal(text, limits=Limits(rows=5)) == "file.too_many_rows"
    assert refusal(text, limits=Limits(columns=3)) == "file.too_many_columns"
    assert open_workbook(text, Limits(rows=6, columns=4)).kind == "csv"


def test_cells_that_hold_only_a_format_do_not_count() -> None:
    far = "".join(f'<row r="{n}"><c r="A{n}" s="1"/></row>' for n in range(2, 200))
    xml = books.sheet_xml('<row r="1"><c r="A1"><v>1</v></c></row>' + far)
    assert open_workbook(books.packed(xml), Limits(rows=5)).kind == "xlsx"


@pytest.mark.parametrize("text", ["<si><t>x</t></si>", "<x:si/>", "<si />"])
def test_more_shared_texts_than_cells_are_too_many(text: str) -> None:
    xml = books.sheet_xml('<row r="1"><c r="A1"><v>1</v></c></row>')
    content = books.packed(xml, texts=f"<sst {books.MAIN}>{text * 10}</sst>")
    assert refusal(content, limits=Limits(cells=9)) == "file.too_many_cells"
    assert open_workbook(content, Limits(cells=10)).kind == "xlsx"


def test_a_large_part_that_is_no_sheet_is_looked_at_too() -> None:
    xml = books.sheet_xml('<row r="1"><c r="A1"><v>1</v></c></row>')
    large = " " * 10_000
    assert open_workbook(books.packed(xml, more={"xl/theme.xml": f"<a>{large}</a>"})).kind == "xlsx"
    assert refusal(books.packed(xml, more={"xl/theme.xml": f"<!DOCTYPE a>{large}"})) == "file.unsafe"
