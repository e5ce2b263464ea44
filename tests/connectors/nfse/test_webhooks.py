"""Webhooks: registered, renamed, removed, and what a delivery claims."""

from datetime import UTC

import pytest

from connectors.http.errors import NotFound, Refused
from connectors.nfse.webhooks import WebhookDraft, hint_of, read_delivery
from tests.connectors.nfse import requests
from tests.connectors.nfse.receivers import receiving


def test_a_webhook_is_registered_renamed_and_removed(ask):
    async def talk(client, url):
        made = await client.webhooks.create(WebhookDraft(name="Campainha", url=url))
        renamed = await client.webhooks.rename(made.id, "Outra")
        listed = await client.webhooks.all()
        read = await client.webhooks.read(made.id)
        await client.webhooks.delete(made.id)
        for call in (client.webhooks.read, client.webhooks.delete):
            with pytest.raises(NotFound):
                await call(made.id)
        with pytest.raises(NotFound):
            await client.webhooks.rename(made.id, "x")
        return made, renamed, listed, read

    with receiving() as receiver:
        made, renamed, listed, read = ask(lambda client: talk(client, receiver.url))
    assert (made.name, made.url, made.created_at.tzinfo) == ("Campainha", receiver.url, UTC)
    assert renamed.name == "Outra"
    assert listed == [renamed] == [read]


def test_an_address_that_does_not_answer_as_it_must_is_refused(ask):
    with receiving() as receiver:
        receiver.statuses = [500]

        async def talk(client):
            with pytest.raises(Refused) as caught:
                await client.webhooks.create(WebhookDraft(name="n", url=receiver.url))
            return caught.value

        assert set(ask(talk).messages) == {"url"}


def test_a_delivery_is_read_as_the_claim_it_is(ask, sandbox):
    sandbox.switch(advance="at_once")

    async def talk(client, url):
        await client.webhooks.create(WebhookDraft(name="Campainha", url=url))
        return await client.notes.create(requests.rio())

    with receiving() as receiver:
        posted = ask(lambda client: talk(client, receiver.url))
        receiver.until(3)
        claims = [claim for delivery in receiver.deliveries if (claim := read_delivery(delivery)) is not None]
    assert len(claims) == len(receiver.deliveries)
    assert {claim.id for claim in claims} == {posted.note.id}
    assert [claim.to_status for claim in claims] == ["scheduled", "processing", "accepted"]
    assert [hint.is_end for delivery in receiver.deliveries if (hint := hint_of(delivery))] == [False, False, True]
    assert claims[0].links["self"].endswith(f"/api/v1/nfse/{posted.note.id}")


@pytest.mark.parametrize("body", [{"test": True}, None, [], "x", {}, {"id": "x", "to_status": "y"}, {"id": 1}])
def test_anything_else_claims_nothing(body):
    assert read_delivery(body) is None
    assert hint_of(body) is None


@pytest.mark.parametrize("note", [0, -1, 2**63, 10**30])
def test_an_id_that_no_ledger_can_hold_is_no_hint(note):
    assert hint_of({"id": note, "to_status": "accepted"}) is None
