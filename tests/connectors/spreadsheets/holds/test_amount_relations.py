"""How the columns of a sheet come to its amount, and which rows contradict it."""

import pytest

from connectors.spreadsheets.formats.sheets import Cell, Row
from connectors.spreadsheets.holds.amount_relations import relations

AMOUNT, DISCOUNT = "service_cents", "unconditioned_discount_cents"


def verdicts(headers: tuple[str, ...], rows: list[tuple[Cell, ...]], **used: int) -> list[list[bool | None]]:
    found = relations(dict(enumerate(headers)), used, [Row(number, cells) for number, cells in enumerate(rows, 2)])
    return [list(each.verdicts(list(zip(*rows, strict=True)))) for each in found]


@pytest.mark.parametrize(
    ("headers", "rows", "used", "expected"),
    [
        (("Taxa", "Fundo", "Total"), [(6.0, 1.0, 7.0), (5.0, 1.0, 6.0), (6.0, 1.0, 6.0), (None, None, 3.0)],
         {AMOUNT: 2}, [[True, True, False, None]]),
        (("Taxa", "Fundo", "Total"), [(6.0, None, 6.0), (5.0, None, 5.0)], {AMOUNT: 2}, []),
        (("Taxa", "Fundo", "Total"), [(6.0, 1.0, 9.0), (5.0, 1.0, 9.0), (4.0, 1.0, 5.0)], {AMOUNT: 2}, []),
        (("Base", "% êxito", "Valor"), [(100.0, 0.2, 20.0), (100.0, "20%", 20.0), (100.0, 20.0, 30.0)],
         {AMOUNT: 2}, [[True, True, False]]),
        (("Valor tabela", "Desconto", "Valor"), [(9.0, 1.0, 8.0), (9.0, 1.0, 9.0), (9.0, None, 9.0)],
         {AMOUNT: 2, DISCOUNT: 1}, [[True, False, None]]),
        (("Valor tabela", "Desconto", "Valor"), [(9.0, 1.0, 9.0), (9.0, 1.0, 7.0)],
         {AMOUNT: 2, DISCOUNT: 1}, [[True, False]]),
        (("Valor", "Desconto", "Valor líquido"), [(9.0, 1.0, 8.0), (9.0, 1.0, 9.0), (9.0, 0.0, 9.0), (9.0, 1.0, 5.0)],
         {AMOUNT: 0, DISCOUNT: 1}, [[True, False, None, True]]),
        (("Valor", "ISS retido", "Líquido"), [(9.0, 1.0, 9.0), (9.0, 1.0, 9.0)], {AMOUNT: 0}, [[True, True]]),
        (("Fee", "PIS", "IRRF", "Taxa", "Total"),
         [(100.0, 2.0, 1.0, 3.0, 97.0), (100.0, 2.0, 1.0, 3.0, 98.0), (100.0, 2.0, None, 3.0, 100.0),
          (100.0, None, None, 3.0, 97.0)],
         {AMOUNT: 4}, [[False, False, True, None]]),
        (("Valor", "Obs"), [(9.0, "x")], {}, []),
        (("Antes", "IPCA (%)", "Valor"), [(100.0, 4.5, 104.5), (200.0, 4.5, 209.0), (100.0, 4.5, 145.0)],
         {AMOUNT: 2}, [[True, True, False]]),
        (("Horas", "Valor/h", "HE", "Valor HE", "Total"),
         [(2.0, 3.0, 1.0, 4.0, 10.0), (2.0, 3.0, None, None, 6.0), (2.0, 3.0, 1.0, 4.0, 6.0)],
         {AMOUNT: 4, "quantity": 0, "unit_price": 1}, [[True, True, False]]),
        (("Horas", "Valor/h", "Desconto", "Total"),
         [(2.0, 3.0, 1.0, 5.0), (2.0, 3.0, 0.0, 6.0), (2.0, 3.0, 1.0, 6.0), (2.0, 3.0, 1.0, 9.0)],
         {AMOUNT: 3, DISCOUNT: 2, "quantity": 0, "unit_price": 1}, [[True, None, False, True]]),
        (("Tempo (min)", "Valor/h", "Total"), [(90.0, 160.0, 240.0), (60.0, 160.0, 160.0), (45.0, 160.0, 7200.0)],
         {AMOUNT: 2, "unit_price": 1}, [[True, True, False]]),
        (("Minutos", "Vagas", "Total"), [(90.0, 160.0, 240.0), (60.0, 160.0, 160.0)], {AMOUNT: 2}, []),
        (("Êxito", "% êxito", "Base", "Custas", "Total"), [(9.0, 0.1, 90.0, 1.0, 9.0), (9.0, 0.1, 90.0, 0.0, 9.0)],
         {AMOUNT: 4}, [[True, None], [True, True]]),
        (("Fee", "Despesas", "Saldo anterior", "Total"),
         [(9.0, 1.0, None, 10.0), (9.0, 1.0, 2.0, 12.0), (9.0, 1.0, 2.0, 9.0), (9.0, None, 2.0, 11.0)],
         {AMOUNT: 3}, [[False, False, True, None], [None, False, True, False], [True, True, False, True]]),
    ],
)  # fmt: skip
def test_rows_follow_or_contradict_what_most_rows_say(headers, rows, used, expected):
    assert verdicts(headers, rows, **used) == expected


@pytest.mark.parametrize(("header", "expected"), [("Impressões", True), ("Multa", False), ("Reembolso", False)])
def test_a_sum_explains_its_parts_unless_one_is_no_price(header: str, expected: bool):
    rows = [Row(2, (9.0, 1.0, 10.0)), Row(3, (8.0, 1.0, 9.0))]
    *_, found = relations({0: "Mensalidade", 1: header, 2: "Total"}, {AMOUNT: 2}, rows)
    assert found.explains is expected
