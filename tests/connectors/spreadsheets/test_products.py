"""From a products sheet to typed lines: an order is read as a whole or refused as a whole, and nothing is ignored."""

import json
from datetime import date
from decimal import Decimal

import pytest

from configs.catalogue import Catalogue
from configs.layouts import read_layout
from configs.reference.cities import load_cities
from connectors.spreadsheets.headers.layouts import Layout
from connectors.spreadsheets.parsers.field_parsers import Defaults
from connectors.spreadsheets.products import ProductRow, ProductsReading, read_products
from connectors.spreadsheets.readings import open_sheet
from connectors.spreadsheets.row_summaries import summarize
from connectors.spreadsheets.workbook import open_workbook
from domain.left_rows import is_held
from domain.parties import TakerData
from domain.problems import InputError
from domain.products.lines import ProductLine
from tests.connectors.spreadsheets.books import NOVEMBER, written

LAYOUT = Layout.from_data(read_layout("products"))
SHOP = "99000051000180"
USUAL: dict[str, object] = {
    "Pedido": "1001",
    "Tipo de Nota": "NF-e",
    "CPF/CNPJ": "990.000.001-30",
    "Código": "CAN-01",
    "Produto": "Caneca",
    "NCM": "6912.00.00",
    "CFOP": 5102.0,
    "Unidade": "UN",
    "Quantidade": 2.0,
    "Preço Unitário": "12,50",
    "CSOSN": 102.0,
    "CST PIS": 7.0,
    "CST COFINS": "07",
    "Forma de Pagamento": "Dinheiro",
}


def read(
    *rows: dict[str, object], defaults: Defaults | None = None, foot: list[object] | None = None
) -> ProductsReading:
    """Read rows by header, each with the usual cells unless it changes them (None = blank)."""
    head = list(dict.fromkeys([*USUAL, *(name for row in rows for name in row)]))
    body: list[list[object]] = [[{**USUAL, **row}.get(name) for name in head] for row in rows]
    content = written(("Vendas", [head, *body, *([foot] if foot else [])]))
    usual = Defaults(emitter_cnpj=SHOP, competence=NOVEMBER)
    return read_products(open_sheet(open_workbook(content), LAYOUT), defaults=defaults or usual, cities=load_cities())


def rows_of(*rows: dict[str, object], **more: Defaults) -> list[ProductRow]:
    return list(read(*rows, **more).rows())  # type: ignore[arg-type]


def test_a_sale_over_the_counter_needs_no_customer():
    """The column must be there: a header that nobody recognised must not make every customer unnamed."""
    assert line_of(**{"Tipo de Nota": "NFC-e", "CPF/CNPJ": None}).taker == TakerData()


def line_of(**changes: object) -> ProductLine:
    (row,) = rows_of(changes)
    assert row.line is not None, row.problems
    return row.line


def codes(row: ProductRow) -> list[tuple[str, str | None]]:
    assert row.line is None
    return [(problem.code, problem.field) for problem in row.problems]


def test_a_row_becomes_a_line() -> None:
    more: dict[str, object] = {
        "Data da Venda": date(2026, 11, 17), "Cliente": "Ana", "Inscrição Estadual": "ISENTO", "CEP": "20031-170",
        "Cidade/UF": "Niterói - RJ", "Telefone": "(21) 97000-1234", "Desconto": "1,25", "Desconto do Pedido": 2.5,
        "Modalidade do Frete": "Remetente", "Frete": "R$ 10,00", "Vencimento": "10/12/2026", "CST IPI": "53",
        "PIS (%)": "1,65%", "Natureza da Operação": "Venda", "Consumidor Final": "S", "Observações da Nota": "a\nb",
        "CNPJ Emitente": "99.000.052/0001-25", "Base ICMS-ST Retido": 40.0, "ICMS-ST Retido": "6,00",
        "Alíquota ST (%)": "18%", "ICMS do Substituto": "1,20", "CEST": 1003300.0, "Valor Total": "25,00",
    }  # fmt: skip
    line = line_of(**more)
    assert (line.row, line.order_key, line.kind, line.payment, line.freight) == (2, "1001", "nfe", "cash", "sender")
    assert (line.quantity, line.unit_price, line.discount_cents) == (Decimal(2), Decimal("12.50"), 125)
    assert (line.order_discount_cents, line.freight_cents, line.pis_bp) == (250, 1_000, 165)
    assert (line.ncm, line.cfop, line.cest, line.icms, line.pis, line.cofins) == (
        "69120000", "5102", "1003300", "102", "07", "07",
    )  # fmt: skip
    assert (line.st_base_cents, line.st_cents, line.st_rate_bp, line.substitute_icms_cents) == (4_000, 600, 1_800, 120)
    assert (line.competence, line.due_on, line.emitter_cnpj) == (NOVEMBER, date(2026, 12, 10), "99000052000125")
    assert (line.operation, line.is_final_consumer, line.observations, line.ipi) == ("Venda", True, "a\nb", "53")
    assert line.taker.document is not None
    assert (line.taker.document.number, line.taker.city_code, line.taker.phone) == (
        "99000000130", "3303302", "21970001234",
    )  # fmt: skip
    assert ProductLine.from_json(json.loads(json.dumps(line.to_json()))) == line


