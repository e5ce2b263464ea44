"""The correction workbook as its reader sees it: the person's own sheet with the failing rows and nothing else."""

import re
import zipfile
from datetime import datetime
from io import BytesIO

import openpyxl
import pytest
from openpyxl.chart import BarChart
from openpyxl.comments import Comment
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Font, PatternFill
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from connectors.spreadsheets.corrections.annotations import BAD
from connectors.spreadsheets.workbook import open_workbook
from domain.corrections.reports import Fault
from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.corrections.returned import (
    BAD_AMOUNT,
    SHEET,
    WHOLE_ROW,
    WORDS,
    month,
    returned,
    styled,
    tag,
    texts,
)
from tests.connectors.spreadsheets.formats import binaries

_XLSB_ROWS = b"".join(binaries.row(number, [binaries.text(0, number)]) for number in range(2))
DAY = datetime(2026, 11, 20)  # noqa: DTZ001 - a cell's day has no zone


def test_only_failing_rows_come_back_under_title_and_header(tmp_path):
    book, _, has_looks = returned(tmp_path, books.written((SHEET, month())), {5: [BAD_AMOUNT], 8: [WHOLE_ROW]})
    rows = texts(book[SHEET])
    assert has_looks
    assert rows[0] == ["Faturamento"]
    assert rows[2] == ["CNPJ/CPF", "ref_linha", "Nome", "Valor", "Modelo", "Linha devolvida", "O que corrigir"]
    assert [row[:5] for row in rows[3:]] == [
        ["00000000005", tag(5), "Cliente 5", 7.5, "Consultoria"],
        ["00000000008", tag(8), "Cliente 8", 12, "Consultoria"],
    ]
    assert rows[3][5:] == ["Recusada\nLinha 5 do arquivo enviado", "Valor: Não é um valor. Digite um número."]
    assert rows[4][6].splitlines() == ["O modelo não existe. Confira o nome.", WORDS["no_cell"]]


def test_both_carriers_bear_the_tag_and_the_bad_cell_says_why(tmp_path):
    book, *_ = returned(tmp_path, books.written((SHEET, month())), {5: [BAD_AMOUNT]})
    page = book[SHEET]
    assert page["B4"].value == tag(5)
    assert page.column_dimensions["B"].hidden
    assert page["A4"].comment.text.endswith(f"\n{tag(5)}")
    assert page["D4"].comment.text == "Não é um valor. Digite um número."
    assert page["D4"].fill.fgColor.rgb == BAD.fgColor.rgb
    assert page["C4"].fill.fgColor.rgb != BAD.fgColor.rgb
    assert page["C4"].comment is None


def test_formats_are_those_of_the_persons_file(tmp_path):
    def style(book, page):
        page["C5"].number_format = '"R$" #,##0.00'
        page["C5"].font = Font(name="Courier New", italic=True)
        page["A3"].fill = PatternFill("solid", fgColor="FF112233")
        page.column_dimensions["A"].width = 33
        page.column_dimensions["C"].width = 21
        page.column_dimensions["D"].hidden = True
        page.row_dimensions[3].height = 40
        page.merge_cells("A1:C1")
        page.merge_cells("A6:B6")
        page.freeze_panes = "C4"

    book, *_ = returned(tmp_path, styled(month(), style), {5: [WHOLE_ROW]})
    page = book[SHEET]
    assert page["D4"].number_format == '"R$" #,##0.00'
    assert (page["D4"].font.name, page["D4"].font.italic) == ("Courier New", True)
    assert page["F3"].fill.fgColor.rgb == page["A3"].fill.fgColor.rgb == "FF112233"
    assert (page.column_dimensions["A"].width, page.column_dimensions["D"].width) == (33, 21)
    assert page.column_dimensions["E"].hidden
    assert page.row_dimensions[3].height == 40
    assert [str(each) for each in page.merged_cells.ranges] == ["A1:D1"]
    assert page.freeze_panes == "D4"


def test_formulas_come_back_as_the_values_that_the_person_saw(tmp_path):
    rows = month()

    def style(sheet):
        sheet.write_formula("C5", "=1+1", None, 2)
        sheet.write_formula("D5", '="a"&"b"', None, "ab")
        sheet.write_formula("B5", "=NA()", None, "#N/A")
        sheet.write_formula("A8", "=ontem()")

    book, written, _ = returned(tmp_path, books.written((SHEET, rows), dress=style), {5: [BAD_AMOUNT], 8: [BAD_AMOUNT]})
    page = book[SHEET]
    assert [page[cell].value for cell in ("C4", "D4", "E4")] == ["#N/A", 2, "ab"]
    with zipfile.ZipFile(BytesIO(written)) as package:
        assert not re.search(rb"<f[ >/]", package.read("xl/worksheets/sheet1.xml"))


