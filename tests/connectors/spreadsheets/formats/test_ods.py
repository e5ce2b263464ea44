"""An ODS file gives what an XLSX does, however its rows and cells are folded; its unfolded size is limited."""

import pytest

from connectors.spreadsheets.formats.ods import open_ods
from connectors.spreadsheets.formats.sheets import CellError, Covered, Foreign, Limits, Multiplied, Percent, Row
from domain.problems import InputError
from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.formats.binaries import MONTH_ODS, ods, ods_cell, ods_row, table


def rows_of(tables: str) -> list[Row]:
    return list(open_ods(ods(tables), Limits()).sheets[0].rows())


def refusal(content: bytes, limits: Limits | None = None) -> str:
    with pytest.raises(InputError) as caught:
        open_ods(content, limits or Limits())
    return caught.value.problem.code


def again(rows: int = 1, columns: int = 1) -> str:
    return f' table:number-rows-repeated="{rows}"' if rows > 1 else f' table:number-columns-repeated="{columns}"'


def test_a_month_in_ods_is_read_with_its_marks() -> None:
    book = open_ods(MONTH_ODS.read_bytes(), Limits())
    assert (book.kind, book.hidden_sheets) == ("ods", ("Velha",))
    assert [sheet.name for sheet in book.sheets] == ["Notas", "Instruções"]
    assert book.sheets[0].hidden_columns == {7}
    rows = {row.number: row for row in book.sheets[0].rows()}
    assert list(rows) == [1, 3, 4, 5, 6, 7, 8, 9, 10, 12]
    assert [number for number, row in rows.items() if row.is_hidden] == [7]
    assert (rows[6].cells[4], rows[8].cells[7]) == (CellError("#DIV/0!"), CellError("#N/A"))
    assert rows[10].cells[7] == Covered()
    assert isinstance(rows[4].cells[5], Percent)


def test_folded_rows_and_cells_keep_their_places() -> None:
    rows = rows_of(
        table(
            ods_row(ods_cell(), more=again(rows=3))
            + ods_row(ods_cell(more=again(columns=2)), ods_cell("x", more=again(columns=2)), more=again(rows=2))
            + ods_row(ods_cell("fim"))
            + ods_row(ods_cell(more=again(columns=16_384)), more=again(rows=1_048_570))
        )
    )
    assert rows == [Row(4, (None, None, "x", "x")), Row(5, (None, None, "x", "x")), Row(6, ("fim",))]


def test_a_comments_text_is_no_part_of_the_cell() -> None:
    note = "<office:annotation><text:p>nota 123</text:p></office:annotation>"
    commented = f'<table:table-cell office:value-type="string">{note}<text:p>x</text:p></table:table-cell>'
    (row,) = rows_of(table(ods_row(commented, f"<table:table-cell>{note}</table:table-cell>")))
    assert (row.cells, row.comments) == (("x",), ((0, "nota 123"), (1, "nota 123")))


def test_our_own_comments_are_nobodys() -> None:
    creator = "<dc:creator>Faturista</dc:creator>"
    note = f"<office:annotation>{creator}<text:p>nota</text:p></office:annotation>"
    (row,) = rows_of(
        table(ods_row(f'<table:table-cell office:value-type="string">{note}<text:p>x</text:p></table:table-cell>'))
    )
    assert row.comments == ()


def test_a_word_that_multiplies_the_number_is_seen() -> None:
    thousands, reais = (ods_cell(text, value=1.5, kind="float") for text in ("1,5 mil", "1,50 reais"))
    (row,) = rows_of(table(ods_row(thousands, reais)))
    assert [type(cell) for cell in row.cells] == [Multiplied, float]


def test_strokes_and_foreign_currencies_are_seen() -> None:
    look = '<style:style style:name="ce1"><style:text-properties style:text-line-through-style="solid"/></style:style>'
    struck = ods_cell("x", more=' table:style-name="ce1"')
    dollars = ods_cell("US$ 5.00", value=5, kind="currency", more=' office:currency="USD"')
    reais = ods_cell("R$ 5,00", value=5, kind="currency", more=' office:currency="BRL"')
    content = ods(table(ods_row(struck, dollars, reais)), styles=look)
    (row,) = open_ods(content, Limits()).sheets[0].rows()
    assert row.struck == {0}
    assert [type(cell) for cell in row.cells] == [str, Foreign, float]