@pytest.mark.parametrize(
    ("cell", "quantity"),
    [(0.1 + 0.2, "0.3"), ("1,5", "1.5"), ("1.234,5", "1234.5"), (3.0, "3"), ("0,0001", "0.0001")],
)
def test_a_quantity_is_exact(cell: object, quantity: str) -> None:
    assert line_of(Quantidade=cell).quantity == Decimal(quantity)


def test_a_columns_other_numbers_settle_its_notation() -> None:
    alone = rows_of({"Preço Unitário": "1.500"})
    assert codes(alone[0]) == [("product.quantity_unreadable", "unit_price")]
    rows = rows_of({"Preço Unitário": "1.500"}, {"Preço Unitário": "2.000,50", "Pedido": "2"})
    assert rows[0].line is not None
    assert rows[0].line.unit_price == 1_500


def test_a_number_cell_regains_its_zero_if_the_length_shows_it() -> None:
    assert line_of(NCM=1012100.0).ncm == "01012100"
    assert line_of(NCM="1012100").ncm == "1012100"


@pytest.mark.parametrize(
    ("header", "cell", "found"),
    [
        ("Forma de Pagamento", "Fiado", ("product.unsupported", "payment")),
        ("Forma de Pagamento", "Cartão", ("product.unsupported", "payment")),
        ("CSOSN", "101", ("product.unsupported", "icms")),
        ("CST PIS", "04", ("product.unsupported", "pis")),
        ("CST IPI", "50", ("product.unsupported", "ipi")),
        ("Tipo de Nota", "NFS-e", ("product.unsupported", "kind")),
        ("Modalidade do Frete", "FOB", ("product.unsupported", "freight")),
        ("Parcelas", 3.0, ("product.unsupported", "instalments")),
        ("Seguro", "5,00", ("product.unsupported", "insurance_cents")),
        ("Outras Despesas", 0.01, ("product.unsupported", "expenses_cents")),
        ("Valor Total", "25,01", ("product.total_differs", "line_cents")),
        ("Pedido", None, ("row.required", "order_key")),
        ("NCM", None, ("row.required", "ncm")),
        ("Quantidade", None, ("row.required", "quantity")),
        ("CSOSN", None, ("row.required", "icms")),
        ("Quantidade", "dois", ("product.quantity_unreadable", "quantity")),
        ("Vencimento", "logo", ("date.unreadable", "due_on")),
        ("Faturar", "N", ("row.not_wanted", "is_wanted")),
        ("Faturar mesmo assim", "N", ("row.not_wanted", "is_released")),
        ("CPF/CNPJ", "990.000.001-31", ("document.invalid", "document")),
    ],
)
def test_a_cell_outside_the_everyday_cases_is_refused_by_name(
    header: str, cell: object, found: tuple[str, str]
) -> None:
    (row,) = rows_of({header: cell})
    assert codes(row) == [found]
    assert row.problems[0].where.row == 2
    assert row.problems[0].where.column is not None


