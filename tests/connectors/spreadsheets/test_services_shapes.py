"""A sheet's shape: merges, formats, hidden parts, shifted rows, quantity and price; and service codes."""

from collections.abc import Mapping, Sequence

import pytest

from connectors.spreadsheets.services import Defaults, ServicesReading
from domain.documents import Document
from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.books import NOVEMBER, RIO, read
from tests.connectors.spreadsheets.test_services import DOC, GOOD, HEAD, codes, line_of, only, rows_of, total, warnings


def test_a_cell_merged_with_the_one_above_is_no_blank() -> None:
    def dress(sheet) -> None:
        sheet.merge_range("E2:E3", "Consultoria de novembro")
        sheet.merge_range("F2:G2", "lado a lado")

    head = [*HEAD, "Descrição", "Observações da Nota", "Vendedora"]
    first, second = rows_of(read([head, GOOD, GOOD], dress=dress))
    assert first.line is not None, first.problems
    assert (first.line.description, first.line.observations) == ("Consultoria de novembro", "lado a lado")
    assert second.line is not None, second.problems
    assert second.line.description == "Consultoria de novembro"


def test_a_cell_shown_as_a_percentage_is_one() -> None:
    shaped = {"E2": (0.2, "0%"), "E3": (0.0065, "0.00%"), "E4": (0.5, "0.0%")}
    content = books.written(("Plan", [[*HEAD, "ISS (%)"], GOOD, GOOD, GOOD]), shaped=shaped)
    rates = [row.line.iss_bp if row.line else row.problems for row in rows_of(books.read_bytes(content))]
    assert rates == [2_000, 65, 5_000]


def test_a_number_format_with_zeros_gives_the_shown_digits() -> None:
    # The bare number is a valid CPF and, with its zeros, a valid CNPJ.
    as_number = [40_773_000_100.0, "Zyx", *GOOD[2:]]
    (bare,) = rows_of(read([HEAD, as_number]))
    assert bare.line is not None
    assert (bare.line.taker.document, bare.line.unclear_document) == (None, "40773000100")
    content = books.written(("Plan", [HEAD, as_number]), shaped={"A2": (40_773_000_100, "00000000000000")})
    (row,) = rows_of(books.read_bytes(content))
    assert row.line is not None
    assert row.line.taker.document == Document("cnpj", "00040773000100")


def test_unread_parts_of_the_file_are_reported() -> None:
    plan: tuple[str, list[list[object]]] = "Plan", [[*HEAD], GOOD]
    notes: tuple[str, list[list[object]]] = "Clientes", [["Ana"]]
    found = books.read_bytes(books.written(plan, notes))
    (chosen,) = found.understood.warnings
    assert (chosen.code, chosen.params) == ("sheet.chosen", {"sheet": "Plan", "others": "Clientes"})
    macros = books.zipped([*books.parts(books.written(plan)), ("xl/vbaProject.bin", b"x")])
    assert warnings(books.read_bytes(macros)) == ["file.macros_ignored"]
    hidden = books.written(plan, notes, hidden=("Clientes",))
    assert warnings(books.read_bytes(hidden)) == ["sheet.hidden_sheets"]
    # The headers of our own blank workbooks.
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


def test_a_hidden_column_gives_no_amount_unless_it_may_be_used() -> None:
    def dress(sheet) -> None:
        sheet.set_column("D:D", None, None, {"hidden": True})

    rows: list[list[object]] = [["CNPJ", "Mensalidade", "Desconto irmão", "A pagar"], [DOC, 1300.0, 130.0, 1170.0]]
    found = [rows_of(read(rows, dress=dress, uses_hidden=uses)) for uses in (True, False)]
    assert [row.line and row.line.service_cents for (row,) in found] == [117_000, None]


@pytest.mark.parametrize(
    ("cell", "code"), [(1.05, "01.05"), ("1.05 - Licenciamento", "01.05"), (1.1, "01.01"), (2_800.0, "2800")]
)
def test_service_codes_are_read_in_any_spelling(cell: object, code: str) -> None:
    assert line_of(("Item LC 116", cell)).service_item_code == code


@pytest.mark.parametrize(("cell", "code"), [(10.1, "service.item_ambiguous"), ("1.99", "service.item_unknown")])
def test_an_unknown_or_ambiguous_service_code_is_refused(cell: object, code: str) -> None:
    assert codes(only(("Item LC 116", cell))) == [(code, "service_item_code", "E")]


def test_an_amount_shown_as_a_percentage_is_not_billed() -> None:
    content = books.written(("Plan", [HEAD, [*GOOD[:3], None]]), shaped={"D2": (0.05, "0%")})
    (row,) = rows_of(books.read_bytes(content))
    assert codes(row) == [("amount.percentage", "service_cents", "D")]
    assert row.problems[0].params == {"text": "5%"}


def test_an_error_as_text_is_never_billed_as_a_name() -> None:
    content = f"CNPJ;Nome;Modelo;Valor;Descrição\n{DOC};#N/D;M;1,00;Err:502\n"
    (row,) = rows_of(books.read_bytes(content.encode()))
    assert codes(row) == [("row.error_cell", "name", "B"), ("row.error_cell", "description", "E")]


@pytest.mark.parametrize("amount", ["1.234,56", "10,5"])
def test_a_csv_row_wider_than_its_header_is_refused_once(amount: str) -> None:
    content = f'CNPJ,Nome,Valor,Modelo\n{DOC},Ana,{amount},M\n{DOC},Bia,"{amount}",M\n'
    shifted, good = rows_of(books.read_bytes(content.encode()))
    assert codes(shifted) == [("row.wider_comma" if len(amount.partition(",")[2]) == 2 else "row.wider", None, None)]
    assert shifted.problems[0].params == {"cells": 5, "columns": 4}
    assert good.line