def test_text_that_looks_like_a_formula_stays_text(tmp_path):
    rows = month()
    rows[4][1] = '=HYPERLINK("x")'
    for content in (books.written((SHEET, rows)), b'CNPJ/CPF;Nome;Valor\n1;"=HYPERLINK(""x"")";2\n'):
        is_csv = not content.startswith(b"PK")
        options = {"header_row": 1, "sheet": "CSV"} if is_csv else {}
        book, written, _ = returned(tmp_path, content, {2 if is_csv else 5: [WHOLE_ROW]}, **options)
        cell = book["CSV" if is_csv else SHEET].cell(2 if is_csv else 4, 3)
        assert (cell.value, cell.data_type) == ('=HYPERLINK("x")', "s")
        with zipfile.ZipFile(BytesIO(written)) as package:
            assert not re.search(rb"<f[ >/]", package.read("xl/worksheets/sheet1.xml"))


def test_no_good_rows_data_goes_along(tmp_path):
    rows = month()
    rows[5][1] = "Segredo Alheio"
    _, written, _ = returned(tmp_path, books.written((SHEET, rows)), {5: [WHOLE_ROW]})
    with zipfile.ZipFile(BytesIO(written)) as package:
        assert not [name for name in package.namelist() if b"Segredo" in package.read(name)]


def test_filters_pictures_notes_and_rules_stay_behind(tmp_path):
    def style(book, page):
        page.auto_filter.ref = "A3:D9"
        page.conditional_formatting.add("C4:C9", CellIsRule("greaterThan", ["1"], font=Font(bold=True)))
        page["B5"].comment = Comment("lembrete", "Ana")
        page.add_chart(BarChart(), "F1")
        book.defined_names.add(openpyxl.workbook.defined_name.DefinedName("Total", attr_text="Plan!$C$4:$C$9"))

    content = styled(month(), style)
    book, *_ = returned(tmp_path, content, {5: [WHOLE_ROW]})
    page = book[SHEET]
    assert page.auto_filter.ref is None
    assert not list(page.conditional_formatting)
    assert page["C4"].comment is None
    assert not page._charts  # type: ignore[attr-defined]
    assert not book.defined_names


def test_other_sheets_come_along_without_formulas_and_shortened(tmp_path):
    long = [[f"item {number}"] for number in range(1, 1_500)]
    content = books.written((SHEET, month()), ("Instruções", [["Leia"], ["com calma"]]), ("Lista", long))
    book, *_ = returned(tmp_path, content, {5: [WHOLE_ROW]})
    assert book.sheetnames == [SHEET, "Instruções", "Lista", "Ajuda - correções"]
    assert texts(book["Instruções"]) == [["Leia"], ["com calma"]]
    assert book["Lista"].max_row == 1_000
    assert book.active is not None
    assert book.active.title == SHEET


def test_a_workbook_with_macros_comes_back_without_them(tmp_path):
    with zipfile.ZipFile(BytesIO(books.written((SHEET, month())))) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    kind = b"application/vnd.ms-excel.sheet.macroEnabled.main+xml"
    plain = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
    parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(plain, kind)
    content = books.zipped([*parts.items(), ("xl/vbaProject.bin", b"macro")])
    _, written, has_looks = returned(tmp_path, content, {5: [WHOLE_ROW]})
    assert has_looks
    with zipfile.ZipFile(BytesIO(written)) as package:
        assert not [name for name in package.namelist() if "vba" in name]
        assert b"macroEnabled" not in package.read("[Content_Types].xml")


def test_a_csv_comes_back_as_a_workbook_with_a_remark(tmp_path):
    content = "CNPJ/CPF;Nome;Valor\n001;Marés;1.234,56\n002;Ilha;x\n".encode()
    book, _, has_looks = returned(tmp_path, content, {3: [BAD_AMOUNT]}, header_row=1, sheet="CSV")
    assert not has_looks
    assert texts(book["CSV"])[1][:4] == ["002", tag(3), "Ilha", "x"]
    found = [value for row in book["Ajuda - correções"].iter_rows(values_only=True) for value in row if value]
    assert any("aparência" in str(text) for text in found)


