"""The access key identifies the emitter of an invoice; our own id identifies its content."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.keys import sale_key
from domain.parties import TakerData
from domain.products.invoices import ProductInvoice, compose_product_invoice
from domain.products.keys import AccessKey, _check_digit, parse_access_key, remote_id, sale_of
from tests.domain.products.orders_of_a_shop import SHOP, line

HEAD = "33" + "2611" + "99000051000180" + "55" + "007" + "000000041" + "1" + "12345678"


def test_an_access_key_shows_issuer_kind_serie_and_number():
    found = parse_access_key(HEAD + _check_digit(HEAD))
    assert found == AccessKey("33", date(2026, 11, 1), "99000051000180", "nfe", 7, 41)


def test_a_published_key_has_the_check_digit_that_we_compute():
    # The example of the tax authority's manual.
    assert _check_digit("5206043300991100250655012000000780026730161") == "5"


def test_a_lettered_cnpj_is_part_of_a_key():
    head = HEAD.replace("99000051000180", "12ABC34501DE35")
    found = parse_access_key(head + _check_digit(head))
    assert found is not None
    assert found.cnpj == "12ABC34501DE35"


@given(st.integers(0, 33), st.integers(1, 9))
def test_a_wrong_digit_never_makes_it_the_same_invoice(place, other):
    key = HEAD + _check_digit(HEAD)
    wrong = key[:place] + str((int(key[place]) + other) % 10) + key[place + 1 :]
    assert parse_access_key(wrong) != parse_access_key(key)


@pytest.mark.parametrize("text", ["", HEAD, HEAD + "x", f"{HEAD}{_check_digit(HEAD)}0", "0" * 44])
def test_other_text_is_no_key(text):
    assert parse_access_key(text) is None


def test_a_wrong_month_or_model_is_no_key():
    for wrong in (HEAD.replace("2611", "2613"), HEAD.replace("018055", "018057")):
        assert wrong != HEAD
        assert parse_access_key(wrong + _check_digit(wrong)) is None


def test_our_own_id_differs_by_number_and_by_content():
    usual: dict[str, Any] = {
        "cnpj": "99000051000180",
        "kind": "nfe",
        "serie": 7,
        "number": 41,
        "content_digest": "ab" * 32,
    }
    ids = {remote_id(**usual | change) for change in ({}, {"kind": "nfce"}, {"serie": 8}, {"number": 4})}
    ids.add(remote_id(**usual | {"content_digest": "cd" * 32}))
    assert len(ids) == 5
    assert not any(found.isdigit() for found in ids)
    assert remote_id(**usual) == "nfe-99000051000180-7-41-abababababab"


def test_a_sale_is_the_customer_and_what_is_paid():
    composed = compose_product_invoice([line(), line(row=6)], shop=SHOP)
    assert isinstance(composed, ProductInvoice)
    assert sale_of(composed.content) == ("99000000130", 5_000)
    unnamed = compose_product_invoice([line(kind="nfce", taker=TakerData())], shop=SHOP)
    assert isinstance(unnamed, ProductInvoice)
    assert sale_of(unnamed.content) == ("", 2_500)


def test_a_sale_key_has_issuer_month_customer_and_total():
    usual = ("99000051000180", date(2026, 11, 1), ("1", 2002))
    others = [
        ("x", *usual[1:]),
        (usual[0], date(2026, 12, 1), usual[2]),
        (*usual[:2], ("2", 2002)),
        (*usual[:2], ("1", 1)),
    ]
    assert len({sale_key(*each) for each in (usual, *others)}) == 5
    assert sale_key(*usual) == sale_key(usual[0], date(2026, 11, 30), usual[2])
