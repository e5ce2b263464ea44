"""A person in the provider's web page."""

import pytest


def test_an_issued_invoice_is_cancelled(shop):
    made = shop.posted()
    shop.control("act", {"do": "cancel_product", "invoice_id": made})
    assert shop.found(made)["status"] == "cancelled"


def test_another_system_posts_on_our_serie(shop):
    made = shop.posted(number=4, remote_id="A-1")
    added = shop.control("act", {"do": "add_product", "invoice_id": made})["invoice_id"]
    found = shop.found(added)
    assert (found["data"]["dados_gerais"]["nfe_numero"], found["remote_id"]) == (5, None)
    shop.control("act", {"do": "add_product", "invoice_id": made, "number": 4})
    assert shop.violations() == ["duplicate_product_number"]


@pytest.mark.parametrize(
    "asked",
    [{"do": "cancel_product"}, {"do": "cancel_product", "invoice_id": 99}, {"do": "add_product", "invoice_id": "x"}],
)
def test_nonsense_is_refused_in_words(shop, asked):
    status, body, _ = shop.call("POST", "/_sandbox/act", asked)
    assert status == 400
    assert "invoice" in body["detail"]


def test_an_unissued_invoice_cannot_be_cancelled(shop):
    shop.switch(product_advance="seconds", product_advance_seconds=600)
    made = shop.posted()
    assert shop.call("POST", "/_sandbox/act", {"do": "cancel_product", "invoice_id": made})[0] == 400
