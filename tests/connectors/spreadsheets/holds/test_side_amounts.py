"""Unread columns whose figures speak against a row's amount."""

from datetime import date

import pytest

from connectors.spreadsheets.holds.side_amounts import side_amounts, side_columns

CHANGES = ("Desconto (%)", "Acréscimo", "Créditos", "Valor do abatimento", "Glosa", "% Desconto")
WITHIN = ("Reembolso de despesas", "Mídia (repasse)", "Custas")
MONTHS = ("Out/26", "Valor nov/26")
RIVALS = ("Novo valor", "Valor corrigido", "Mensalidade reajustada", "Valor com desconto", "Honorário novo")
SHARES = ("% a faturar", "Rateio", "Percentual de rateio", "% faturado")
OTHERS = (
    "Mês do reajuste", "Cartão de crédito", "Limite de crédito", "Data do desconto", "Desconto até", "Cidade",
    "% Comissão", "Valor anual",
)  # fmt: skip


@pytest.mark.parametrize(
    ("amount", "effects"),
    [
        ("Valor", dict.fromkeys(CHANGES, "adds")),
        ("Total a Faturar", dict.fromkeys(WITHIN, "adds") | dict.fromkeys(MONTHS, "spans")),
    ],
)
def test_the_columns_that_matter_depend_on_the_amount(amount: str, effects: dict[str, str]):
    unused = dict(enumerate((*CHANGES, *WITHIN, *MONTHS, *RIVALS, *SHARES, *OTHERS)))
    found = {unused[index]: effect for index, effect in side_columns(unused, amount)}
    assert found == effects | dict.fromkeys(RIVALS, "replaces") | dict.fromkeys(SHARES, "shares")


@pytest.mark.parametrize(
    ("amount", "header", "is_found"),
    [
        ("Faturamento", "Royalties 6%", True), ("Faturamento", "Vendedor", False), ("Valor", "Royalties 6%", False),
        ("Comissão", "Preço da oferta", True), ("Valor", "Total nov/2026", True), ("Valor", "Total out/2026", False),
        ("Valor", "Valor da parcela", True), ("Valor", "Parcela", False),
        ("Valor do contrato", "Medição atual", True), ("Valor", "Executado no mês", True),
        ("Valor", "Medição nº", False), ("Royalties", "Faturamento do mês", False),
        ("Valor", "Valor da parcela anterior", False), ("Valor", "Valor da etapa a faturar", True),
        ("Valor do contrato", "Valor da 2ª etapa", True), ("Valor global", "Parcela do mês (R$)", True),
        ("Valor do projeto", "Total da fatura 3", True), ("Valor da obra", "Medição a faturar", True),
        ("Valor do contrato", "Saldo a faturar", False), ("Valor do contrato", "% da etapa", False),
        ("Valor do contrato", "Etapa", False), ("Valor do contrato", "Nota nº", False),
        ("Valor do contrato", "Valor faturado até o mês anterior", False),
        ("Valor da parcela do contrato", "Valor da 2ª etapa", False), ("Valor", "Valor da 2ª etapa", False),
        ("Valor", "Estorno provisão out/26", False), ("Valor", "Provisão nov/26", False),
    ],
)  # fmt: skip
def test_a_charge_beside_its_base_or_its_total_is_another_amount(amount: str, header: str, is_found: bool):
    found = side_columns({0: header}, amount, competence=date(2026, 11, 1))
    assert found == (((0, "replaces"),) if is_found else ())


GOODS = (
    "Valor IPI", "ICMS", "Valor do ICMS ST", "Acréscimo", "Taxa de entrega", "Desconto (%)", "Total de despesas",
    "Juros", "Valor do cupom",
)  # fmt: skip
PAYMENTS = ("Valor Dinheiro", "Valor pago em cartão", "Vlr. PIX", "Recebido em dinheiro")
NO_CHARGES = (
    "CST IPI", "Alíquota ICMS", "ICMS (%)", "Base ICMS", "Valor aprox. dos tributos", "Prazo de entrega", "Peso",
    "Data de entrega", "GTIN", "Código IPI",
)  # fmt: skip


def test_charges_and_payments_of_goods_matter_whatever_the_amount_is_called():
    unused = dict(enumerate((*GOODS, *PAYMENTS, *NO_CHARGES)))
    found = {unused[index]: effect for index, effect in side_columns(unused, "Valor Total", of_goods=True)}
    assert found == dict.fromkeys(GOODS, "adds") | dict.fromkeys(PAYMENTS, "replaces")


def test_figures_other_than_zero_are_found():
    column = (None, 0.0, "0,00", "-", "10%", "R$ 5,00", 12.5, "sim", True)
    assert list(side_amounts(column, "adds", ())) == [(4, "10%"), (5, "R$ 5,00"), (6, "12.5")]


def test_another_amount_counts_only_where_it_differs():
    column, amounts = (110.0, "100,00", "R$ 90,00", None, 5.0), (100.0, 100.0, "R$ 90,00", 1.0)
    assert list(side_amounts(column, "replaces", amounts)) == [(0, "110"), (4, "5")]


def test_a_list_price_contradicts_only_a_larger_amount():
    column, amounts = (120.0, 120.0, "R$ 120,00", 120.0), (120.0, 12_000.0, "R$ 90,00", None)
    assert list(side_amounts(column, "limits", amounts)) == [(1, "120")]


def test_a_whole_share_is_no_share():
    assert list(side_amounts((100.0, "100%", 1.0, "50%", 0.5, 0.0), "shares", ())) == [(3, "50%"), (4, "0.5")]


@pytest.mark.parametrize(
    ("amount", "header", "is_found"),
    [
        ("", "Horas extras (50%)", True), ("", "HE", True), ("", "Hectares", False), ("Valor", "Horas extras", False),
        ("Valor", "Reajuste IPCA nov/26", True), ("Valor", "Reajuste (%)", False), ("Valor", "Reajuste mar/26", False),
        ("Valor reajustado", "Reajuste nov/26", False),
    ],
)  # fmt: skip
def test_more_hours_and_a_readjustment_of_the_month_add_to_the_amount(amount: str, header: str, is_found: bool):
    found = side_columns({0: header}, amount, competence=date(2026, 11, 1))
    assert found == (((0, "adds"),) if is_found else ())
