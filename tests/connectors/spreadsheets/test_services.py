"""From a sheet to typed lines: every problem of a row at once, totals compared, nothing ignored."""

import json
from datetime import date, datetime

import pytest

from connectors.spreadsheets.sample.people import company
from connectors.spreadsheets.services import Defaults, ReadRow, ServicesReading
from domain.competence import BRASILIA
from domain.problems import InputError, Problem
from domain.services.lines import ServiceLine
from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.books import NOVEMBER, RIO, read

HEAD = ["CNPJ/CPF", "Nome", "Modelo", "Valor"]
DOC = "99.000.002/0001-48"
GOOD = [DOC, "Ana Ltda", "Consultoria", 100.0]


def rows_of(reading: ServicesReading) -> list[ReadRow]:
    return list(reading.rows())


def only(*columns: tuple[str, object], defaults: Defaults | None = None) -> ReadRow:
    """Return the only row of a sheet with the usual columns and these."""
    head, cells = [*HEAD, *(name for name, _ in columns)], [*GOOD, *(cell for _, cell in columns)]
    (row,) = rows_of(read([head, cells], defaults=defaults))
    return row


def line_of(*columns: tuple[str, object]) -> ServiceLine:
    row = only(*columns)
    assert row.line is not None, row.problems
    return row.line


def codes(row: ReadRow) -> list[tuple[str, str | None, str | None]]:
    assert row.line is None
    return [(problem.code, problem.field, problem.where.column) for problem in row.problems]


def warnings(reading: ServicesReading) -> list[str]:
    return [problem.code for problem in reading.understood.warnings]


def test_a_row_becomes_a_line() -> None:
    row = only(
        ("E-mail", "a@x.example; b@y.example"), ("Telefone", "(11) 97000-1234"), ("Cidade/UF", "sao paulo - sp"),
        ("CEP", "01310-100"), ("Nº", 12.0), ("Competência", "nov/26"), ("Emissão", "20/11/2026"), ("ISS (%)", "2,9%"),
        ("ISS Retido", "N"), ("Enviar NF", "S"), ("Chave", "A-1"), ("Contrato", 77.0),
        ("Observações da Nota", "linha 1\nlinha 2"),
        ("Item LC 116", 1.05), ("CNPJ Emitente", "99.000.001/0001-01"), ("Descrição", "Consultoria"),
        ("Dedução", "0,00"),
    )  # fmt: skip
    line = row.line
    assert line is not None, row.problems
    assert (line.service_cents, line.template_name, line.emitter_cnpj) == (10_000, "Consultoria", RIO)
    assert (line.iss_bp, line.retained_iss, line.send_to_taker, line.deduction_cents) == (290, False, True, 0)
    assert (line.own_key, line.contract, line.service_item_code) == ("A-1", "77", "01.05")
    assert (line.competence, line.observations) == (NOVEMBER, "linha 1\nlinha 2")
    assert line.emission_at == datetime(2026, 11, 20, tzinfo=BRASILIA)
    taker = line.taker
    assert taker.document is not None
    assert (taker.document.number, taker.name, taker.number) == ("99000002000148", "Ana Ltda", "12")
    assert (taker.city, taker.state, taker.city_code, taker.zip_code) == ("São Paulo", "SP", "3550308", "01310100")
    assert (taker.emails, taker.phone) == (("a@x.example", "b@y.example"), "11970001234")
    assert ServiceLine.from_json(json.loads(json.dumps(line.to_json()))) == line


def test_missing_fields_of_a_row_come_from_the_defaults() -> None:
    line = line_of(("CNPJ Emitente", None), ("Competência", " "))
    assert (line.emitter_cnpj, line.competence) == (RIO, NOVEMBER)
    assert line.taker.emails == ()
    assert line.emission_at is None


def test_without_column_and_default_the_file_stops() -> None:
    with pytest.raises(InputError) as caught:
        read([HEAD, GOOD], defaults=Defaults())
    assert [each.code for each in (caught.value.problem, *caught.value.details)] == [
        "emitter.missing",
        "competence.missing",
    ]


