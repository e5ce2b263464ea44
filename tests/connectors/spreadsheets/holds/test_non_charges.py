"""Entries that are no charge of a service, and currencies."""

import pytest

from connectors.spreadsheets.holds.non_charges import is_credit, is_not_sale, is_other_currency, is_other_entry


@pytest.mark.parametrize(
    "word",
    [
        "recibo",
        "nota de debito",
        "despesa",
        "d",
        "debito",
        "estorno de venda",
        "produto",
        "nf-e",
        "fornecedores",
        "ct-e",
        "ncc",
        "ra",
        "receita saude",
        "abatimento",
        "previsto",
    ],
)
def test_entries_of_another_kind(word: str):
    assert is_other_entry(word)


@pytest.mark.parametrize(
    "word",
    ["nfs-e", "servico", "receita", "c", "credito", "debito em conta", "mensalidade", "boleto", "previsto em contrato"],
)
def test_entries_that_may_be_billed(word: str):
    assert not is_other_entry(word)


def test_credits_of_a_customer():
    assert all(map(is_credit, ("credito", "creditos", "credit", "credito ao cliente")))
    assert not any(map(is_credit, ("credito rural", "cartao de credito", "c", "debito")))


def test_only_reais_are_our_currency():
    assert not any(map(is_other_currency, ("brl", "r$", "real", "reais", "real (r$)", "1", "001", "986")))
    assert all(map(is_other_currency, ("usd", "us$", "euro", "eur", "dolar")))


@pytest.mark.parametrize(
    "word",
    ["devolucao de venda", "remessa para conserto", "transferencia entre filiais", "bonificacao", "entrada", "compra",
     "troca", "amostra gratis", "orcamento", "venda para entrega futura", "consignacao"],
)  # fmt: skip
def test_operations_that_are_no_sale(word: str):
    assert is_not_sale(word)


@pytest.mark.parametrize(
    "word", ["venda", "venda de mercadoria", "venda a consumidor", "saida", "normal", "varejo", "venda de producao"]
)
def test_operations_that_are_sales(word: str):
    assert not is_not_sale(word)
