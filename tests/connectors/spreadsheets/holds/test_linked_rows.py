"""Test that a credit and a footnote hold the rows that they are about, and no others."""

import pytest

from connectors.spreadsheets.headers.layouts import Header, find_header
from connectors.spreadsheets.holds.linked_rows import credited_rows, footnoted_rows, named_rows, parts_of_sets
from connectors.spreadsheets.workbook import open_workbook
from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.books import SERVICES

_HEAD: list[object] = ["CNPJ", "Cliente", "Valor"]


def header(*rows: list[object]) -> Header:
    return find_header(open_workbook(books.written(("P", [_HEAD, *rows]))), SERVICES)


def test_a_credit_holds_every_charge_of_its_customer_however_the_document_is_written() -> None:
    sheet = header(
        ["99.1/0001-2", "Ana", 10.0], ["88", "Bia", 5.0], ["99100012", "Ana", 7.0], ["9910001-2", "Ana", -3.0]
    )
    held = credited_rows(sheet, 2, [5], [])
    assert set(held) == {2, 4}
    assert held[2].params == {"row": 5, "text": "-3"}


def test_a_credit_without_a_document_belongs_to_the_row_above() -> None:
    sheet = header([None, "Desconto", -1.0], ["99", "Ana", 10.0], [None, "Desconto", -3.0], ["88", "Bia", 5.0])
    assert set(credited_rows(sheet, 2, [2, 4], [])) == {3}
    assert set(credited_rows(sheet, 2, [2, 4], [3])) == set()


def test_a_charge_of_the_bank_below_a_payment_holds_no_customer() -> None:
    sheet = header(["99", "Ana", 10.0], ["88", "Posto", -5.0], [None, "Tarifa", -1.0])
    assert set(credited_rows(sheet, 2, [3, 4], [])) == set()


@pytest.mark.parametrize(
    ("name", "footnote", "is_held"),
    [
        ("Ana (*)", "(*) aguardar contrato", True), ("*Ana", "* não faturar", True), ("Ana **", "* não faturar", False),
        ("Ana 2 * 3", "* não faturar", False), ("Ana (1)", "(1) cancelar", True), ("Ana 1", "(1) cancelar", False),
        ("Ana²", "² suspenso", True), ("Ana *", "* cliente novo", False), ("Ana", "não faturar", False),
    ],
)  # fmt: skip
def test_a_footnote_holds_the_rows_with_exactly_its_mark(name: str, footnote: str, is_held: bool) -> None:
    sheet = header(["99", name, 10.0], [None, footnote, None])
    assert bool(footnoted_rows(sheet, {3: footnote}, [3])) is is_held


@pytest.mark.parametrize(
    ("name", "note", "is_held"),
    [
        ("Beta Transportes SA", "Obs.: não emitir nota para a Beta Transportes", True),
        ("Beta Transportes SA", "Não faturar BETA TRANSPORTES S/A", True),
        ("Beta", "Não faturar a Betânia", False), ("Ana", "Não faturar a Ana", False),
        ("Beta Transportes SA", "Beta Transportes: cliente novo", False), ("Gama", "Não faturar a Beta", False),
    ],
)  # fmt: skip
def test_a_note_holds_the_customer_that_it_names(name: str, note: str, is_held: bool) -> None:
    sheet = header(["99", name, 10.0], [None, note, None])
    assert bool(named_rows(sheet, {3: note}, [3])) is is_held


def test_a_sheet_without_names_has_no_row_that_a_note_names() -> None:
    sheet = find_header(open_workbook(books.written(("P", [["CNPJ", "Valor"], ["99", 10.0]]))), SERVICES)
    assert named_rows(sheet, {3: "não faturar Beta"}, [3]) == {}


def test_the_parts_of_a_set_are_held_in_the_order_that_has_the_set() -> None:
    names: list[object] = ["Pedido", "Código", "Produto", "Quantidade", "Kit"]
    rows: list[list[object]] = [
        [1, "K1", "Kit", 1.0, None], [1, "A", "Caneca", 1.0, "k1"], [2, "A", "Caneca", 1.0, "K1"],
        [1, "B", "Pires", 1.0, "K2"]
    ]  # fmt: skip
    texts = {index: str(name) for index, name in enumerate(names)}
    sheet = Header(
        sheet=open_workbook(books.written(("P", [names, *rows]))).sheets[0],
        row=1,
        columns={"order_key": 0, "code": 1, "description": 2, "quantity": 3},
        texts=texts,
        own_texts=texts,
        unused={4: "Kit"},
        passed_over={},
    )
    held = parts_of_sets(sheet, [])
    assert set(held) == {3}
    assert held[3].params == {"text": "k1", "header": "Kit"}
    assert set(parts_of_sets(sheet, [2])) == set()