@pytest.mark.parametrize(
    ("inside", "strokes"),
    [
        ('<text:span text:style-name="T1">Ana</text:span> Bia', (set(), {0})),
        ('<text:span text:style-name="T1">Ana</text:span> ', ({0}, set())),
        ("<text:span>Ana</text:span>", (set(), set())),
    ],
)
def test_strokes_of_a_part_of_the_text_are_seen(inside: str, strokes: tuple[set[int], set[int]]) -> None:
    look = '<style:style style:name="T1"><style:text-properties style:text-line-through-style="solid"/></style:style>'
    cell = f'<table:table-cell office:value-type="string"><text:p>{inside}</text:p></table:table-cell>'
    (row,) = open_ods(ods(table(ods_row(cell)), styles=look), Limits()).sheets[0].rows()
    assert (set(row.struck), set(row.part_struck)) == strokes


def test_a_coloured_cell_is_marked_also_if_it_is_blank() -> None:
    look = '<style:style style:name="ce1"><style:table-cell-properties fo:background-color="{}"/></style:style>'
    row = ods_row(ods_cell("x"), *['<table:table-cell table:style-name="ce1"/>'] * 2)
    red, white = (open_ods(ods(table(row), styles=look.format(c)), Limits()).sheets[0] for c in ("#ff0000", "#ffffff"))
    assert (red.fills, white.fills) == ({(0, 1): "FF0000", (0, 2): "FF0000"}, {})


def test_filtered_rows_are_hidden_and_shown_zeros_are_kept() -> None:
    zeros = ods_cell("00000000052", value=52, kind="float")
    (row,) = rows_of(table(ods_row(zeros, ods_cell("0.5", value=0.5, kind="float"), more=' table:visibility="filter"')))
    assert row == Row(1, ("00000000052", 0.5), is_hidden=True)


@pytest.mark.parametrize(("height", "is_hidden"), [("0cm", True), ("0.018in", True), ("0.45cm", False), ("x", False)])
def test_a_row_too_low_to_be_seen_is_hidden(height: str, is_hidden: bool) -> None:
    look = f'<style:style style:name="ro2"><style:table-row-properties style:row-height="{height}"/></style:style>'
    content = ods(table(ods_row(ods_cell("x"), more=' table:style-name="ro2"')), styles=look)
    assert list(open_ods(content, Limits()).sheets[0].rows()) == [Row(1, ("x",), is_hidden=is_hidden)]


def test_a_formula_with_an_empty_text_for_its_result_is_blank() -> None:
    empty = '<table:table-cell table:formula="of:=IF(1;&quot;&quot;)"/>'
    assert rows_of(table(ods_row(empty, ods_cell("x")))) == [Row(1, (None, "x"))]


def test_a_file_that_unfolds_too_large_is_refused_unopened() -> None:
    many = ods_row(ods_cell("x", more=again(columns=16_384)), more=again(rows=1_048_576))
    assert refusal(ods(table(many))) == "file.too_many_cells"
    assert refusal(ods(table(ods_row(ods_cell("x"), more=again(rows=60_000))))) == "file.too_many_rows"
    assert refusal(ods(table(ods_row(ods_cell("x", more=again(columns=500)))))) == "file.too_many_columns"
    far = ods_row(ods_cell(), more=again(rows=1_048_575)) + ods_row(*[ods_cell("x")] * 3)
    assert refusal(ods(table(far))) == "file.too_many_cells"
    assert refusal(ods(table(ods_row(ods_cell("x" * 30_000), more=again(rows=5_000))))) == "file.unpacks_too_large"
    assert refusal(ods("".join(table("", name=f"T{n}") for n in range(101)))) == "file.too_many_sheets"
    errors = ods_row(ods_cell("#N/A", more=again(columns=100) + ' calcext:value-type="error"'), more=again(rows=1_000))
    assert refusal(ods(table(errors))) == "file.too_many_marks"


