"""Finding the header: below titles, by aliases, and never by similarity."""

import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from configs.layouts import LAYOUTS, read_layout
from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.headers.layouts import Header, Layout, find_header, fitting
from connectors.spreadsheets.sample import write_sample_month, write_sample_sales
from connectors.spreadsheets.workbook import open_workbook
from domain.problems import InputError, Problem
from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.books import SERVICES

GOOD: list[object] = ["CNPJ/CPF", "Razão Social", "Modelo", "Valor"]
DATA = {"name": "x", "required": ["a"], "aside": [], "ignored": ["Z"], "fields": {"a": ["A", "Á1"], "b": ["B"]}}


def header(*sheets: tuple[str, Sequence[Sequence[object]]], sheet: str | None = None) -> Header:
    return find_header(open_workbook(books.written(*sheets)), SERVICES, sheet=sheet)


def refusals(*sheets: tuple[str, Sequence[Sequence[object]]], sheet: str | None = None) -> list[Problem]:
    with pytest.raises(InputError) as caught:
        header(*sheets, sheet=sheet)
    return [caught.value.problem, *caught.value.details]


def test_the_header_is_below_titles_and_beside_blank_columns() -> None:
    titles: list[list[object]] = [
        ["Faturamento de novembro"],
        [None, "Cliente", "interno"],
        [],
        [None, "Tomador", None, "Serviço"],
    ]
    found = header(("P", [*titles, [None, *GOOD, "Vencimento", "Vendedora"], [None, "1", "Ana", "M", 5.0]]))
    assert found.row == 5
    assert found.columns == {"document": 1, "name": 2, "template_name": 3, "service_cents": 4}
    assert found.unused == {6: "Vendedora"}


@pytest.mark.parametrize(
    "text", ["VALOR DO SERVIÇO", "valor  do servico", "Valor do Serviço:", "Valor\ndo\u00a0Serviço *"]
)
def test_case_accents_and_punctuation_do_not_count(text: str) -> None:
    assert header(("P", [["CPF", "Plano", text]])).columns["service_cents"] == 2


def test_percent_and_currency_signs_do_count() -> None:
    assert normalised("ISS (%)") != normalised("ISS (R$)")
    found = header(("P", [[*GOOD, "ISS (%)", "ISS (R$)"]]))
    assert (found.columns["iss_bp"], found.columns["iss_cents"]) == (4, 5)


def test_a_likeness_is_suggested_and_never_taken() -> None:
    missing, similar = refusals(("P", [["CNPJ/CPF", "Modelo", "Valor do Servço", "Bairro"]]))
    assert (missing.code, missing.field) == ("column.missing", "service_cents")
    assert missing.params["found"] == "CNPJ/CPF, Modelo, Valor do Servço, Bairro"
    assert "Valor do Serviço" in str(missing.params["headers"])
    assert (similar.code, similar.field, similar.where.column) == ("column.similar", "service_cents", "C")
    assert similar.params == {"header": "Valor do Servço", "alias": "Valor do Serviço", "samples": "–"}


def test_missing_and_double_columns_are_reported_at_once() -> None:
    problems = refusals(("P", [["CNPJ", "CNPJ do Cliente", "Razão Social", "Cliente"]]))
    assert [(problem.code, problem.field) for problem in problems] == [
        ("column.twice", "document"),
        ("column.missing", "service_cents"),
    ]
    assert problems[0].params["columns"] == "A (CNPJ), B (CNPJ do Cliente)"
    assert problems[0].where.row == 1


def test_a_sheet_without_a_header_is_refused() -> None:
    (problem,) = refusals(("Plan1", [["a", "b"], [1, 2]]), ("Plan2", []))
    assert (problem.code, problem.params["sheets"]) == ("sheet.no_header", "Plan1, Plan2")


def test_a_header_too_far_down_is_not_found() -> None:
    (problem,) = refusals(("P", [["x"]] * 60 + [GOOD]))
    assert problem.code == "sheet.no_header"
    assert header(("P", [["x"]] * 59 + [GOOD])).row == 60


