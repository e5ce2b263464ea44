"""A page's workbook: figures as figures, text as text, whole lists on separate sheets, equal bytes."""

import zipfile
from datetime import UTC, datetime
from pathlib import Path

import openpyxl
import pytest

from connectors.spreadsheets.writers.pages import Cents, Page, Section, write_page

MADE = datetime(2026, 11, 20, 12, tzinfo=UTC)
SHORT = Section("Por emitente", ("Emitente", "Qtd.", "Total"), [("Marés", 2, Cents(123_456)), ("=SOMA(A1)", 0, None)])
LONG = Section("Notas: [todas]", ("Linha", "CPF/CNPJ"), [(n, f"990000010001{n:02}") for n in range(1, 40)])
EMPTY = Section("Nada", ("A",), [])


def page(**changes: object) -> Page:
    values = {"title": "Prévia de mês.xlsx", "lines": ("2 notas",), "alarms": ("Falta plano",)}
    whole = {"sections": (SHORT, EMPTY), "lists": (LONG, EMPTY)}
    return Page(**(values | whole | changes))  # type: ignore[arg-type]


def test_the_front_says_all_and_the_list_is_whole(tmp_path: Path):
    path = tmp_path / "deep" / "previa.xlsx"
    write_page(path, page(), made_at=MADE)
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["Prévia", "Notas todas"]
    front = [[cell for cell in row if cell is not None] for row in book["Prévia"].iter_rows(values_only=True)]
    assert [row for row in front if row] == [
        ["Prévia de mês.xlsx"],
        ["2 notas"],
        ["▲ Falta plano"],
        ["Por emitente"],
        ["Emitente", "Qtd.", "Total"],
        ["Marés", 2, 1234.56],
        ["=SOMA(A1)", 0],
    ]
    notes = book["Notas todas"]
    assert notes.max_row == 40
    assert (notes["B2"].value, notes["B2"].number_format, notes.freeze_panes) == ("99000001000101", "@", "A2")
    assert notes.auto_filter.ref == "A1:B40"


@pytest.mark.parametrize("sections", [(SHORT,), ()])
def test_a_long_line_wraps_within_the_width(tmp_path: Path, sections: tuple[Section, ...]):
    long = "palavra " * 40
    write_page(tmp_path / "p.xlsx", page(lines=("curta", long), alarms=(long,), sections=sections), made_at=MADE)
    sheet = openpyxl.load_workbook(tmp_path / "p.xlsx")["Prévia"]
    spans = [each for each in sheet.merged_cells.ranges if each.min_row > 2]
    assert {each.min_row for each in spans} == {3, 4, 5}
    assert all(each.max_col >= len(SHORT.headings) for each in spans)
    heights = [sheet.row_dimensions[row].height for row in (3, 4, 5)]
    assert heights[0] < 15
    assert heights[1] >= 3 * 14
    assert heights[2] >= 3 * 14


def test_a_list_leaves_empty_cells_out_and_prints_its_lines(tmp_path: Path):
    listed = Section(
        "Notas", ("Linha", "Motivo", "IR"), [(1, "", Cents(150)), (2, None, None), (3, "isento", Cents(0))]
    )
    write_page(tmp_path / "p.xlsx", page(lists=(listed,)), made_at=MADE)
    with zipfile.ZipFile(tmp_path / "p.xlsx") as book:
        sheet = book.read("xl/worksheets/sheet2.xml").decode()
    assert sheet.count("<c ") == 3 + 6
    assert 'gridLines="1"' in sheet
    notes = openpyxl.load_workbook(tmp_path / "p.xlsx")["Notas"]
    assert list(notes.iter_rows(min_row=2, values_only=True)) == [(1, None, 1.5), (2, None, None), (3, "isento", 0)]


def test_an_amount_is_a_whole_number_of_cents_and_reads_as_money():
    assert (Cents(123_456), str(Cents(123_456)), f"{Cents(5)}") == (123_456, "R$ 1.234,56", "R$ 0,05")


def test_nothing_typed_becomes_a_formula(tmp_path: Path):
    write_page(tmp_path / "p.xlsx", page(), made_at=MADE)
    cells = [cell for sheet in openpyxl.load_workbook(tmp_path / "p.xlsx") for row in sheet.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells} == {"n", "s"}


def test_the_same_page_gives_the_same_bytes(tmp_path: Path):
    for name in ("a.xlsx", "b.xlsx"):
        write_page(tmp_path / name, page(), made_at=MADE)
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


@pytest.mark.parametrize(("column", "is_right"), [(0, False), (1, True), (2, True)])
def test_figures_stand_at_the_right(column: int, is_right: bool):
    assert SHORT.is_figures(column) is is_right
    assert EMPTY.is_figures(0) is False


def test_long_and_named_lists_have_separate_sheets(tmp_path: Path):
    other = Section("NOTAS todas", ("Linha",), [(1,)])
    write_page(tmp_path / "p.xlsx", page(lists=(LONG, other)), made_at=MADE, rows_a_sheet=20)
    book = openpyxl.load_workbook(tmp_path / "p.xlsx")
    assert book.sheetnames == ["Prévia", "Notas todas", "Notas todas (2)", "NOTAS todas (3)"]
    numbers = [cell.value for sheet in book.worksheets[1:3] for cell in sheet["A"][1:]]
    assert numbers == list(range(1, 40))


def test_a_title_too_long_for_a_sheets_name_is_whole_on_the_sheet(tmp_path: Path):
    title = "Clientes que vão ser cadastrados"
    listed = Section(title, ("Cliente", "Linha"), [("Ana", 2), ("Bia", 3)])
    lists = (listed, Section("Clientes que vão ser cadastrados de novo", ("Cliente",), [("Caio",)]))
    write_page(tmp_path / "p.xlsx", page(lists=lists), made_at=MADE)
    book = openpyxl.load_workbook(tmp_path / "p.xlsx")
    assert book.sheetnames == ["Prévia", "Clientes que vão ser…", "Clientes que vão ser… (2)"]
    sheet = book["Clientes que vão ser…"]
    assert list(sheet.iter_rows(values_only=True)) == [(title, None), ("Cliente", "Linha"), ("Ana", 2), ("Bia", 3)]
    assert (sheet.freeze_panes, sheet.auto_filter.ref, sheet.print_title_rows) == ("A3", "A2:B4", "$1:$2")


def test_a_word_longer_than_a_sheets_name_is_cut(tmp_path: Path):
    write_page(tmp_path / "p.xlsx", page(lists=(Section("x" * 40, ("A",), [(1,)]),)), made_at=MADE)
    assert openpyxl.load_workbook(tmp_path / "p.xlsx").sheetnames == ["Prévia", "x" * 30 + "…"]