def test_with_the_column_only_the_row_that_is_silent_is_refused() -> None:
    row = only(("Competência", None), ("Emitente", None), defaults=Defaults())
    assert codes(row) == [("competence.missing", "competence", "E"), ("emitter.missing", "emitter_cnpj", "F")]


def test_problems_of_a_row_are_reported_in_column_order() -> None:
    head = ["Valor", "CNPJ/CPF", "E-mail", "Modelo", "Telefone", "CEP", "UF", "Competência", "ISS Retido"]
    bad = ["a combinar", "99.000.002/0001-49", "ana@", None, "123", "1", "Lisboa", "logo", "talvez"]
    (row,) = rows_of(read([head, bad]))
    assert codes(row) == [
        ("amount.unreadable", "service_cents", "A"),
        ("document.invalid", "document", "B"),
        ("row.email", "emails", "C"),
        ("template.missing", "template_name", "D"),
        ("row.phone", "phone", "E"),
        ("row.zip_code", "zip_code", "F"),
        ("row.state", "state", "G"),
        ("competence.unreadable", "competence", "H"),
        ("row.yes_no", "retained_iss", "I"),
    ]
    assert {(problem.where.sheet, problem.where.row) for problem in row.problems} == {("Plan", 2)}
    assert row.cells["B"] == "99.000.002/0001-49"
    assert len(row.cells) == 8


def test_personal_data_never_enters_a_problem() -> None:
    row = only(("E-mail", "ana.souza@"), ("Telefone", "97000-1234"))
    text = json.dumps([problem.to_json() for problem in row.problems])
    assert "ana.souza" not in text
    assert "97000" not in text
    spoilt = [["99.000.002/0001-49", "Ana Ltda", "M", 1.0]]
    text = json.dumps([problem.to_json() for each in rows_of(read([HEAD, *spoilt])) for problem in each.problems])
    assert "0001" not in text
    assert "Ana" not in text


@pytest.mark.parametrize(
    ("amount", "code"),
    [
        (None, "amount.missing"), (" ", "amount.missing"), (0.0, "amount.not_positive"), (-5.0, "amount.not_positive"),
        ("(5,00)", "amount.not_positive"), ("1.234", "amount.ambiguous"), (1 / 3, "amount.fraction_of_cent"),
        ("x", "amount.unreadable"), ("US$ 100,00", "amount.foreign_currency"), ("100 EUR", "amount.foreign_currency"),
        ("€ 5", "amount.foreign_currency"), ("5%", "amount.percentage"), ("#N/D", "row.error_cell"),
        (date(2026, 1, 1), "amount.unreadable"), (True, "amount.unreadable"),
    ],
)  # fmt: skip
def test_amounts_that_cannot_be_billed(amount: object, code: str) -> None:
    (row,) = rows_of(read([HEAD, [*GOOD[:3], amount]]))
    assert codes(row) == [(code, "service_cents", "D")]


def test_cells_with_errors_or_empty_formulas_are_not_blank() -> None:
    def dress(sheet) -> None:
        sheet.write_formula("D2", "=NA()", None, "#N/A")
        sheet.write_formula("B3", "=X1", None, "")

    first, second = rows_of(read([HEAD, GOOD, GOOD], dress=dress))
    assert codes(first) == [("row.error_cell", "service_cents", "D")]
    assert first.problems[0].params == {"error": "#N/A"}
    assert codes(second) == [("row.formula", "name", "B")]


@pytest.mark.parametrize("field", ["Valor", "Dedução", "ISS (%)", "Nome", "Contrato"])
@pytest.mark.parametrize("number", ["NaN", "INF", "-1e999"])
def test_invalid_numbers_are_errors(field: str, number: str) -> None:
    line = {"CNPJ": "99.000.002/0001-48", "Modelo": "Consultoria", "Valor": "5,00", field: None}
    cells = [
        f'<c r="{letter}2"><v>{number}</v></c>' if text is None else f'<c r="{letter}2" t="str"><v>{text}</v></c>'
        for letter, text in zip("ABCDE", line.values(), strict=False)
    ]
    head = "".join(f'<c r="{a}1" t="str"><v>{name}</v></c>' for a, name in zip("ABCDE", line, strict=False))
    sheet = books.sheet_xml(f'<row r="1">{head}</row><row r="2">{"".join(cells)}</row>')
    (row,) = rows_of(books.read_bytes(books.packed(sheet)))
    letter = "ABCDE"[list(line).index(field)]
    assert [(each.code, each.where.column) for each in row.problems] == [("row.error_cell", letter)]
    assert row.cells[letter] == "#NUM!"


