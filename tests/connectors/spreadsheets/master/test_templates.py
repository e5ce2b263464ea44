"""Rows of service templates are read with the same care as any other sheet."""

import pytest

from configs.layouts import read_layout
from configs.reference.cities import load_cities
from connectors.spreadsheets.headers.layouts import Layout
from connectors.spreadsheets.master.rows import read_master
from connectors.spreadsheets.master.templates import TemplateReader
from connectors.spreadsheets.workbook import open_workbook
from domain.problems import InputError
from tests.connectors.spreadsheets.books import RIO, written

LAYOUT = Layout.from_data(read_layout("templates"))
HEADER = ["CNPJ do Emitente", "Nome do Modelo", "Valor", "% ISS", "Limite PCC", "Reter ISS", "CNAE", "Destaque",
          "Cidade/UF"]  # fmt: skip


def read(*rows, header=HEADER):
    book = open_workbook(written(("Modelos", [header, *rows])))
    return read_master(book, LAYOUT, TemplateReader, cities=load_cities())


def test_a_row_is_what_it_says_of_a_template():
    (row,) = read(
        [RIO, "Consultoria", "R$ 1.234,56", "2,9%", 215.05, "S", 6201500, "IRRF; ISS retido", "Rio de Janeiro - RJ"]
    )
    assert (row.key, row.problems) == ((RIO, "Consultoria"), ())
    assert row.written == {
        "service_cents": 123_456,
        "iss_bp": 290,
        "pcc_limit_cents": 21_505,
        "retained_iss": True,
        "cnae_code": "6201500",
        "highlight_retentions": ("ir", "retained_iss"),
        "city_code": "3304557",
    }


def test_an_empty_cell_says_nothing():
    (row,) = read([RIO, "Consultoria", None, None, None, None, None, None, None])
    assert row.written == {}


def test_the_column_decides_how_an_amount_is_meant():
    first, second = read([RIO, "A", "1.500", *[None] * 6], [RIO, "B", "1.500,00", *[None] * 6])
    assert (first.written["service_cents"], second.written["service_cents"]) == (150_000, 150_000)
    (alone,) = read([RIO, "A", "1.500", *[None] * 6])
    assert [problem.code for problem in alone.problems] == ["amount.ambiguous"]


def test_a_bad_row_says_everything_that_is_wrong_with_it():
    (row,) = read(["99.000.001/0001-00", None, -5.0, 0.3, "x", "talvez", "62", "ICMS", "Bom Jesus"])
    assert (row.key, row.written) == (("", ""), {})
    assert [(problem.code, problem.where.column) for problem in row.problems] == [
        ("document.invalid", "A"),
        ("row.required", "B"),
        ("amount.out_of_range", "C"),
        ("amount.rate_ambiguous", "D"),
        ("amount.unreadable", "E"),
        ("row.yes_no", "F"),
        ("template.cnae", "G"),
        ("template.highlight", "H"),
        ("city.ambiguous", "I"),
    ]


def test_a_sheet_that_names_no_company_is_one_sentence():
    with pytest.raises(InputError) as refused:
        read(["Consultoria", "2%"], header=["Modelo", "% ISS"])
    assert refused.value.problem.code == "column.missing"
