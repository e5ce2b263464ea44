"""Series and retired numbers, with plain HTTP requests."""

import pytest

from tests.connectors.nfe.samples import RIO, SAO_PAULO


def disable(shop, **body):
    return shop.ask("POST", f"/{RIO}/nfe/disable", body)


def test_one_number_or_a_range_is_disabled(shop):
    status, body = disable(shop, serie="1", numero="7")
    data = body["nfe_disablement"]["data"]
    assert (status, data["numero_inicial"], data["numero_final"], data["serie"]) == (201, 7, 7, "1")
    assert data["motivo"]
    assert disable(shop, serie=1, numero_inicial=8, numero_final=9, motivo="Quebra de sequencia")[0] == 201
    status, body = disable(shop, nfe={"uf": "33", "serie": "1", "numero": "10"})
    assert (status, body["nfe_disablement"]["data"]["numero_final"]) == (201, 10)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"numero": 1}, "serie"),
        ({"serie": 1}, "numero"),
        ({"serie": 1, "numero_inicial": 5}, "numero_final"),
        ({"serie": 1, "numero_inicial": 5, "numero_final": 4}, "numero_final"),
        ({"serie": 1, "numero": 1, "motivo": "curto"}, "motivo"),
        ({"serie": 1, "numero": 10**9}, "numero"),
    ],
)
def test_each_field_of_a_bad_disabling_is_named(shop, body, field):
    status, answer = disable(shop, **body)
    assert (status, [name for error in answer["errors"] for name in error]) == (422, [field])


def test_a_rejected_number_may_be_retired_an_issued_one_not(shop):
    shop.posted(number=5)
    shop.switch(product_rejection_share=1)
    shop.posted(number=6)
    shop.ask("GET")
    shop.switch(product_rejection_share=0)
    assert [disable(shop, serie=1, numero=number)[0] for number in (5, 6)] == [422, 201]


def test_each_shop_has_its_own_series(shop):
    numeration = {"nfe_numeration": {"serie": 2, "last_number": 40}}
    for organization in (RIO, SAO_PAULO):
        assert shop.ask("POST", f"/{organization}/nfe_numerations", numeration)[0] == 201
    assert shop.ask("POST", f"/{RIO}/nfe_numerations", numeration)[0] == 422
    shop.posted(number=None, serie=2)
    (serie,) = shop.ask("GET", f"/{RIO}/nfe_numerations")[1]["nfe_numeration"]
    assert (serie["serie"], serie["last_number"]) == (2, 41)
    assert shop.ask("GET", "/99/nfe_numerations")[0] == 404


def test_without_extensions_there_are_none(shop):
    shop.switch(product_extensions="off")
    assert shop.ask("GET", f"/{RIO}/nfe_numerations")[0] == 404
    assert disable(shop, serie=1, numero=7)[0] == 404