def test_two_sheets_with_data_are_never_chosen_between() -> None:
    both = ("Outubro", [GOOD]), ("Novembro", [GOOD])
    (problem,) = refusals(*both)
    assert (problem.code, problem.params["sheets"]) == ("sheet.several", "Outubro, Novembro")
    assert header(*both, sheet="Novembro").sheet.name == "Novembro"
    (unknown,) = refusals(*both, sheet="Dezembro")
    assert unknown.code == "sheet.unknown"


def test_a_sheet_of_instructions_yields_to_another_sheet() -> None:
    assert header(("Instruções", [GOOD]), ("Plan1", [GOOD])).sheet.name == "Plan1"
    assert header(("Exemplo de uso", [GOOD])).sheet.name == "Exemplo de uso"


def test_an_incomplete_header_on_another_sheet_is_ignored() -> None:
    assert header(("Notas", [["CNPJ", "Nome"]]), ("Plan1", [GOOD])).sheet.name == "Plan1"


@pytest.mark.parametrize(
    "wrong",
    [
        DATA | {"feilds": {}},
        DATA | {"fields": {"a": ["A"], "b": ["a"]}},
        DATA | {"ignored": ["B"]},
    ],
)
def test_a_layout_that_contradicts_itself_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"layout|header"):
        Layout.from_data(wrong)


def test_a_layout_is_data() -> None:
    layout = Layout.from_data(DATA)
    assert layout.aliases == {"a": "a", "a1": "a", "b": "b"}
    assert layout.headers["a"] == ("A", "Á1")


EVERY = [Layout.from_data(read_layout(name)) for name in LAYOUTS]


def test_the_headers_of_a_workbook_choose_its_layout(tmp_path: Path) -> None:
    month, sales = tmp_path / "month.xlsx", tmp_path / "sales.xlsx"
    write_sample_month(month, books.NOVEMBER)
    write_sample_sales(sales, books.NOVEMBER)
    for layouts in (EVERY, EVERY[::-1]):
        assert fitting(open_workbook(month), layouts).name == "services"
        assert fitting(open_workbook(sales), layouts).name == "products"


PRODUCTS = next(layout for layout in EVERY if layout.name == "products")


def test_a_missing_column_does_not_change_the_kind() -> None:
    products = list(dict.fromkeys(headers[0] for headers in PRODUCTS.headers.values()))
    for missing, name in (([*GOOD[:3]], "services"), (products[1:], "products")):
        assert fitting(open_workbook(books.written(("P", [missing]))), EVERY).name == name
    assert fitting(open_workbook(books.written(("P", [["x"]]))), EVERY) in EVERY


def test_two_header_rows_are_read_together() -> None:
    groups = ["Tomador", None, "Emitente", "Serviço", None, "PIS", None, "ISS", None]
    names = ["CNPJ/CPF", "Nome", "CNPJ", "Modelo", "Valor", "(%)", "(R$)", "Retido", "(%)"]
    found = header(("P", [["Notas de novembro"], groups, names, ["1"] * 9]))
    assert found.row == 3
    assert dict(found.columns) == {
        "document": 0, "name": 1, "emitter_cnpj": 2, "template_name": 3, "service_cents": 4, "pis_bp": 5,
        "pis_cents": 6, "retained_iss": 7, "iss_bp": 8,
    }  # fmt: skip
    assert (found.texts[2], found.own_texts[2]) == ("CNPJ Emitente", "CNPJ")


@pytest.mark.parametrize("line", [[1, "Fulano", "Serviço", 100], ["1", "Fulano", "Serviço", "R$ 100,00"]])
def test_a_line_is_no_lower_half_of_the_header_above_it(line: list[object]) -> None:
    with pytest.raises(InputError) as refused:
        header(("P", [["Codigo", "Quem paga", "O que", "Quanto"], line]))
    assert refused.value.problem.code == "sheet.no_header"


def test_a_header_cell_merged_over_both_rows_counts() -> None:
    found = header(("P", [["CNPJ/CPF", "Modelo", "Valor", "ISS", None], [None, None, None, "(%)", "Retido"]]))
    assert found.row == 2
    assert dict(found.columns) == {
        "document": 0, "template_name": 1, "service_cents": 2, "iss_bp": 3, "retained_iss": 4,
    }  # fmt: skip


