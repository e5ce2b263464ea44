"""The client never accepts an answer about another invoice than the one asked for."""

import pytest

from connectors.http.errors import Doubtful, Unreadable
from tests.connectors.nfe.samples import RIO, body
from tests.connectors.nfse.test_client_ids import OTHER


@pytest.mark.parametrize("other", [OTHER, {"organization_id": 62}])
def test_a_read_of_another_invoice_is_unreadable(ask, sandbox, other):
    async def talk(client):
        made = await client.nfe.create(RIO, body(client, 41, remote_id="F-7-41"))
        sandbox.faults({"operation": "nfe.read", "kind": "altered", "fields": {"nfe": other}, "count": 9})
        with pytest.raises(Unreadable):
            await client.nfe.read(RIO, made.id)

    ask(talk)


def test_an_invoice_is_read_by_each_of_its_names(ask, sandbox):
    sandbox.switch(product_advance="at_once")

    async def talk(client):
        made = await client.nfe.create(RIO, body(client, 41, remote_id="F-7-41"))
        first = await client.nfe.read(RIO, made.id)
        return first, [await client.nfe.read(RIO, key) for key in ("F-7-41", first.access_key, str(made.id))]

    first, others = ask(talk)
    assert {each.id for each in others} == {first.id}


def test_a_cancellation_of_another_invoice_is_a_doubt(ask, sandbox):
    sandbox.switch(product_advance="at_once")

    async def talk(client):
        made = await client.nfe.create(RIO, body(client, 41))
        sandbox.faults({"operation": "nfe.cancel", "kind": "altered", "fields": {"nfe": OTHER}})
        with pytest.raises(Doubtful):
            await client.nfe.cancel(RIO, made.id, "pedido do cliente, por engano")

    ask(talk)