def test_hidden_rows_are_held_and_reported() -> None:
    def dress(sheet) -> None:
        sheet.set_row(2, None, None, {"hidden": True})

    reading = read([HEAD, GOOD, GOOD], dress=dress)
    _, hidden = rows_of(reading)
    assert codes(hidden) == [("row.hidden", None, None)]
    assert reading.understood.hidden_rows == (3,)
    assert warnings(reading) == ["sheet.hidden_rows"]


def test_a_row_may_say_that_it_is_not_wanted() -> None:
    assert only(("Emitir (S/N)", "S")).line is not None
    assert codes(only(("Emitir (S/N)", "N"))) == [("row.not_wanted", "is_wanted", "E")]
    assert codes(only(("Faturar mesmo assim", "N"))) == [("row.not_wanted", "is_released", "E")]
    assert only(("Emitir (S/N)", "Não")).problems[0].params == {"header": "Emitir (S/N)", "text": "Não"}
    assert codes(only(("Emitir (S/N)", None))) == [("row.wish_blank", "is_wanted", "E")]


def test_the_second_row_with_the_same_own_key_is_refused() -> None:
    head = [*HEAD, "Chave"]
    first, second, third, without = rows_of(read([head, [*GOOD, "K"], [*GOOD, " K "], [*GOOD, "L"], [*GOOD, None]]))
    assert codes(second) == [("row.key_twice", "own_key", "E")]
    assert second.problems[0].params == {"key": "K", "other": 2}
    assert first.line
    assert third.line
    assert without.line


@pytest.mark.parametrize(
    ("columns", "city"),
    [
        ([("Cidade", "Niterói"), ("UF", "RJ")], ("Niterói", "RJ", "3303302")),
        ([("Cidade", "NITEROI")], ("Niterói", "RJ", "3303302")),
        ([("Cidade", "Bom Jesus - PI")], ("Bom Jesus", "PI", "2201903")),
        ([("Cidade", "Bom Jesus"), ("UF", "Piauí")], ("Bom Jesus", "PI", "2201903")),
        ([("Código IBGE", 3_550_308.0)], ("São Paulo", "SP", "3550308")),
        ([("Cidade", 3_550_308.0), ("UF", "SP")], ("São Paulo", "SP", "3550308")),
        ([("Código IBGE", "3550308"), ("Cidade", "Sampa"), ("UF", "SP")], ("São Paulo", "SP", "3550308")),
        ([("UF", "SP")], (None, "SP", None)),
    ],
)
def test_cities_by_name_state_and_code(columns: list[tuple[str, object]], city: tuple[str, str, str]) -> None:
    taker = line_of(*columns).taker
    assert (taker.city, taker.state, taker.city_code) == city


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ([("Cidade", "Bom Jesus")], "city.ambiguous"), ([("Cidade", "Sumpaulo")], "city.unknown"),
        ([("Cidade", "Niterói"), ("UF", "SP")], "city.unknown"),
        ([("Cidade", "Niterói - RJ"), ("UF", "SP")], "city.unknown"),
        ([("Código IBGE", "9999999")], "city.unknown"), ([("Cidade", "9999999")], "city.unknown"),
        ([("Código IBGE", "3550308"), ("Cidade", "Niterói")], "city.contradicts"),
        ([("Código IBGE", "3550308"), ("UF", "RJ")], "city.contradicts"),
    ],
)  # fmt: skip
def test_cities_that_are_not_sure(columns: list[tuple[str, object]], code: str) -> None:
    assert [problem.code for problem in only(*columns).problems] == [code]


