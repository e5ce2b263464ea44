"""Series of NF-e as the provider numbers them."""

import json

import pytest

from connectors.http.errors import Disturbed, NotFound, Refused, Unreadable
from connectors.nfe.invoices import ExtensionsOff
from connectors.nfe.numerations import _numerations
from tests.connectors.nfe.samples import RIO, content


def test_a_serie_goes_on_from_the_number_it_was_given(ask):
    async def talk(client):
        made = await client.numerations.create(RIO, serie=5, last_number=100)
        document = content()
        document["dados_gerais"] |= {"serie": 5}
        posted = await client.nfe.create(RIO, json.dumps({"nfe": document}).encode())
        return made, await client.nfe.read(RIO, posted.id), await client.numerations.of_organization(RIO)

    made, invoice, (serie,) = ask(talk)
    assert (made.serie, made.last_number, invoice.number, serie.last_number) == (5, 100, 101, 101)


def test_a_serie_is_made_once_and_of_a_shop_that_there_is(ask):
    ask(lambda client: client.numerations.create(RIO, serie=5, last_number=0))
    with pytest.raises(Refused) as caught:
        ask(lambda client: client.numerations.create(RIO, serie=5, last_number=0))
    assert "errors.serie" in caught.value.messages
    for call in (
        lambda client: client.numerations.create(99, serie=5, last_number=0),
        lambda client: client.numerations.of_organization(99),
    ):
        with pytest.raises((NotFound, Disturbed)):
            ask(call)
    with pytest.raises(ValueError, match="NewNumeration"):
        ask(lambda client: client.numerations.create(RIO, serie=1000, last_number=0))


def test_series_are_an_extension(ask, sandbox):
    for call in (
        lambda client: client.numerations.create(RIO, serie=5, last_number=0),
        lambda client: client.numerations.of_organization(RIO),
    ):
        with pytest.raises(ExtensionsOff):
            ask(call, extensions=False)
    assert sandbox.record(requests=True)["requests"] == []


@pytest.mark.parametrize("key", ["nfe_numeration", "nfe_numerations", None])
def test_the_list_comes_bare_or_under_a_key(key):
    listed = [{"id": 1, "serie": 2, "last_number": 3, "colour": "blue"}]
    (found,) = _numerations(listed if key is None else {key: listed})
    assert (found.serie, found.model_extra) == (2, {"colour": "blue"})


def test_an_answer_without_a_list_is_unreadable(ask, sandbox):
    sandbox.faults({"operation": "numerations.list", "kind": "altered", "fields": {"nfe_numeration": {"id": 1}}})
    with pytest.raises(Unreadable):
        ask(lambda client: client.numerations.of_organization(RIO))