@pytest.mark.parametrize(
    ("usual", "header", "cell", "shown"),
    [
        (
            "Forma de Pagamento",
            "Meio de Pagamento",
            "Fiado",
            "Dinheiro, Cartão de Crédito, Cartão de Débito, PIX, Depósito, Transferência, Boleto",
        ),
        (
            "Forma de Pagamento",
            "Forma Pagto",
            "Fiado",
            "Dinheiro, Cartão de Crédito, Cartão de Débito, PIX, Depósito, Transferência, Boleto",
        ),
        ("Tipo de Nota", "Tipo da Nota", "NFS-e", "NF-e, NFC-e"),
        ("Parcelas", "Parcelas", 3.0, "1"),
        ("Seguro", "Valor do Seguro", "5,00", "0,00"),
    ],
)
def test_a_refused_choice_names_its_column_as_the_sheet_writes_it(
    usual: str, header: str, cell: object, shown: str
) -> None:
    cells = {header if name == usual else name: value for name, value in {**USUAL, usual: cell}.items()}
    sheet = open_sheet(open_workbook(written(("Vendas", [list(cells), list(cells.values())]))), LAYOUT)
    defaults = Defaults(emitter_cnpj=SHOP, competence=NOVEMBER)
    (row,) = read_products(sheet, defaults=defaults, cities=load_cities()).rows()
    (problem,) = row.problems
    text = "3" if cell == 3.0 else cell
    assert (
        Catalogue.load("pt_BR").what(problem) == f'"{text}" em "{header}" ainda não é suportado. Por enquanto: {shown}.'
    )


@pytest.mark.parametrize(
    ("header", "cell"),
    [
        ("Parcelas", 1.0),
        ("Parcelas", "0"),
        ("Parcelas", "À vista"),
        ("Cond. Pagto", "30 dias"),
        ("Seguro", "0,00"),
        ("Seguro", 0.0),
    ],
)
def test_a_change_without_effect_is_allowed(header: str, cell: object) -> None:
    line_of(**{header: cell})


def test_one_bad_row_refuses_its_order_and_no_other() -> None:
    first, bad, other, last = rows_of({}, {"CFOP": None}, {"Pedido": "1002"}, {"Quantidade": 7.0})
    assert codes(bad) == [("row.required", "cfop")]
    for row in (first, last):
        assert codes(row) == [("product.order_blocked", "order_key")]
        assert row.problems[0].params == {"order": "1001", "other": 3, "stopped_by": "row.required"}
    assert other.line is not None


def test_a_held_row_holds_its_order_and_a_bad_one_refuses_it() -> None:
    one: dict[str, object] = {"Situação": "Atendido"}
    held: dict[str, object] = {"Situação": "Cancelado"}
    bad: dict[str, object] = {**one, "CFOP": None}
    assert [is_held(row.problems) for row in rows_of(one, held, one)] == [True, True, True]
    assert [is_held(row.problems) for row in rows_of(one, held, bad)] == [False, True, False]


def test_a_row_without_an_order_spoils_the_order_above_it() -> None:
    first, bare, other = rows_of({}, {"Pedido": None}, {"Pedido": "1002"})
    assert codes(first) == [("product.order_blocked", "order_key")]
    assert codes(bare) == [("row.required", "order_key")]
    assert other.line is not None


def test_order_keys_are_compared_as_people_read_them() -> None:
    rows = rows_of({"Pedido": "Venda 7"}, {"Pedido": "venda  7", "NCM": None})
    assert codes(rows[0]) == [("product.order_blocked", "order_key")]


@pytest.mark.parametrize(
    ("header", "one", "other", "field"),
    [
        ("CNPJ Emitente", "99.000.052/0001-25", "99.000.053/0001-70", "emitter_cnpj"),
        ("Forma de Pagamento", "Dinheiro", "Boleto", "payment"),
        ("Cliente", "Ana", "Bia", "name"),
        ("Frete", "1,00", "2,00", "freight_cents"),
    ],
)
def test_lines_that_contradict_each_other_refuse_their_order(header: str, one: str, other: str, field: str) -> None:
    first, second, apart = rows_of({header: one}, {header: other}, {"Pedido": "1002", header: one})
    assert codes(second) == [("product.order_conflict", field)]
    assert (second.problems[0].where.row, second.problems[0].params["other"]) == (3, 2)
    assert second.problems[0].where.column is not None
    assert codes(first) == [("product.order_blocked", "order_key")]
    assert apart.line is not None


