"""The tax authority: when it decides, what it rejects, and the result of a repeated number."""

from datetime import datetime

import pytest

from connectors.emulation.instants import BRASILIA
from connectors.nfe.emulator.seed import default_shops
from connectors.nfe.emulator.tax_authority import access_key
from domain.products.keys import parse_access_key
from tests.connectors.nfe.samples import RIO_CNPJ, item


def test_time_brings_an_invoice_on(shop):
    shop.switch(product_advance="seconds", product_advance_seconds=60)
    made = shop.posted()
    assert shop.found(made)["status"] == "processing"
    shop.control("clock", {"ahead_s": 61})
    assert shop.found(made)["status"] == "succeeded"


def test_reads_advance_an_invoice(shop):
    shop.switch(product_advance="looks", product_advance_looks=3)
    made = shop.posted()
    assert [shop.found(made)["status"] for _ in range(4)] == ["processing", "processing", "succeeded", "succeeded"]


def test_a_slow_authority_takes_longer(shop):
    shop.faults({"operation": "city", "kind": "city_slow", "seconds": 3600})
    made = shop.posted()
    assert shop.found(made)["status"] == "processing"
    shop.control("clock", {"ahead_s": 3601})
    assert shop.found(made)["status"] == "succeeded"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"produtos": [item(valor_total_produto="25.01")]}, "629"),
        ({"forma_de_pagamento": [{"tipo_de_pagamento": "01", "valor_do_pagamento": 24.99}]}, "865"),
        ({"produtos": [item(valor_desconto="1.00")]}, "865"),
    ],
)
def test_figures_that_do_not_agree_are_rejected(shop, changes, code):
    found = shop.found(shop.posted(**changes))
    assert (found["status"], found["access_key"], found["danfe_url"]) == ("rejected", None, "")
    assert any(code in error for error in found["data"]["resposta_emissao"]["erros"])


def test_an_item_outside_the_total_is_not_paid_for(shop):
    gift = item(codigo_produto="BRI-01", ind_valor_total="0")
    found = shop.found(shop.posted(kind="nfce", produtos=[item(ind_valor_total=1), gift]), kind="nfce")
    assert found["status"] == "succeeded"
    found = shop.found(shop.posted(kind="nfce", produtos=[item(), item(ind_valor_total="1")]), kind="nfce")
    assert any("865" in error for error in found["data"]["resposta_emissao"]["erros"])


def test_a_contribution_is_recomputed(shop):
    wrong = {"situacao_tributaria": "01", "valor_base_calculo": "25", "aliquota_pis": "1.65", "valor_pis": "0.42"}
    taxes = {**item()["tributacao"], "pis": wrong}
    found = shop.found(shop.posted(produtos=[item(tributacao=taxes)]))
    assert any("598" in error for error in found["data"]["resposta_emissao"]["erros"])
    right = {**taxes, "pis": {**wrong, "valor_pis": "0.41"}}
    assert shop.found(shop.posted(number=2, produtos=[item(tributacao=right)]))["status"] == "succeeded"


def test_a_number_used_again_is_rejected_and_counted(shop):
    shop.posted(number=7)
    again = shop.posted(number=7)
    shop.posted("nfce", 7)
    shop.posted(number=7, serie=2)
    assert "539" in shop.found(again)["data"]["resposta_emissao"]["erros"][0]
    assert shop.violations() == ["duplicate_product_number"]


def test_an_authority_that_accepts_it_issues_twice(shop):
    shop.switch(product_duplicate="accept")
    shop.posted(number=7)
    assert shop.found(shop.posted(number=7))["status"] == "succeeded"
    assert shop.violations() == ["duplicate_product_number", "product_issued_twice"]


def test_rejections_are_scripted_by_number(shop):
    shop.switch(product_rejection_share=0.5)
    first = [shop.found(shop.posted(number=number))["status"] for number in range(1, 21)]
    shop.control("reset")
    shop.switch(product_advance="at_once", product_rejection_share=0.5)
    assert [shop.found(shop.posted(number=number))["status"] for number in range(1, 21)] == first
    assert {"succeeded", "rejected"} == set(first)


def test_an_access_key_names_issuer_kind_and_number(shop):
    key = parse_access_key(shop.found(shop.posted("nfce", 12, serie=3), "nfce")["access_key"])
    assert key is not None
    assert (key.state_code, key.cnpj, key.kind, key.serie, key.number) == ("33", RIO_CNPJ, "nfce", 3, 12)


def test_an_access_key_has_brasilias_month():
    """At half past nine in the evening of the last day it is the next month in UTC."""
    at = datetime(2026, 11, 30, 21, 30, tzinfo=BRASILIA).timestamp()
    key = parse_access_key(access_key(default_shops()[0], "nfe", 1, 1, at))
    assert key is not None
    assert f"{key.month:%Y-%m}" == "2026-11"