@pytest.mark.parametrize("path", [binaries.MONTH_XLS, binaries.MONTH_ODS], ids=["xls", "ods"])
def test_a_file_saved_by_another_office_returns_without_format(tmp_path, path):
    failing = {4: [Fault(what="Não existe.", mend="Confira.", column="D")], 6: [WHOLE_ROW]}
    book, _, has_looks = returned(tmp_path, path.read_bytes(), failing, sheet="Notas")
    page = texts(book["Notas"])
    assert not has_looks
    assert page[2][1:5] == ["CNPJ/CPF", "ref_linha", "Nome", "Modelo"]
    assert page[3][1:8] == ["99.000.002/0001-48", tag(4), "Ana Ltda", "Consultoria", 1234.56, 0.05, DAY]
    assert page[4][1:6] == ["99.000.002/0001-48", tag(6), "Caio ME", "Consultoria", "#DIV/0!"]
    assert book["Notas"]["E4"].fill.fgColor.rgb == BAD.fgColor.rgb
    assert "Instruções" in book.sheetnames
    found = [value for row in book["Ajuda - correções"].iter_rows(values_only=True) for value in row if value]
    assert any("aparência" in str(text) for text in found)


def test_a_binary_workbook_comes_back_with_the_same_content(tmp_path):
    words = ["CNPJ/CPF", "Nome", "Valor", "001", "Marés", "002", "Ilha"]
    rows = [
        binaries.row(0, [binaries.text(0, 0), binaries.text(1, 1), binaries.text(2, 2)]),
        binaries.row(1, [binaries.text(0, 3), binaries.text(1, 4), binaries.real(2, 10.0)]),
        binaries.row(2, [binaries.text(0, 5), binaries.text(1, 6), binaries.real(2, 12.5)]),
    ]
    content = binaries.xlsb([("Notas", binaries.sheet_bin(b"".join(rows)), 0)], texts=words)
    book, _, has_looks = returned(tmp_path, content, {3: [BAD_AMOUNT]}, header_row=1, sheet="Notas")
    assert not has_looks
    assert texts(book["Notas"])[1][:4] == ["002", tag(3), "Ilha", 12.5]


def test_unusual_markup_takes_the_way_by_values(tmp_path):
    rows = (
        '<row r="1"><c r="A1" t="inlineStr"><is><t>CNPJ/CPF</t></is></c><c r="B1" t="inlineStr"><is><t>Nome</t></is>'
        '</c></row><row r="2"><c r="A2" t="inlineStr"><is><t>1</t></is></c><c r="B2"><v>46000</v></c></row>'
    )
    prefixed = books.sheet_xml(rows).replace("<", "<x:").replace("<x:/", "</x:").replace("xmlns=", "xmlns:x=")
    book, _, has_looks = returned(tmp_path, books.packed(prefixed), {2: [WHOLE_ROW]}, header_row=1, sheet="S1")
    assert not has_looks
    assert texts(book["S1"])[1][:3] == ["1", tag(2), 46_000]


def test_dates_and_long_numbers_are_readable_without_formats(tmp_path):
    content = books.written((SHEET, [["CNPJ/CPF", "Data", "Valor"], [99_000_001_000_101, DAY, 1]]))
    with zipfile.ZipFile(BytesIO(content)) as package:
        parts = [(name, package.read(name)) for name in package.namelist()]
    odd = [(name, data + b"<!-- -->" if name.endswith("sheet1.xml") else data) for name, data in parts]
    odd = [(name, data.replace(b"<sheetData>", b"<sheetData><!-- -->")) for name, data in odd]
    book, _, has_looks = returned(tmp_path, books.zipped(odd), {2: [WHOLE_ROW]}, header_row=1)
    page = book[SHEET]
    assert not has_looks
    assert (page["A2"].value, page["A2"].number_format) == (99_000_001_000_101, "0")
    assert (page["C2"].value, page["C2"].number_format) == (DAY, "dd/mm/yyyy")