def test_emitter_and_competence_may_be_on_one_line_of_the_order() -> None:
    values: dict[str, object] = {"CNPJ Emitente": "99.000.052/0001-25", "Data da Venda": date(2026, 10, 3)}
    rows = rows_of({}, values, {"Pedido": "1002"})
    lines = [row.line for row in rows if row.line]
    assert [(line.emitter_cnpj, line.competence) for line in lines] == [
        ("99000052000125", date(2026, 10, 1)),
        ("99000052000125", date(2026, 10, 1)),
        (SHOP, NOVEMBER),
    ]


def test_an_order_that_nobody_says_these_of_is_refused() -> None:
    values: dict[str, object] = {"CNPJ Emitente": "99.000.052/0001-25", "Data da Venda": date(2026, 10, 3)}
    rows = rows_of(values, {"Pedido": "1002"}, defaults=Defaults())
    assert rows[0].line is not None
    assert codes(rows[1]) == [("emitter.missing", "emitter_cnpj"), ("competence.missing", "competence")]


def test_the_other_facts_of_an_order_may_be_blank() -> None:
    blank: dict[str, object] = {"Tipo de Nota": None, "CPF/CNPJ": None, "Forma de Pagamento": None}
    line = rows_of({}, blank)[1].line
    assert line is not None
    assert (line.kind, line.payment, line.taker.document) == (None, None, None)


def test_e_mails_that_do_not_fit_the_invoice_are_reported() -> None:
    reading = read({"E-mail": "ana@a.example/bia@b.example"}, {"E-mail": "ana@a.example", "Pedido": "1002"})
    first, _ = reading.rows()
    assert first.line is not None
    assert first.line.taker.emails == ("ana@a.example", "bia@b.example")
    (decision,) = reading.decisions.all()
    assert (decision.problem.code, decision.cells(3)) == ("product.email_unused", "O2")
    assert decision.problem.params["emails"] == "b***@b.example"


def test_a_total_row_is_a_control_total() -> None:
    foot: list[object] = ["", "", "TOTAL", *[None] * 11, "50,01"]
    reading = read({"Valor Total": "25,00"}, {"Valor Total": "25,00"}, foot=foot)
    understood = reading.understood
    assert (understood.row_count, understood.total_rows) == (2, (4,))
    assert (understood.declared_cents, understood.computed_cents) == (5_001, 5_000)
    assert [warning.code for warning in understood.warnings] == ["sheet.total_differs"]
    assert len(list(reading.rows())) == 2


def test_without_a_column_of_totals_the_lines_are_multiplied() -> None:
    assert read({}, {"Quantidade": "0,5"}).understood.computed_cents == 3_125


def test_a_refused_row_is_recognised_by_what_it_shows() -> None:
    reading = read({"CFOP": None, "Valor Total": "25,00", "Cliente": "Ana"})
    (row,) = reading.rows()
    understood, shown = json.loads(json.dumps([reading.understood.to_json(), row.cells]))
    seen = summarize(understood, shown, amount="line_cents", subject="order_key")
    assert (seen.service_cents, seen.taker_name, seen.subject) == (2_500, "Ana", "1001")
    assert (seen.description, seen.taker_document, seen.emitter_cnpj) == ("Caneca", "990.000.001-30", SHOP)


def test_a_sheet_without_a_required_column_stops_before_any_row() -> None:
    head = [name for name in USUAL if name != "CFOP"]
    content = written(("Vendas", [head, [USUAL[name] for name in head]]))
    with pytest.raises(InputError) as stopped:
        read_products(open_sheet(open_workbook(content), LAYOUT), defaults=Defaults(), cities=load_cities())
    assert (stopped.value.problem.code, stopped.value.problem.field) == ("column.missing", "cfop")


def test_a_sheet_without_rows_says_so() -> None:
    content = written(("Vendas", [list(USUAL)]))
    usual = Defaults(emitter_cnpj=SHOP, competence=NOVEMBER)
    with pytest.raises(InputError) as stopped:
        read_products(open_sheet(open_workbook(content), LAYOUT), defaults=usual, cities=load_cities())
    assert stopped.value.problem.code == "sheet.no_rows"
