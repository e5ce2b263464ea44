"""Our own reader understands a blank workbook and accepts its example rows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from configs.catalogue import Catalogue
from configs.layouts import headers_of, read_layout
from configs.reference.cities import load_cities
from connectors.spreadsheets.formats.sheet_metadata import column_letter
from connectors.spreadsheets.headers.layouts import Layout
from connectors.spreadsheets.products import read_products
from connectors.spreadsheets.readings import open_sheet
from connectors.spreadsheets.services import Defaults, read_services
from connectors.spreadsheets.workbook import open_workbook
from connectors.spreadsheets.writers.blank_columns import COLUMNS
from connectors.spreadsheets.writers.blank_workbook import HEADER_ROW, ROWS, Blank, write_blank
from domain.problems import InputError

KINDS = pytest.mark.parametrize("kind", list(COLUMNS))
LANGUAGES = pytest.mark.parametrize("language", ["pt_BR", "en"])
READERS: dict[str, Callable[..., Any]] = {"services": read_services, "products": read_products}
BILLED = pytest.mark.parametrize("kind", list(READERS))


def written(folder: Path, kind: str, *, language: str = "pt_BR", **lists: list[str]) -> Path:
    words = Catalogue.load(language)
    headers = headers_of(kind)
    path = folder / f"{kind}.xlsx"
    write_blank(
        path,
        Blank(kind=kind, headers=headers, words=words.words("blank"), hints=words.words("blank_hint"), lists=lists),
    )
    return path


def read(path: Path, kind: str, sheet: str | None = None):
    opened = open_sheet(open_workbook(path), Layout.from_data(read_layout(kind)), sheet=sheet)
    return READERS[kind](opened, defaults=Defaults(), cities=load_cities())


@LANGUAGES
@BILLED
def test_unfilled_it_is_one_friendly_sentence(tmp_path, kind, language):
    with pytest.raises(InputError) as refused:
        read(written(tmp_path, kind, language=language), kind)
    assert (refused.value.problem.code, refused.value.details) == ("sheet.no_rows", ())


@BILLED
def test_its_examples_are_good_rows(tmp_path, kind):
    rows = list(read(written(tmp_path, kind), kind, sheet="Exemplos").rows())
    assert len(rows) == 2
    assert [row.problems for row in rows] == [(), ()]


@BILLED
def test_filled_it_is_read_from_its_own_page(tmp_path, kind):
    path = written(tmp_path, kind)
    book = openpyxl.load_workbook(path)
    example, page = book["Exemplos"], book["Preencher"]
    for number, cell in enumerate(example[4], start=1):
        page.cell(HEADER_ROW + 2, number).value = cell.value
    book.save(path)
    (row,) = read(path, kind).rows()
    assert (row.sheet, row.problems) == ("Preencher", ())


@KINDS
def test_every_column_says_what_it_wants_and_keeps_its_format(tmp_path, kind):
    book = openpyxl.load_workbook(written(tmp_path, kind))
    page = book["Preencher"]
    found = {str(each.sqref).split(":")[0].rstrip("0123456789"): each for each in page.data_validations.dataValidation}
    for number, column in enumerate(COLUMNS[kind]):
        letter = column_letter(number)
        assert found[letter].prompt, column.field
        assert str(found[letter].sqref) == f"{letter}{HEADER_ROW + 2}:{letter}{HEADER_ROW + ROWS + 1}"
        if column.shape in ("text", "list"):
            # Equal neighbours share one entry.
            look = next(
                each for each in page.column_dimensions.values() if (each.min or 0) <= number + 1 <= (each.max or 0)
            )
            assert look.number_format == "@", column.field


def test_lists_offer_what_they_are_given_and_nothing_else(tmp_path):
    book = openpyxl.load_workbook(written(tmp_path, "services", template_name=["Consultoria", "Suporte"]))
    lists = book["Listas"]
    assert lists.sheet_state == "hidden"
    columns = {column[0]: [each for each in column[1:] if each] for column in lists.iter_cols(values_only=True)}
    assert columns["Modelo"] == ["Consultoria", "Suporte"]
    assert len(columns["UF"]) == 27
    assert "CNPJ Emitente" not in columns
    kinds = {each.promptTitle: each.type for each in book["Preencher"].data_validations.dataValidation}
    assert (kinds["Modelo"], kinds["UF"], kinds["CNPJ Emitente"]) == ("list", "list", None)
    assert (kinds["Valor"], kinds["Competência"]) == ("decimal", "date")


@KINDS
def test_required_columns_of_the_layout_are_required_here(kind):
    required = {column.field for column in COLUMNS[kind] if column.is_required}
    assert set(read_layout(kind)["required"]) <= required


def test_a_filled_in_workbook_is_never_overwritten(tmp_path):
    path = written(tmp_path, "takers")
    before = path.read_bytes()
    with pytest.raises(FileExistsError):
        written(tmp_path, "takers")
    assert path.read_bytes() == before


@KINDS
def test_a_blank_workbook_is_set_up_for_printing(tmp_path, kind):
    book = openpyxl.load_workbook(written(tmp_path, kind))
    page, instructions, example, _ = book.worksheets
    assert {each.page_setup.paperSize for each in (page, instructions, example)} == {9}
    assert page.print_title_rows == f"${HEADER_ROW + 1}:${HEADER_ROW + 1}"
    letters = sum(column.width for column in COLUMNS[kind])
    assert letters / (page.page_setup.fitToWidth or 1) <= 210
    assert page.print_title_cols == ("$A:$B" if (page.page_setup.fitToWidth or 1) > 1 else None)
    assert instructions.page_setup.fitToWidth in (None, 1)