def test_merged_cells_and_invalid_numbers_do_not_stop_it(tmp_path):
    rows = (
        '<row r="1"><c r="A1" t="str"><v>CNPJ/CPF</v></c><c r="B1" t="str"><v>Nome</v></c></row>'
        '<row r="2"><c r="B2" t="str"><v>(do cliente)</v></c></row>'
        '<row r="3"><c r="A3"><v>NaN</v></c><c r="B3"><v>-1e999</v></c></row><row r="4"><c r="A4"><v>1</v></c></row>'
    )
    sheet = books.sheet_xml(f"<!-- -->{rows}").replace(
        "</sheetData>", '</sheetData><mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B3:B4"/></mergeCells>'
    )
    failing = {3: [WHOLE_ROW], 4: [WHOLE_ROW]}
    book, _, has_looks = returned(tmp_path, books.packed(sheet), failing, header_row=2, sheet="S1")
    assert not has_looks
    assert [row[:3] for row in texts(book["S1"])[2:]] == [["#NUM!", "#NUM!", tag(3)], [1, None, tag(4)]]


def test_characters_that_no_workbook_can_hold_are_left_out(tmp_path):
    content = "CNPJ/CPF;Valor\n001\ufffe;a\x07b\uffff\n".encode()
    fault = Fault(what='"a\x07b\uffff" não é um valor.', mend="Corrija.", column="B")
    book, _, _ = returned(tmp_path, content, {2: [fault]}, header_row=1, sheet="CSV")
    assert texts(book["CSV"])[1][:3] == ["001", tag(2), "ab"]
    comment = book["CSV"]["C2"].comment
    assert comment is not None
    assert comment.text.startswith('"ab" não é um valor.')


def test_names_of_sheets_that_only_other_programs_allow_are_cut(tmp_path):
    names = [f"Faturamento do mês de novembro de 2026, {place}" for place in ("Rio", "São Paulo")]
    content = binaries.xlsb([(name, binaries.sheet_bin(_XLSB_ROWS), 0) for name in names], texts=["CNPJ/CPF", "x"])
    book, _, _ = returned(tmp_path, content, {2: [WHOLE_ROW]}, header_row=1, sheet=names[1])
    cut = "Faturamento do mês de novemb"
    assert book.sheetnames == [cut, f"{cut}1", "Ajuda - correções"]
    assert tag(2) in texts(book[f"{cut}1"])[1]


def test_a_second_return_keeps_our_columns_and_drops_the_rest(tmp_path):
    first, content, _ = returned(tmp_path, books.written((SHEET, month())), {5: [BAD_AMOUNT], 8: [BAD_AMOUNT]})
    second, _, has_looks = returned(tmp_path, content, {5: [WHOLE_ROW]})
    assert has_looks
    assert second.sheetnames == first.sheetnames
    page = second[SHEET]
    assert [cell.value for cell in page[3]] == [cell.value for cell in first[SHEET][3]]
    assert page["B4"].value == tag(5)
    assert page["C4"].value == "Cliente 8"
    assert page["D4"].fill.fgColor.rgb != BAD.fgColor.rgb
    assert page.max_row == 4


def test_days_count_from_where_the_person_counts_them(tmp_path):
    def style(book, page):
        book.epoch = CALENDAR_MAC_1904
        page["D5"].value = DAY

    content = styled(month(), style)
    book, written, _ = returned(tmp_path, content, {5: [WHOLE_ROW]})
    assert book[SHEET]["E4"].value == DAY
    assert open_workbook(written).facts["dates_from"] == "1904"


def test_nothing_is_left_behind_when_writing_fails(tmp_path):
    taken = tmp_path / "corrigir.xlsx"
    taken.mkdir()
    with pytest.raises(IsADirectoryError):
        returned(tmp_path, books.written((SHEET, month())), {5: [WHOLE_ROW]})
    assert list(tmp_path.iterdir()) == [taken]


def test_the_workbook_prints_on_a4_in_any_original_format(tmp_path):
    def style(_, page):
        page.print_area = "A1:B9"
        page.page_setup.orientation = "portrait"
        page.oddFooter.center.text = "Contabilidade Souza"

    book, _, _ = returned(tmp_path, styled(month(), style), {5: [BAD_AMOUNT]})
    page, help_page = book[SHEET], book.worksheets[-1]
    for each in (page, help_page):
        assert (each.page_setup.orientation, each.page_setup.paperSize) == ("landscape", 9)
        assert (each.page_setup.fitToWidth, each.page_setup.fitToHeight) == (1, 0)
        assert not each.print_area
        assert each.oddFooter is not None
        assert each.oddFooter.left.text == "&F"
    assert page.print_title_rows == "$3:$3"
