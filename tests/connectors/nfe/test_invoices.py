"""Product invoices: posted once, looked up by our own id, and never declared absent on weak evidence."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest

from connectors.http.auth import BasicToken
from connectors.http.errors import Broken, Denied, Disturbed, Doubtful, NotFound, PartlyUnreadable, Refused, Unreadable
from connectors.http.session import HttpSession
from connectors.nfe.client import NfeClient
from connectors.nfe.invoices import ExtensionsOff, read_invoice
from tests.connectors.nfe.samples import RIO, SAO_PAULO, SECRETS, body, content, issued, item
from tests.sandboxes import TOKEN as SERVICE_TOKEN


def posted_numbers(sandbox):
    return [(row["kind"], row["serie"], row["number"]) for row in sandbox.record()["product_invoices"]]


@pytest.mark.parametrize("kind", ["nfe", "nfce"])
def test_a_posted_invoice_is_processing_then_issued(ask, sandbox, kind):
    sandbox.switch(product_advance="looks", product_advance_looks=2)

    async def talk(client):
        calls = client.of_kind(kind)
        made = await calls.create(RIO, body(client, 41, kind, remote_id="F-7-41"))
        return made, await calls.read(RIO, made.id), await calls.read(RIO, "F-7-41")

    made, early, late = ask(talk)
    assert (made.status, made.http_status, early.status, late.status) == ("processing", 201, "processing", "succeeded")
    assert made.wire.first_byte_at is not None
    assert (early.access_key, early.protocol, early.paper_url) == (None, None, None)
    assert (late.id, late.organization_id, late.remote_id, late.serie, late.number) == (made.id, RIO, "F-7-41", 7, 41)
    assert late.access_key is not None
    assert late.access_key[20:34] == ("55" if kind == "nfe" else "65") + "007" + "000000041"
    assert late.issued_at.utcoffset().total_seconds() == 0
    assert late.protocol
    assert late.paper_url
    assert posted_numbers(sandbox) == [(kind, 7, 41)]


def test_an_access_key_finds_its_invoice(ask, sandbox):
    sandbox.switch(product_advance="at_once")

    async def talk(client):
        made = await issued(client)
        first = await client.nfe.read(RIO, made.id)
        return first, await client.nfe.read(RIO, first.access_key)

    first, again = ask(talk)
    assert first == again


def test_a_rejection_has_the_tax_authoritys_words(ask, sandbox):
    sandbox.switch(product_advance="at_once", product_rejection_share=1.0)

    async def talk(client):
        made = await issued(client)
        return await client.nfe.read(RIO, made.id)

    found = ask(talk)
    assert (found.status, found.access_key) == ("rejected", None)
    assert found.errors[0].startswith("Rejeicao")


@pytest.mark.parametrize("shape", ["list", "object", "text", "texts"])
def test_a_refusal_of_the_content_is_refused_in_every_shape(ask, sandbox, shape):
    sandbox.switch(product_errors=shape)

    async def talk(client):
        with pytest.raises(Refused) as refused:
            await client.nfe.create(RIO, body(client, produtos=[item(ncm=None)]))
        return refused.value

    refused = ask(talk)
    assert type(refused) is Refused
    assert any("ncm" in field or any("ncm" in text for text in texts) for field, texts in refused.messages.items())
    assert posted_numbers(sandbox) == []


@pytest.mark.parametrize("shape", ["list", "object", "text", "texts"])
def test_a_refusal_about_our_number_is_no_rows_own_trouble(ask, sandbox, shape):
    sandbox.switch(product_errors=shape)

    async def talk(client):
        with pytest.raises(Disturbed):
            await client.nfe.create(RIO, body(client, serie=1000))

    ask(talk)


def test_an_unknown_organization_is_no_rows_own_trouble(ask):
    async def talk(client):
        with pytest.raises(Disturbed):
            await client.nfe.create(999, body(client))

    ask(talk)


@pytest.mark.parametrize("kind", ["lose_answer", "truncated", "malformed", "status_500", "reset_after"])
def test_a_lost_answer_is_a_doubt_and_is_never_sent_again(ask, sandbox, kind):
    sandbox.faults(
        {"operation": "nfe.create", "kind": kind, "count": 5, **({"when": "after"} if "500" in kind else {})}
    )

    async def talk(client):
        with pytest.raises(Doubtful) as doubtful:
            await issued(client, remote_id="F-7-1")
        return doubtful.value, client.requests, await client.nfe.find(RIO, "F-7-1")

    doubtful, requests, found = ask(talk)
    assert requests == 1
    assert doubtful.wire.was_begun
    assert (found is not None) == (kind != "reset_after")
    assert len(posted_numbers(sandbox)) == (kind != "reset_after")


def test_a_success_without_an_id_is_a_doubt(ask, sandbox):
    sandbox.faults({"operation": "nfe.create", "kind": "altered", "fields": {"nfe": {"id": None}}})

    async def talk(client):
        with pytest.raises(Doubtful):
            await issued(client)

    ask(talk)


def test_an_invoice_is_found_by_our_own_id_and_by_nobody_elses(ask):
    async def talk(client):
        made = await issued(client, remote_id="F-7-1")
        await issued(client, number=2, remote_id="F-7-10")
        found = await client.nfe.find(RIO, "F-7-1")
        others = [await client.nfe.find(SAO_PAULO, "F-7-1"), await client.nfce.find(RIO, "F-7-1")]
        return made.id, found.id, [*others, await client.nfe.find(RIO, "F-7-9")]

    made, found, others = ask(talk)
    assert made == found
    assert others == [None, None, None]


def test_a_list_that_ignores_its_filter_proves_nothing(ask, sandbox):
    sandbox.switch(product_filter="ignore")

    async def talk(client):
        await issued(client, remote_id="F-7-1")
        with pytest.raises(Unreadable):
            await client.nfe.find(RIO, "F-7-2")

    ask(talk)


def test_a_provider_without_the_extensions_is_not_an_empty_one(ask, sandbox):
    sandbox.switch(product_extensions="off")

    async def talk(client):
        await issued(client, remote_id="F-7-1")
        with pytest.raises(NotFound):
            await client.nfe.find(RIO, "F-7-1")

    ask(talk)


def test_two_invoices_with_one_id_of_ours_are_nobodys(ask):
    async def talk(client):
        await issued(client, number=1, remote_id="F-7-1")
        await issued(client, number=2, remote_id="F-7-1")
        with pytest.raises(Unreadable):
            await client.nfe.find(RIO, "F-7-1")

    ask(talk)


def test_without_extensions_no_extra_request_or_field_is_sent(ask, sandbox):
    async def talk(client):
        await issued(client, remote_id="F-7-1")
        for look in (client.nfe.find(RIO, "F-7-1"), client.nfe.read(RIO, 1), client.nfe.latest(RIO)):
            with pytest.raises(ExtensionsOff):
                await look
        return client.requests

    assert ask(talk, extensions=False) == 1
    assert sandbox.record()["product_invoices"][0]["remote_id"] is None


def test_the_newest_are_listed(ask, sandbox):
    sandbox.switch(product_advance="at_once")

    async def talk(client):
        for number in range(1, 13):
            await issued(client, number)
        every = await client.nfe.latest(RIO, limit=50)
        return every, await client.nfe.latest(RIO), await client.nfe.latest(RIO, status="rejected")

    every, ten, rejected = ask(talk)
    assert sorted(invoice.number for invoice in every) == list(range(1, 13))
    assert len(ten) == 10
    assert rejected == []


BAD_ITEMS = [
    None,
    {"id": 9, "status": None},
    {"nfe": {"id": 9}},
    {"id": "9", "status": "succeeded"},
    {"id": 9, "status": "succeeded", "data": {"dados_gerais": {"serie": "A1"}}},
]


@pytest.mark.parametrize("bad", BAD_ITEMS)
def test_an_unreadable_invoice_hides_no_other_and_no_absence(ask, sandbox, bad):
    async def talk(client):
        known = await issued(client, remote_id="F-7-1")
        good = {"id": known.id, "status": "succeeded"}
        fields = {"nfe": [good, bad]}
        sandbox.faults({"operation": "nfe.list", "kind": "altered", "count": 2, "fields": fields})
        with pytest.raises(PartlyUnreadable) as caught:
            await client.nfe.latest(RIO)
        with pytest.raises(Unreadable):
            await client.nfe.find(RIO, "F-7-2")
        return known.id, caught.value

    known, error = ask(talk)
    assert [invoice.id for invoice in error.items] == [known]
    assert error.unread_ids == ("?" if bad is None else "9",)


def test_those_between_two_instants_are_listed(ask):
    now = datetime.now(UTC)
    hour = timedelta(hours=1)

    async def talk(client):
        await issued(client)
        windows = ((now - hour, now + hour), (now + hour, now + 2 * hour), (now - 2 * hour, now - hour))
        return [len(await client.nfe.within(RIO, *window)) for window in windows]

    assert ask(talk) == [1, 0, 0]


def test_security_codes_are_sent_with_an_nfce_and_kept_nowhere(ask, sandbox):
    async def talk(client):
        raw = body(client, kind="nfce")
        await client.nfce.create(RIO, raw)
        return json.loads(raw)["nfce"]["dados_gerais"]

    general = ask(talk)
    assert (general["csc"], general["id_token"]) == tuple(SECRETS.values())
    assert SECRETS["csc"] not in json.dumps(sandbox.record(requests=True))


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("nfce", {}),
        ("nfce", {"csc": "x"}),
        ("nfe", SECRETS),
        ("nfe", {"remote_id": "123"}),
        ("nfe", {"remote_id": ""}),
    ],
)
def test_a_body_that_could_not_be_issued_is_not_built(ask, kind, more):
    async def talk(client):
        with pytest.raises(ValueError):
            client.of_kind(kind).body(content(), serie=1, number=1, **more)

    ask(talk)


def test_a_body_does_not_let_the_content_choose_its_number(ask):
    async def talk(client):
        for name in ("serie", "nfe_numero"):
            general = {**content()["dados_gerais"], name: 9}
            with pytest.raises(ValueError, match=name):
                client.nfe.body(content(dados_gerais=general), serie=1, number=1)

    ask(talk)


def test_a_read_without_an_answer_is_asked_again(ask, sandbox):
    async def talk(client):
        made = await issued(client)
        sandbox.faults({"operation": "nfe.read", "kind": "lose_answer", "count": 2})
        found = await client.nfe.read(RIO, made.id)
        sandbox.faults({"operation": "nfe.read", "kind": "lose_answer", "count": 9})
        with pytest.raises(Broken):
            await client.nfe.read(RIO, made.id)
        return made.id == found.id

    assert ask(talk)


def test_the_other_apis_token_is_denied(sandbox):
    async def talk():
        async with HttpSession(sandbox.base_url, BasicToken(SERVICE_TOKEN)) as session:
            with pytest.raises(Denied):
                await issued(NfeClient(session, extensions=True))

    asyncio.run(talk())


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"id": 1},
        {"id": "1", "status": "processing"},
        {"id": 1, "status": 2},
        {"id": 1, "status": "x", "data": [1]},
        {"id": 1, "status": "x", "organization_id": "61"},
        {"id": 1, "status": "x", "data": {"dados_gerais": {"serie": True}}},
    ],
)
def test_another_answer_is_not_read_as_an_invoice(wrong):
    with pytest.raises((ValueError, KeyError, TypeError)):
        read_invoice(wrong)


def test_a_single_error_may_come_bare():
    data = {"resposta_emissao": {"erros": "Rejeicao 999"}}
    assert read_invoice({"id": 1, "status": "rejected", "data": data}).errors == ("Rejeicao 999",)


def test_unknown_fields_are_kept_and_secrets_hidden(ask, sandbox):
    more = {"colour": "blue", "token": "canary", "data": {"dados_gerais": {"csc": "canary"}}}
    sandbox.faults({"operation": "nfe.read", "kind": "altered", "fields": {"nfe": more}})

    async def talk(client):
        made = await issued(client)
        return await client.nfe.read(RIO, made.id)

    found = ask(talk)
    assert found.answer["colour"] == "blue"
    assert found.answer["data"]["cliente"]["cpf_cnpj"] == "99000000130"
    assert "canary" not in str(found.answer)
    assert "99000000130" not in repr(found)
