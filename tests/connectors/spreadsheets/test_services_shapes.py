"""What a sheet's shape says: merges, number formats, hidden rows and columns, other sheets; and service codes."""

import pytest

from connectors.spreadsheets.services import Defaults
from domain.documents import Document
from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.books import NOVEMBER, RIO, read
from tests.connectors.spreadsheets.test_services import GOOD, HEAD, codes, line_of, only, rows_of, warnings


def test_a_cell_merged_with_the_one_above_is_no_blank() -> None:
    def dress(sheet) -> None:
        sheet.merge_range("E2:E3", "Consultoria de novembro")
        sheet.merge_range("F2:G2", "lado a lado")

    head = [*HEAD, "Descrição", "Obs", "Vendedor"]
    first, second = rows_of(read([head, GOOD, GOOD], dress=dress))
    assert first.line is not None, first.problems
    assert (first.line.description, first.line.observations) == ("Consultoria de novembro", "lado a lado")
    assert codes(second) == [("row.merged", "description", "E")]


def test_what_the_sheet_shows_as_a_percentage_is_one() -> None:
    shaped = {"E2": (0.2, "0%"), "E3": (0.0065, "0.00%"), "E4": (0.5, "0.0%")}
    content = books.written(("Plan", [[*HEAD, "ISS (%)"], GOOD, GOOD, GOOD]), shaped=shaped)
    rates = [row.line.iss_bp if row.line else row.problems for row in rows_of(books.read_bytes(content))]
    assert rates == [2_000, 65, 5_000]


def test_a_number_that_its_format_fills_up_with_zeros_is_what_it_shows() -> None:
    # the bare number is a valid CPF and, with its zeros, a valid CNPJ
    as_number = [40_773_000_100.0, *GOOD[1:]]
    (bare,) = rows_of(read([HEAD, as_number]))
    assert codes(bare) == [("document.ambiguous", "document", "A")]
    content = books.written(("Plan", [HEAD, as_number]), shaped={"A2": (40_773_000_100, "00000000000000")})
    (row,) = rows_of(books.read_bytes(content))
    assert row.line is not None
    assert row.line.taker.document == Document("cnpj", "00040773000100")


def test_what_was_left_aside_of_the_file_is_said() -> None:
    plan: tuple[str, list[list[object]]] = "Plan", [[*HEAD], GOOD]
    notes: tuple[str, list[list[object]]] = "Clientes", [["Ana"]]
    found = books.read_bytes(books.written(plan, notes))
    (chosen,) = found.understood.warnings
    assert (chosen.code, chosen.params) == ("sheet.chosen", {"sheet": "Plan", "others": "Clientes"})
    macros = books.zipped([*books.parts(books.written(plan)), ("xl/vbaProject.bin", b"x")])
    assert warnings(books.read_bytes(macros)) == ["file.macros_ignored"]
    hidden = books.written(plan, notes, hidden=("Clientes",))
    assert warnings(books.read_bytes(hidden)) == ["sheet.hidden_sheets"]
    # what our own workbooks to be filled in have
    lists = books.written(plan, ("Listas", [["Sim", "Não"]]), hidden=("Listas",))
    assert warnings(books.read_bytes(lists)) == []


def test_hidden_rows_and_columns_are_as_the_settings_say() -> None:
    def dress(sheet) -> None:
        sheet.set_row(1, None, None, {"hidden": True})
        sheet.set_column("B:B", None, None, {"hidden": True})

    takes = Defaults(emitter_cnpj=RIO, competence=NOVEMBER, takes_hidden_rows=True)
    reading = read([HEAD, GOOD], defaults=takes, dress=dress, uses_hidden=False)
    (row,) = rows_of(reading)
    assert row.line is not None, row.problems
    assert row.line.taker.name is None
    assert warnings(reading) == ["sheet.hidden_rows_taken", "column.passed_over"]


@pytest.mark.parametrize(
    ("cell", "code"), [(1.05, "01.05"), ("1.05 - Licenciamento", "01.05"), (1.1, "01.01"), (2_800.0, "2800")]
)
def test_service_codes_in_any_spelling(cell: object, code: str) -> None:
    assert line_of(("Item LC 116", cell)).service_item_code == code


@pytest.mark.parametrize(("cell", "code"), [(10.1, "service.item_ambiguous"), ("1.99", "service.item_unknown")])
def test_service_codes_that_are_none_or_two(cell: object, code: str) -> None:
    assert codes(only(("Item LC 116", cell))) == [(code, "service_item_code", "E")]
