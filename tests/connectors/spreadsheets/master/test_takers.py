"""Rows of customers are read with the same care as any other sheet."""

import pytest

from configs.layouts import read_layout
from configs.reference.cities import load_cities
from connectors.spreadsheets.headers.layouts import Layout
from connectors.spreadsheets.master.takers import read_takers
from connectors.spreadsheets.workbook import open_workbook
from domain.problems import InputError
from tests.connectors.spreadsheets.books import written

LAYOUT = Layout.from_data(read_layout("takers"))
HEADER = ["CNPJ/CPF", "Nome", "E-mail", "Cidade/UF"]


def read(*rows):
    return read_takers(
        open_workbook(written(("Clientes", [["Cadastro"], HEADER, *rows]))), LAYOUT, cities=load_cities()
    )


def test_a_row_is_what_it_says_of_a_customer():
    (row,) = read(["99.000.001/0001-01", "Marés Ltda", "a@mares.example; b@mares.example", "São Paulo - SP"])
    assert row.taker is not None
    assert (row.number, row.taker.name, row.taker.city_code) == (3, "Marés Ltda", "3550308")
    assert row.taker.emails == ("a@mares.example", "b@mares.example")


def test_a_bad_row_says_everything_that_is_wrong_with_it():
    good, bad = read(["99.000.001/0001-01", "Marés", None, None], ["99.000.001/0001-00", None, "x", "Bom Jesus"])
    assert good.problems == ()
    assert bad.taker.name is None
    codes = [problem.code for problem in bad.problems]
    assert codes == ["document.invalid", "row.required", "row.email", "city.ambiguous"]
    assert [problem.where.column for problem in bad.problems] == ["A", "B", "C", "D"]


def test_a_sheet_without_rows_is_one_sentence():
    with pytest.raises(InputError) as refused:
        read()
    assert refused.value.problem.code == "sheet.no_records"


def test_a_row_may_say_whether_it_is_wanted():
    sheet = written(("Clientes", [[*HEADER, "Gravar"], ["99.000.001/0001-01", "Marés", None, None, "S"],
                                  ["99.000.002/0001-48", "Aurora", None, None, "Não"]]))  # fmt: skip
    wanted, other = read_takers(open_workbook(sheet), LAYOUT, cities=load_cities())
    assert wanted.problems == ()
    assert [problem.code for problem in other.problems] == ["row.not_wanted"]
