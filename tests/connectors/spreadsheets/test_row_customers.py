"""A number that neither the sheet nor the customer's name tells is left to the register, if nothing else is wrong."""

from configs.layouts import read_layout
from configs.reference.cities import load_cities
from connectors.spreadsheets.headers.layouts import Layout
from connectors.spreadsheets.master.takers import read_takers
from connectors.spreadsheets.workbook import open_workbook
from domain.services.lines import ServiceLine
from tests.connectors.spreadsheets.books import read, written
from tests.connectors.spreadsheets.test_products import line_of as product_of
from tests.connectors.spreadsheets.test_products import rows_of as product_rows
from tests.connectors.spreadsheets.test_services import HEAD, codes, rows_of

EITHER = 40_773_000_100.0
"""A valid CPF and, with three zeros before it, a valid CNPJ."""
SHORT = 1_000_136.0
"""With four zeros before it a valid CPF, with seven a valid CNPJ."""


def test_digits_of_either_kind_are_left_to_the_register() -> None:
    shown = ("40773000100", "407730001-00", "40.773.0001/00", " CNPJ: 40773000100 ")
    texts: list[object] = [EITHER, SHORT, *shown]
    rows = rows_of(read([HEAD, *([text, "Zyx", "Consultoria", 100.0] for text in texts)]))
    lines = [row.line for row in rows]
    found = [(line.unclear_document, line.taker.document, line.taker.name) for line in lines if line is not None]
    assert found == [(digits, None, "Zyx") for digits in ["40773000100", "1000136", *["40773000100"] * 4]]
    assert all(line == ServiceLine.from_json(line.to_json()) for line in lines if line is not None)


def test_digits_that_are_no_document_come_back_at_once() -> None:
    wrong = [40_773_000_101.0, 1_000_137.0, 136.0]
    rows = rows_of(read([HEAD, *([number, "Zyx", "Consultoria", 100.0] for number in wrong)]))
    assert [codes(row)[0][0] for row in rows] == ["document.invalid", "document.length", "document.length"]


def test_a_row_with_another_fault_says_both() -> None:
    (row,) = rows_of(read([HEAD, [EITHER, "Zyx", "Consultoria", "x"]]))
    assert codes(row) == [("document.ambiguous", "document", "A"), ("amount.unreadable", "service_cents", "D")]


def test_a_line_of_an_order_is_left_to_the_register_too() -> None:
    line = product_of(**{"CPF/CNPJ": EITHER, "Cliente": "Zyx"})
    assert (line.unclear_document, line.taker.document) == ("40773000100", None)
    assert line == type(line).from_json(line.to_json())
    spoilt, _ = product_rows({"CPF/CNPJ": EITHER, "NCM": None}, {"CPF/CNPJ": EITHER})
    assert [problem.code for problem in spoilt.problems] == ["document.ambiguous", "row.required"]


def test_a_list_of_customers_needs_whole_documents() -> None:
    """The list becomes the register: nothing else can tell."""
    sheet = written(("Clientes", [["CNPJ/CPF", "Nome"], [EITHER, "Zyx"], [EITHER, "Padaria Central Ltda"]]))
    unclear, clear = read_takers(open_workbook(sheet), Layout.from_data(read_layout("takers")), cities=load_cities())
    assert [problem.code for problem in unclear.problems] == ["document.ambiguous"]
    assert clear.taker is not None
    assert clear.taker.document is not None
    assert clear.taker.document.number == "00040773000100"
