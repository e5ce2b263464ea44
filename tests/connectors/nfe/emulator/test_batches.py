"""Batches, with plain HTTP requests."""

import pytest

from tests.connectors.nfe import examples
from tests.connectors.nfe.samples import RIO


def batch(kind="nfe", count=2, **more):
    return {"lote": 1, "serie": 3, "sincronicidade": 0, "uf": 33, f"{kind}s": [examples.invoice(kind)] * count} | more


def post(shop, body, kind="nfe", act=""):
    return shop.ask("POST", f"/{RIO}/{kind}_batch{act}", {f"{kind}_batch": body})


def test_numbers_go_on_within_the_serie_of_the_batch(shop):
    documents = [examples.invoice("nfe", is_whole=False) for _ in range(3)]
    status, body = post(shop, batch(nfes=documents))
    assert (status, body["nfe_batch"]["key"], len(body["nfe_batch"]["nfes"])) == (201, None, 3)
    held = [(invoice["serie"], invoice["number"]) for invoice in shop.record()["product_invoices"]]
    assert held == [(3, 1), (3, 2), (3, 3)]


def test_nfces_are_taken_under_either_name(shop):
    content = batch("nfce")
    assert post(shop, content, "nfce")[0] == 201
    assert post(shop, {"nfes": content.pop("nfces"), **content}, "nfce")[0] == 201


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"nfes": []}, "nfes"),
        ({"nfes": [{}] * 51}, "nfes"),
        ({"nfes": "x"}, "nfes"),
        ({"nfes": [5]}, "nfes.0"),
        ({"lote": None}, "lote"),
        ({"sincronicidade": 2}, "sincronicidade"),
    ],
)
def test_faults_are_named_by_their_place(shop, more, field):
    status, body = post(shop, batch(**more))
    assert (status, field in {name for error in body["errors"] for name in error}) == (422, True)
    assert shop.record()["product_invoices"] == []


def test_signed_ones_need_xml_unsigned_ones_the_extension(shop):
    shop.switch(product_extensions="off")
    assert post(shop, batch(), act="/authorize")[1]["errors"] == [{"xml_assinado": ["Este campo é obrigatório."]}]
    assert post(shop, batch(xml_assinado="<x/>"), act="/authorize")[0] == 201
    assert post(shop, batch())[0] == 404