def test_one_clear_cell_decides_how_its_column_is_read() -> None:
    reading = read([HEAD, [*GOOD[:3], "1.234"], [*GOOD[:3], "1.234,56"]])
    assert [row.line.service_cents for row in rows_of(reading) if row.line] == [123_400, 123_456]
    assert next(each.numbers for each in reading.understood.columns if each.field == "service_cents") == "pt_BR"


def test_a_column_in_both_notations_refuses_its_doubtful_cells() -> None:
    reading = read([HEAD, [*GOOD[:3], "1234.56"], [*GOOD[:3], "1.234,56"], [*GOOD[:3], "1.234"]])
    first, second, third = rows_of(reading)
    assert first.line
    assert second.line
    assert codes(third) == [("amount.ambiguous", "service_cents", "D")]
    assert warnings(reading) == ["column.mixed"]


def total(amount: object, label: str = "TOTAL") -> list[object]:
    return [None, label, None, amount]


@pytest.mark.parametrize("label", ["TOTAL", "Total:", "total geral", "Totais", "Total (R$)", "Soma", "Total a faturar"])
def test_a_total_row_is_a_control_total_and_no_line(label: str) -> None:
    reading = read([HEAD, GOOD, GOOD, total(200.0, label)])
    assert len(rows_of(reading)) == 2
    understood = reading.understood
    assert (understood.row_count, understood.total_rows) == (2, (4,))
    assert (understood.declared_cents, understood.computed_cents) == (20_000, 20_000)
    assert warnings(reading) == []


def test_a_total_that_differs_is_reported_with_both_figures() -> None:
    reading = read([HEAD, GOOD, ["bad", "x", None, "50,00"], total(1_234.5)])
    (warning,) = reading.understood.warnings
    assert warning.code == "sheet.total_differs"
    assert warning.params == {"declared": "R$ 1.234,50", "computed": "R$ 150,00"}
    assert (warning.where.row, warning.where.column) == (4, "D")
    assert len(rows_of(reading)) == 2


def test_subtotals_may_be_of_their_section_or_of_all_above() -> None:
    sections = [GOOD, GOOD, total(200.0, "Subtotal Rio"), GOOD, total(100.0, "Sub-total"), total(300.0)]
    assert warnings(read([HEAD, *sections])) == []
    assert warnings(read([HEAD, GOOD, total(100.0, "Subtotal"), GOOD, total(200.0, "Subtotal")])) == []
    assert warnings(read([HEAD, GOOD, total(None)])) == []
    assert warnings(read([HEAD, GOOD, total("n/d")])) == ["sheet.total_unreadable"]


def test_a_customer_called_total_is_a_customer() -> None:
    (row,) = rows_of(read([HEAD, [None, "Total Energia Ltda", "Consultoria", 100.0]]))
    assert codes(row) == [("document.missing", "document", "A")]


def test_notes_below_the_total_and_headers_again_are_no_lines() -> None:
    note = [None, "Conferido por Ana", None, None]
    reading = read([HEAD, GOOD, [], HEAD, GOOD, total(200.0), note])
    assert len(rows_of(reading)) == 2
    assert reading.understood.ignored_rows == (5 - 1, 7)
    assert reading.understood.row_count == 2
    (warning,) = reading.understood.warnings
    assert (warning.code, warning.params) == ("sheet.notes_below", {"rows": "7", "texts": '"Conferido por Ana"'})


def test_one_word_below_the_total_is_a_note_in_any_column() -> None:
    reading = read([HEAD, GOOD, total(100.0), ["Conferido", None, None, None]])
    assert len(rows_of(reading)) == 1
    assert warnings(reading) == ["sheet.notes_below"]


def test_a_line_below_the_total_without_an_amount_comes_back() -> None:
    reading = read([HEAD, GOOD, total(100.0), [None, "Ana Ltda", "Consultoria", None]])
    assert [code for code, _, _ in codes(rows_of(reading)[1])] == ["document.missing", "amount.missing"]


def test_a_note_above_the_total_is_an_incomplete_line() -> None:
    reading = read([HEAD, GOOD, [None, "ver com Ana", None, None], total(100.0)])
    _, note = rows_of(reading)
    assert [code for code, _, _ in codes(note)] == ["document.missing", "template.missing", "amount.missing"]


