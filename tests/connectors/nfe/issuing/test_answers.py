"""The provider's statuses, those that only a person can interpret, and the sale in its answers."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

import connectors.nfe
from connectors.nfe.issuing.answers import invoice_state, is_number_taken, regime_of, sale_in_answer
from domain.states import LIVING, InvoiceState

STATUSES = tomllib.loads(Path(connectors.nfe.__file__).with_name("fields.toml").read_text(encoding="utf-8"))["invoice"][
    "answer"
]["status"]["allowed"]


def test_every_known_word_has_a_meaning_or_needs_a_person():
    assert {status for status in STATUSES if invoice_state(status) is None} == {"error", "not_sent"}
    assert invoice_state("a new word") is None


def test_nothing_that_may_be_an_invoice_counts_as_dead():
    dead = {status for status in STATUSES if (state := invoice_state(status)) and state not in LIVING}
    assert dead == {"rejected", "denegated", "cancelled"}
    assert invoice_state("correction_rejected") is InvoiceState.ACCEPTED


def body(document: Any = "99000051000180", *paid: Any) -> dict[str, Any]:
    payments = [{"valor_do_pagamento": each} for each in paid or (20.02,)]
    return {"cliente": {"cpf_cnpj": document}, "forma_de_pagamento": payments}


@pytest.mark.parametrize(
    "copy", [("99.000.051/0001-80", "20.02"), ("99000051000180", 20, "0.02"), ("99 0000 51000180", "20.02")]
)
def test_a_sale_is_known_however_it_is_repeated(copy: tuple[Any, ...]):
    assert sale_in_answer(body(*copy)) == sale_in_answer(body()) == ("99000051000180", 2002)


def test_a_lettered_document_may_be_repeated_in_small_letters():
    assert sale_in_answer(body("12abc34501de35")) == ("12ABC34501DE35", 2002)


@pytest.mark.parametrize(
    "answer", [None, [], {}, {"cliente": None}, body(""), body("1", None), body("1", 0), body("1") | {"cliente": "1"}]
)
def test_an_answer_without_a_sale_gives_none(answer: Any):
    assert sale_in_answer(answer) is None


def test_only_a_sale_over_the_counter_has_no_customer():
    unnamed = body() | {"cliente": None}
    assert sale_in_answer(unnamed) is None
    assert sale_in_answer(unnamed, is_counter_sale=True) == ("", 2002)
    assert sale_in_answer(body(), is_counter_sale=True) == ("99000051000180", 2002)
    assert sale_in_answer({}, is_counter_sale=True) is None


@pytest.mark.parametrize(
    ("text", "regime"),
    [
        ("1", 1),
        ("Simples Nacional", 1),
        ("SIMPLES NACIONAL ", 1),
        ("Simples Nacional - excesso de sublimite da receita bruta", 2),
        ("2", 2),
        ("Regime Normal", 3),
        ("3", 3),
        ("", None),
        (None, None),
        ("MEI", None),
        ("4", None),
    ],
)
def test_a_regime_is_read_from_digit_or_label(text, regime):
    assert regime_of(text) == regime


@pytest.mark.parametrize(
    ("text", "exists"),
    [
        ("Rejeicao 539: Duplicidade de NF-e, com diferenca na Chave de Acesso", True),
        ("Rejeição 204: Duplicidade de NF-e", True),
        ("539 - Duplicidade", True),
        ("Duplicidade de NFC-e [nRec: 35]", True),
        ("Rejeicao 629: Valor do Produto difere do produto Valor Unitario e Quantidade", False),
        ("Rejeicao 999: Erro 539 nao catalogado", False),
    ],
)
def test_an_existing_number_is_recognised_by_code_or_words(text, exists):
    assert is_number_taken(["Rejeicao 778: Informado NCM inexistente", text]) is exists
