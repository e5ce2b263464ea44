"""Operations on invoices besides posting them as fields."""

import pytest

from connectors.http.errors import Disturbed, Doubtful, NotFound, Refused
from connectors.nfe.invoices import ExtensionsOff
from connectors.nfe.payloads.documents import SignedNfce, SignedNfe
from tests.connectors.nfe import examples
from tests.connectors.nfe.samples import RIO, SECRETS, body, content, issued

REASON = "Cliente desistiu da compra"
LETTER = "Leia-se Rua das Laranjeiras, 21"


def signed(kind="nfe", number=1):
    document = content()
    document["dados_gerais"] |= {"serie": 7, "nfe_numero": number}
    if kind == "nfce":
        document["dados_gerais"] |= SECRETS
    model: type[SignedNfe | SignedNfce] = SignedNfce if kind == "nfce" else SignedNfe
    return model.model_validate(document | {"xml_assinado": "<NFe>assinada é</NFe>"})


@pytest.fixture(autouse=True)
def at_once(sandbox):
    sandbox.switch(product_advance="at_once")


@pytest.mark.parametrize("kind", ["nfe", "nfce"])
def test_a_signed_document_is_issued_and_its_xml_not_kept(ask, sandbox, kind):
    async def talk(client):
        made = await client.of_kind(kind).authorize(RIO, signed(kind))
        return await client.of_kind(kind).read(RIO, made.id)

    found = ask(talk)
    assert (found.status, found.serie, found.number) == ("succeeded", 7, 1)
    held = sandbox.record()["product_invoices"][0]["body"]
    assert not {"xml_assinado"} & held.keys()
    assert not SECRETS.keys() & held["dados_gerais"].keys()


def test_a_signed_document_without_an_answer_is_doubtful(ask, sandbox):
    sandbox.faults({"operation": "nfce.authorize", "kind": "lose_answer"})
    with pytest.raises(Doubtful):
        ask(lambda client: client.nfce.authorize(RIO, signed("nfce")))
    with pytest.raises(Disturbed):
        ask(lambda client: client.nfe.authorize(99, signed()))


@pytest.mark.parametrize(("kind", "late_s"), [("nfe", 90_000), ("nfce", 2_000)])
def test_an_invoice_is_cancelled_in_time_or_stays(ask, sandbox, kind, late_s):
    async def talk(client, number):
        calls = client.of_kind(kind)
        made = await calls.create(RIO, body(client, number, kind=kind))
        await calls.read(RIO, made.id)
        if number == 2:
            sandbox.control("clock", {"ahead_s": late_s})
        outcome = await calls.cancel(RIO, made.id, REASON)
        return outcome, await calls.read(RIO, made.id)

    outcome, found = ask(lambda client: talk(client, 1))
    assert outcome == found.status == "cancelled"
    assert len(found.access_key) == 44
    assert ask(lambda client: talk(client, 2))[0] == "cancel_rejected"


def test_letters_of_correction_have_an_end(ask):
    async def talk(client):
        made = await issued(client, remote_id="A-1")
        await client.nfe.read(RIO, made.id)
        outcome = [await client.nfe.correct(RIO, "A-1", LETTER) for _ in range(21)]
        return outcome, await client.nfe.cancel(RIO, "A-1", REASON)

    outcome, cancelled = ask(talk)
    assert outcome == ["corrected"] * 20 + ["correction_rejected"]
    assert cancelled == "cancelled"


def test_only_issued_invoices_are_cancelled_or_corrected(ask, sandbox):
    sandbox.switch(product_rejection_share=1)

    async def talk(client):
        made = await issued(client)
        await client.nfe.read(RIO, made.id)
        for act in (client.nfe.cancel(RIO, made.id, REASON), client.nfe.correct(RIO, made.id, LETTER)):
            with pytest.raises(Refused) as caught:
                await act
            assert "errors.status" in caught.value.messages
        with pytest.raises(NotFound):
            await client.nfce.cancel(RIO, made.id, REASON)

    ask(talk)


def test_numbers_are_given_up_and_never_issued(ask):
    async def talk(client):
        one = await client.nfe.disable(RIO, 7, 3)
        more = await client.nfe.disable(RIO, 7, 10, 19, reason="Quebra de sequencia")
        made = [await issued(client, number) for number in (3, 15, 20)]
        return one, more, [await client.nfe.read(RIO, each.id) for each in made]

    one, more, found = ask(talk)
    assert (one.status, more.id) == ("processing", one.id + 1)
    assert [invoice.status for invoice in found] == ["rejected", "rejected", "succeeded"]
    with pytest.raises(Refused):
        ask(lambda client: client.nfe.disable(RIO, 7, 15, 25))


def test_a_disabling_may_be_answered_by_a_sentence(ask, sandbox):
    fields = {"nfe_disablement": None, "status": "Pedido enviado"}
    sandbox.faults({"operation": "nfe.disable", "kind": "altered", "fields": fields})
    done = ask(lambda client: client.nfe.disable(RIO, 7, 3))
    assert (done.id, done.status) == (None, "Pedido enviado")


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.nfe.cancel(RIO, 1, "curto"),
        lambda client: client.nfce.cancel(RIO, 1, "x" * 256),
        lambda client: client.nfe.correct(RIO, 1, "curto"),
        lambda client: client.nfe.correct(RIO, 1, "Acentuação não vale aqui"),
        lambda client: client.nfe.disable(RIO, 1, 9, 8),
        lambda client: client.nfe.disable(RIO, 1_000, 1),
        lambda client: client.nfe.disable(RIO, 1, 1, reason="curto"),
    ],
)
def test_a_bad_argument_is_not_sent(ask, sandbox, call):
    with pytest.raises(ValueError):
        ask(call)
    assert sandbox.record(requests=True)["requests"] == []


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.nfe.authorize(RIO, signed()),
        lambda client: client.nfe.cancel(RIO, 1, REASON),
        lambda client: client.nfce.cancel(RIO, 1, REASON),
        lambda client: client.nfe.correct(RIO, 1, LETTER),
        lambda client: client.nfe.disable(RIO, 1, 1),
    ],
)
def test_without_extensions_nothing_is_sent_or_an_alarm_rises(ask, sandbox, call):
    with pytest.raises(ExtensionsOff):
        ask(call, extensions=False)
    assert sandbox.record(requests=True)["requests"] == []
    sandbox.switch(product_extensions="off")
    with pytest.raises((NotFound, Disturbed)):
        ask(call)


def test_the_documented_one_needs_no_extension(ask, sandbox):
    sandbox.switch(product_extensions="off")
    assert ask(lambda client: client.nfce.authorize(RIO, signed("nfce")), extensions=False).status == "processing"


def test_the_largest_document_of_the_tables_is_taken(ask):
    outcome = examples.invoice("nfe") | {"xml_assinado": "<x/>"}
    assert ask(lambda client: client.nfe.authorize(RIO, SignedNfe.model_validate(outcome))).status == "processing"
