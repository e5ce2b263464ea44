"""Rows of emitters: the fields that a sheet may change, and no secret is read from it."""

from configs.layouts import read_layout
from configs.reference.cities import load_cities
from connectors.spreadsheets.headers.layouts import Layout
from connectors.spreadsheets.master.emitters import EmitterReader
from connectors.spreadsheets.master.rows import read_master
from connectors.spreadsheets.workbook import open_workbook
from tests.connectors.spreadsheets.books import RIO, written

LAYOUT = Layout.from_data(read_layout("emitters"))
HEADER = ["CNPJ", "Nome", "E-mail", "Telefone", "CEP", "Cidade/UF", "CRT", "Simples", "Certificado", "Último RPS"]


def read(*rows):
    book = open_workbook(written(("Empresas", [HEADER, *rows])))
    return read_master(book, LAYOUT, EmitterReader, cities=load_cities())


def test_a_row_is_what_it_says_of_an_emitter():
    (row,) = read([RIO, "Marés", "a@m.example", "(21) 98765-4321", "20010-000", "Niterói/RJ", 3, "Não", None, 9])
    assert row.key == (RIO,)
    assert row.written == {
        "name": "Marés",
        "email": "a@m.example",
        "phone": "21987654321",
        "zip_code": "20010000",
        "city": "Niterói",
        "state": "RJ",
        "code_tax_regime": "3",
        "national_simple_optant": False,
    }


def test_a_company_has_one_e_mail_and_nobody_chooses_it_among_two():
    (row,) = read([RIO, "Marés", "a@m.example; b@m.example"])
    assert [(problem.code, problem.where.column) for problem in row.problems] == [("row.several_emails", "C")]


def test_a_bad_row_says_everything_and_quotes_no_secret():
    (row,) = read([None, None, "x", "1", "2", "Nenhures", "9", "?", "MIIabc", None])
    assert [problem.code for problem in row.problems] == [
        "row.required", "row.email", "row.phone", "row.zip_code", "city.unknown", "emitter.tax_regime", "row.yes_no",
        "emitter.secret_in_sheet",
    ]  # fmt: skip
    assert "MIIabc" not in repr(row)