def test_a_sheet_with_nothing_below_its_header_stops() -> None:
    with pytest.raises(InputError) as caught:
        read([HEAD, [], [None, "  "], total(0.0)])
    assert caught.value.problem.code == "sheet.no_rows"


def test_documents_that_lost_zeros_are_mended_and_counted() -> None:
    cnpj = float(company(3, is_lettered=False).document)
    reading = read([HEAD, [cnpj, "x", "M", 1.0]])
    (row,) = rows_of(reading)
    assert row.line is not None
    assert row.line.taker.document is not None
    assert row.line.taker.document.number == f"{int(cnpj):014d}"
    bare, repaired = reading.decisions.all()
    assert bare.problem.code == "description.no_column"
    assert (repaired.problem.code, repaired.kind, repaired.cells(3)) == ("document.repaired", "filled", "A2")


def test_words_for_no_value_are_reported_once_a_column() -> None:
    head = [*HEAD, "E-mail", "Telefone", "Cidade"]
    rows = [
        [*GOOD, "-", "não tem", "-"],
        [*GOOD, "sem email", "11 3000-0000", None],
        [*GOOD, "a@x.example", None, None],
    ]
    reading = read([head, *rows])
    assert [row.line is not None for row in rows_of(reading)] == [True] * 3
    found = [each for each in reading.decisions.all() if each.problem.code == "row.says_nothing"]
    assert [(each.problem.params["header"], each.count, each.cells(9), each.kind) for each in found] == [
        ("E-mail", 2, "E2, E3", "unused"),
        ("Telefone", 1, "F2", "unused"),
        ("Cidade", 1, "G2", "unused"),
    ]


def test_unknown_unused_columns_are_reported() -> None:
    def dress(sheet) -> None:
        sheet.set_column("C:C", None, None, {"hidden": True})

    reading = read([[*HEAD, "Vendedora", "Vencimento", "Valor do Servço"], [*GOOD, "Zé", "x", 1.0]], dress=dress)
    assert [(each.code, each.where.column) for each in reading.understood.warnings] == [
        ("column.hidden", "C"),
        ("column.similar", "G"),
        ("column.unused", "E"),
        ("column.ignored", None),
    ]
    assert reading.understood.unused == {"E": "Vendedora", "G": "Valor do Servço"}


def test_a_text_too_long_or_with_control_characters_is_refused() -> None:
    content = "CNPJ;Modelo;Valor;Descrição\n" + f"{DOC};M;1,00;" + "x" * 32_768 + "\n" + f"{DOC};M;1,00;a\x0bb\n"
    long, odd = rows_of(books.read_bytes(content.encode()))
    assert codes(long) == [("text.too_long", "description", "D")]
    assert codes(odd) == [("text.characters", "description", "D")]
    assert len(long.cells["D"]) == 32_767


def test_a_csv_reads_like_the_workbook_it_came_from() -> None:
    text = "Relatório;;;\n\nCNPJ/CPF;Nome;Modelo;Valor\n" + f'{DOC};"Ana; e\nfilhos";Consultoria;"R$ 1.234,56"\n'
    reading = books.read_bytes(text.encode("cp1252"), name="notas.csv")
    (row,) = rows_of(reading)
    assert row.line is not None
    assert (row.sheet, row.row_number, row.line.taker.name) == ("CSV", 4, "Ana; e filhos")
    assert reading.understood.facts == {"encoding": "cp1252", "separator": ";"}


def test_the_understanding_survives_the_ledger() -> None:
    reading = read([HEAD, GOOD, total(100.0)])
    raw = json.loads(json.dumps(reading.understood.to_json()))
    assert raw["columns"][3] == {"field": "service_cents", "letter": "D", "header": "Valor", "numbers": None}
    assert (raw["declared_cents"], raw["sheet"], raw["header_row"]) == (10_000, "Plan", 1)
    assert [Problem.from_json(each) for each in raw["warnings"]] == list(reading.understood.warnings)


def test_rows_start_over_each_time() -> None:
    reading = read([HEAD, GOOD, GOOD])
    assert rows_of(reading) == rows_of(reading)