def test_a_note_beside_a_workbook_row_shifts_nothing() -> None:
    (row,) = rows_of(read([HEAD, [*GOOD, None, "ver contrato"]]))
    assert row.line


TIMES = ["CNPJ", "Modelo", "Qtde", "Valor Unitário"]


def test_quantity_times_price_is_the_amount_without_a_total() -> None:
    reading = read([TIMES, [DOC, "M", 2.0, "1.234,56"], [DOC, "M", "1,5", 0.33], [DOC, "M", 3.0, None]])
    first, second, third = rows_of(reading)
    assert [row.line.service_cents for row in (first, second) if row.line] == [246_912, 50]
    assert codes(third) == [("amount.missing", "service_cents", None)]
    assert reading.understood.computed_cents == 246_962


def test_quantity_times_price_must_agree_with_the_total() -> None:
    head = [*TIMES, "Valor"]
    good, blank, cut, differs, bad = rows_of(
        read([head, [DOC, "M", 2.0, 50.0, 100.0], [DOC, "M", 2.0, 50.0, None], [DOC, "M", 3.0, 33.333, 99.99],
              [DOC, "M", 2.0, 50.0, 50.0], [DOC, "M", 2.0, 50.0, "x"]])
    )  # fmt: skip
    assert [row.line.service_cents for row in (good, blank, cut) if row.line] == [10_000, 10_000, 9_999]
    assert codes(differs) == [("amount.product_differs", "service_cents", "E")]
    assert differs.problems[0].params == {"declared": "R$ 50,00", "computed": "R$ 100,00"}
    assert codes(bad) == [("amount.unreadable", "service_cents", "E")]


def test_a_wish_in_one_row_names_its_column_in_the_reasons_of_the_others() -> None:
    """S in one row releases it; blank rows are asked back, and held ones say where an S releases them."""
    head = [*HEAD, "Situação", "Faturar (S/N)?"]
    rows = rows_of(read([head, [*GOOD, "Cancelado", "S"], [*GOOD, None, None], [*GOOD, "Cancelado", None]]))
    assert rows[0].line is not None
    assert codes(rows[1]) == [("row.wish_blank", "is_wanted", "F")]
    assert rows[1].problems[0].params == {"header": "Faturar (S/N)?"}
    held, blank = rows[2].problems
    assert (held.code, held.params["releasing"], blank.code) == ("held.status", "Faturar (S/N)?", "row.wish_blank")
    for more, releasing in (((), "Faturar"), (("Emitir NF",), "Faturar")):
        found = rows_of(read([[*HEAD, "Situação", *more], [*GOOD, "Cancelado", *("S" for _ in more)]]))
        assert [each.params["releasing"] for each in found[0].problems] == [releasing]


def decisions_of(reading: ServicesReading) -> dict[str, Mapping[str, str | int]]:
    """Return the parameters of each decision by code, after the last row."""
    rows_of(reading)
    return {each.problem.code: each.problem.params for each in reading.decisions.all()}


def test_a_restored_document_and_a_chosen_kind_can_be_checked() -> None:
    either = 40_773_000_100.0
    people = ("Maria da Silva", "Mercado Central Ltda")
    found = decisions_of(read([HEAD, *([either, name, "Consultoria", 100.01] for name in people)]))
    assert found["document.repaired"]["listed"] == "00.040.773/0001-00"
    assert kinds_of(either, people) == [("CPF", "***.730.001-**"), ("CNPJ", "00.040.773/0001-00")]


def kinds_of(number: float, names: Sequence[str]) -> list[tuple[str | int, str | int]]:
    """Return the kinds that were chosen by these names, with what a clerk sees of the document."""
    reading = read([HEAD, *([number, name, "Consultoria", 100.01] for name in names)])
    rows_of(reading)
    found = (each.problem.params for each in reading.decisions.all() if each.problem.code == "document.kind_chosen")
    return [(each["kind"], each["listed"]) for each in found]


def test_a_comment_of_a_billed_row_is_quoted() -> None:
    def dress(sheet) -> None:
        sheet.write_comment("B2", "cliente desde 2019")

    assert decisions_of(read([HEAD, GOOD], dress=dress))["row.comment"]["listed"] == '"cliente desde 2019"'


def test_the_decision_without_descriptions_counts_billed_rows() -> None:
    assert decisions_of(read([HEAD, GOOD, GOOD, [DOC, "x", "M", "?"]]))["description.no_column"] == {"count": 2}


def test_a_title_that_holds_the_rows_below_it_is_no_open_question() -> None:
    assert warnings(read([HEAD, GOOD, ["CANCELADOS"], GOOD])) == ["sheet.titles"]
    assert warnings(read([HEAD, GOOD, ["CANCELADOS"], ["ATIVOS"], GOOD])) == ["sheet.titles_say_no"]
    assert warnings(read([HEAD, GOOD, GOOD, ["CANCELADOS"]])) == ["sheet.titles_say_no"]


def test_a_line_of_one_text_that_a_later_total_names_is_a_title() -> None:
    title, other = [None, "Rio", None, None], [None, "Niterói", None, None]
    reading = read(
        [HEAD, title, GOOD, GOOD, total(200.0, "Subtotal Rio"), other, GOOD, total(100.0, "Total de Niterói")]
    )
    assert len(rows_of(reading)) == 3
    assert (warnings(reading), reading.understood.row_count) == (["sheet.titles"], 3)
    below = read([HEAD, GOOD, total(100.0, "Subtotal Rio"), title, GOOD, total(200.0)])
    assert len(rows_of(below)) == 3
