"""Unread columns whose amounts change what a row is billed for."""

import pytest

from connectors.spreadsheets.side_amounts import side_amounts, side_columns

CHANGES = ("Desconto (%)", "Acréscimo", "Créditos", "Valor do abatimento", "Glosa", "% Desconto")
PASSED_ON = ("Reembolso de despesas", "Mídia (repasse)")
OTHERS = ("Mês do reajuste", "Cartão de crédito", "Limite de crédito", "Data do desconto", "Desconto até", "Cidade")


@pytest.mark.parametrize(("amount", "expected"), [("Valor", CHANGES), ("Total a Faturar", PASSED_ON)])
def test_the_columns_that_matter_depend_on_the_amount(amount: str, expected: tuple[str, ...]):
    unused = dict(enumerate((*CHANGES, *PASSED_ON, *OTHERS)))
    assert tuple(unused[index] for index in side_columns(unused, amount)) == expected


def test_figures_other_than_zero_are_found():
    column = (None, 0.0, "0,00", "-", "10%", "R$ 5,00", 12.5, "sim", True)
    assert list(side_amounts(column)) == [(4, "10%"), (5, "R$ 5,00"), (6, "12.5")]
