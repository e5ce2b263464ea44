"""Unread columns of a list of goods: what their headers tell, and which cells contradict a line."""

import pytest

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.holds.goods_columns import (
    answers,
    goods_columns,
    is_compared,
    parents,
    rounded_numbers,
)

READ = {"quantity": 0, "unit_price": 1, "unit": 2}
LINE: tuple[Cell, ...] = (10.0, 2.0, "UN")


def against(header: str, cell: Cell, *, line: tuple[Cell, ...] = LINE, **more: int) -> list[str]:
    """Return what a column of this header tells against the line."""
    found = goods_columns({3: header}, {**READ, **more})
    return [text for _, text, _ in found.contradictions([*([each] for each in line), [cell]])]


@pytest.mark.parametrize(
    ("header", "wrong", "right"),
    [
        ("Qtd Atendida", 8.0, 10.0),
        ("Quantidade Entregue", "8 un", "10 un"),
        ("Qtd Devolvida", 1.0, 0.0),
        ("Unidades canceladas", "2", "-"),
        ("Preço com ST", 2.3, 2.0),
        ("Preço Promocional", 1.5, None),
        ("Valor Final do Item", 18.0, 20.0),
        ("Desc. %", "10%", "Caneca"),
        ("Cupom", "BEMVINDO10", None),
        ("Frete por item", 7.5, "grátis"),
        ("Valor estornado", "R$ 5,00", "R$ 0,00"),
        ("Gravação", 15.0, "Ana"),
        ("Base do preço", 1000.0, 1.0),
        ("Produto 2", "Pires", 0.0),
        ("Data do estorno", "10/11/2026", None),
    ],
)
def test_a_cell_that_tells_something_else_than_the_line_is_found(header: str, wrong: Cell, right: Cell) -> None:
    assert len(against(header, wrong)) == 1
    assert against(header, right) == []


@pytest.mark.parametrize(
    "header",
    ["Custo do frete", "Prazo de entrega", "Código do cupom", "Preço de tabela", "Qtd em estoque", "Peso bruto",
     "Quantidade de pedidos", "Tarifa de envio", "Nº do item", "Vendedor"],
)  # fmt: skip
def test_other_columns_tell_nothing(header: str) -> None:
    assert against(header, 77.0) == []


def test_a_weight_is_compared_with_what_is_sold_by_weight() -> None:
    assert against("Peso (kg)", 3.45, line=(2.0, 40.0, "KG")) == ["3.45"]
    assert against("Peso (kg)", 3.45, line=(2.0, 40.0, "UN")) == []


def test_the_price_of_a_box_is_compared_with_that_of_a_line_of_boxes() -> None:
    assert against("Preço da Caixa", 24.0, line=(1.0, 2.0, "CX")) == ["24"]
    assert against("Preço da Caixa", 24.0) == []


def test_boxes_and_the_pieces_in_a_box_come_to_the_quantity() -> None:
    found = goods_columns({3: "Caixas", 4: "Itens por caixa"}, READ)
    lines: list[list[Cell]] = [[120.0, 100.0, 10.0, 10.0], [2.0] * 4, ["UN", "UN", "CX", "UN"]]
    columns: list[list[Cell]] = [*lines, [10.0] * 4, [12.0] * 4]
    assert [place for place, _, _ in found.contradictions(columns)] == [1, 3]
    alone = goods_columns({4: "Itens por caixa"}, READ)
    assert list(alone.contradictions(columns)) == []


def test_beside_a_discount_in_reais_its_share_and_its_code_only_explain_it() -> None:
    assert against("Desc. %", "10%", discount_cents=9) == []
    assert against("Cupom", "BEMVINDO10", discount_cents=9) == []
    assert against("Cupom", 5.0, discount_cents=9) == ["5"]


def test_an_amount_may_be_a_total_that_was_read() -> None:
    assert against("Total a pagar", 55.0, line=(10.0, 2.0, "UN")) == ["55"]
    found = goods_columns({3: "Total a pagar"}, {**READ, "order_total_cents": 4})
    assert list(found.contradictions([[10.0], [2.0], ["UN"], [55.0], [55.0]])) == []


def test_columns_that_say_yes_or_no_are_judged_as_signs() -> None:
    judged = {
        "Troca": "stopped", "NF emitida?": "billed", "CPF na nota": "active", "Disponível": "active",
        "Cupom fiscal": "stopped", "Troca/Devolução": "stopped",
    }  # fmt: skip
    headers = (*judged, "Ticket de troca", "Retirado")
    assert list(answers(dict(enumerate(headers)))) == [(sign, index) for index, sign in enumerate(judged.values())]


def test_only_quantities_and_prices_are_compared() -> None:
    headers = ("Preço Negociado", "Qtd Enviada", "Frete pago", "Cor")
    assert [each for each in headers if is_compared(each)] == ["Preço Negociado", "Qtd Enviada"]


def test_columns_of_sets_are_found() -> None:
    assert parents({1: "SKU do Kit", 2: "SKU Pai", 3: "Kit", 4: "SKU", 5: "Kit de ferramentas"}) == [1, 2, 3]


def test_codes_that_lost_digits_are_found() -> None:
    column = ("7,89E+12", "2E5", None, 123.0, 2_000_008_123_456_780.0, " 7.8912e+12")
    assert list(rounded_numbers(column)) == [(0, "7,89E+12"), (5, "7.8912e+12"), (4, "2000008123456780")]