def test_a_title_above_the_header_is_no_group() -> None:
    found = header(("P", [["Emitente"], GOOD, ["99000002000148", "Ana", "Mensalidade", "1"]]))
    assert (found.row, found.columns["document"]) == (2, 0)


def test_hidden_columns_may_be_left_out() -> None:
    def dress(sheet) -> None:
        sheet.set_column("C:C", None, None, {"hidden": True})

    book = open_workbook(books.written(("P", [["CNPJ/CPF", "Modelo", "Nome", "Valor"]]), dress=dress))
    assert "name" in find_header(book, books.SERVICES).columns
    found = find_header(book, books.SERVICES, uses_hidden=False)
    assert "name" not in found.columns
    assert (found.unused, found.passed_over) == ({}, {2: "Nome"})


USUAL = tomllib.loads(Path(__file__).with_name("headers.toml").read_text("utf-8"))
ALWAYS = {"document": "CPF", "template_name": "Modelo", "service_cents": "Valor", "name": "Nome"}


FIELDS = {text: field for field, texts in USUAL.items() for text in texts}


def fields_of(texts: Sequence[str]) -> dict[str, str]:
    """What each header means beside those that no sheet lacks, in a sheet of its own."""
    around = [[name for field, name in ALWAYS.items() if field != FIELDS[text]] for text in texts]
    sheets = [
        (f"P{number}", [[*beside, text]]) for number, (beside, text) in enumerate(zip(around, texts, strict=True))
    ]
    book = open_workbook(books.written(*sheets))
    found = [find_header(book, SERVICES, sheet=name) for name, _ in sheets]
    return {text: meaning(each, len(beside)) for text, beside, each in zip(texts, around, found, strict=True)}


def meaning(found: Header, column: int) -> str:
    named = {index: field for field, index in (*found.columns.items(), *found.signs)}.get(column)
    return named or ("unknown" if column in found.unused else "ignored")


def test_at_least_190_of_200_usual_headers_are_known() -> None:
    """The next test opens each header of the list."""
    known = sum(field != "unknown" for field in FIELDS.values())
    assert len(FIELDS) >= 200
    assert known / len(FIELDS) >= 0.95


@pytest.mark.parametrize("field", USUAL)
def test_each_usual_header_means_its_field(field: str) -> None:
    assert fields_of(USUAL[field]) == dict.fromkeys(USUAL[field], field)


def test_a_weaker_header_gives_way_to_a_sure_one() -> None:
    found = header(("P", [[*GOOD, "Mês", "Competência", "Nome Completo", "Valor Mensal"]]))
    assert (found.columns["competence"], found.columns["name"], found.columns["service_cents"]) == (5, 1, 3)
    assert found.unused == {4: "Mês", 6: "Nome Completo", 7: "Valor Mensal"}


def test_two_weaker_headers_of_one_field_are_refused() -> None:
    (twice,) = refusals(("P", [["CPF", "Modelo", "Valor Mensal", "Valor do Contrato"]]))
    assert (twice.code, twice.field) == ("column.twice", "service_cents")


def test_quantity_and_price_stand_for_the_amount_only_together() -> None:
    assert "service_cents" not in header(("P", [["CPF", "Modelo", "Qtde", "Preço"]])).columns
    assert refusals(("P", [["CPF", "Modelo", "Preço"]]))[0].code == "column.missing"


def test_the_number_of_a_customer_is_not_that_of_a_house() -> None:
    assert "number" not in header(("P", [[*GOOD, "Nº do Cliente"]])).columns


@pytest.mark.parametrize(
    "head",
    [
        ["CNPJ", "Cliente", "Modelo", "Descrição", "Qtde", "Preço"],
        ["CNPJ", "Cliente", "Produto", "Quantidade", "Preço Unitário", "Total"],
    ],
)
def test_quantity_and_price_make_no_sheet_of_products(head: list[object]) -> None:
    layouts = [Layout.from_data(read_layout(name)) for name in ("services", "products")]
    book = open_workbook(books.written(("P", [head, ["1", "Ana", "M", "1", 1.0, 1.0]])))
    for order in (layouts, layouts[::-1]):
        assert fitting(book, order).name == "services"