@pytest.mark.parametrize("held", ['office:value="7"', 'office:string-value="7"', 'office:boolean-value="true"'])
def test_a_value_without_a_type_counts_as_any_other(held: str) -> None:
    cell = f"<table:table-cell {held}{again(columns=300)}/>"
    assert refusal(ods(table(ods_row(cell, more=again(rows=10_000))))) == "file.too_many_cells"


@pytest.mark.parametrize("count", ["-3", "+900", "²", "", "999999999"])
def test_repetitions_that_readers_count_differently_are_refused(count: str) -> None:
    repeated = ods_row(ods_cell("x", more=f' table:number-columns-repeated="{count}"'))
    assert refusal(ods(table(repeated))) == "file.damaged"
    assert refusal(ods(table(ods_row(ods_cell("x"), more=f' table:number-rows-repeated="{count}"')))) == "file.damaged"


def test_rows_are_counted_beyond_what_a_sheet_has() -> None:
    many = ods_row(ods_cell("x"), more=again(rows=2_000_000))
    assert refusal(ods(table(many)), Limits(rows=1_048_576)) == "file.too_many_rows"


def test_rows_are_counted_before_the_parser_sees_them() -> None:
    two = ods_row(ods_cell("x")) * 2
    blank = ods_row(ods_cell()) * 9
    apart = table(two + blank, name="A") + table(two + blank, name="B")
    assert open_ods(ods(apart), Limits(rows=2)).kind == "ods"
    assert refusal(ods(apart + table(two + ods_row(ods_cell("x")), name="C")), Limits(rows=2)) == "file.too_many_rows"
    broken = "<a></b>" + ods_row(ods_cell("x")) * 3
    assert refusal(ods(table(broken)), Limits(rows=2)) == "file.too_many_rows"
    assert refusal(ods(table(broken)), Limits(rows=3)) == "file.damaged"


@pytest.mark.parametrize("around", ["<table:shapes>{}</table:shapes>", "<table:table>{}</table:table>"])
def test_rows_where_none_belong_are_refused(around: str) -> None:
    rows = around.format(ods_row(ods_cell("x")))
    assert refusal(ods(table(ods_row(ods_cell("x")) + rows))) == "file.unusual"


def test_protected_and_broken_files_are_refused() -> None:
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    locked = [("mimetype", kind), ("META-INF/manifest.xml", "<m:encryption-data/>"), ("content.xml", "junk")]
    assert refusal(books.zipped(locked)) == "file.password"
    assert refusal(books.zipped([("mimetype", kind), ("content.xml", "<office:doc")])) == "file.damaged"
    assert refusal(books.zipped([("mimetype", kind)])) == "file.damaged"


def test_rows_and_cells_beyond_the_last_of_a_sheet_are_refused() -> None:
    wide = ods_row('<table:table-cell table:number-columns-repeated="16384"/><table:table-cell/>')
    assert refusal(ods(table(wide))) == "file.damaged"
    low = '<table:table-row table:number-rows-repeated="1048576"/><table:table-row/>'
    assert refusal(ods(table(low))) == "file.damaged"


def test_cell_errors_and_formats_are_limited_before_expansion() -> None:
    error = ods_cell("x", more=' calcext:value-type="error"' + again(columns=50))
    assert refusal(ods(table(ods_row(error, more=again(rows=49_000))))) == "file.too_many_marks"
    rate = ods_cell("5%", value=0.05, kind="percentage", more=again(columns=2))
    (sheet,) = open_ods(ods(table(ods_row(rate, more=again(rows=3)))), Limits()).sheets
    assert [[type(cell) for cell in row.cells] for row in sheet.rows()] == [[Percent, Percent]] * 3


def test_merges_without_end_are_refused() -> None:
    spanned = ods_row(*[ods_cell("x", more=' table:number-rows-spanned="2"')] * 300)
    assert refusal(ods(table(spanned * 170)), Limits(unpacked_bytes=10**9)) == "file.too_many_marks"


@pytest.mark.parametrize("part", ["xl/workbook.xml", "xl/workbook.bin"])
def test_another_workbook_in_the_package_is_refused(part: str) -> None:
    parts = dict(books.parts(ods(table(ods_row(ods_cell("x"))))))
    assert refusal(books.zipped({**parts, part: b"<a/>"}.items())) == "file.damaged"
