"""The issuer port of service invoices, against the sandbox over a real socket."""

import time
from datetime import UTC, datetime
from typing import Any

import pytest

from connectors.http.errors import NotFound, Refused
from connectors.nfse.issuing.issuer import NfseIssuer
from domain.documents import Document
from domain.issuing import BatchProgress, EmitterRef, InvoiceKey, Posting, ServiceInvoice
from domain.keys import canonical_json, content_digest
from domain.parties import TakerData
from domain.states import InvoiceState
from tests.domain.invoicing import but, composed

RIO = EmitterRef(1, "99000001000101")
AT = datetime(2026, 11, 20, 13, tzinfo=UTC)
CUSTOMER = TakerData(document=Document("cnpj", "12ABC34501DE35"), name="Padaria São João Ltda")


def soon() -> float:
    return time.monotonic() + 60


def posting_of(invoice: ServiceInvoice, batch_id: int) -> Posting:
    digest = content_digest(canonical_json(invoice.content))
    key = InvoiceKey(emitter=RIO, serie="F", number=1, digest=digest)
    return Posting(key=key, content=invoice.content, batch_id=batch_id, emission_at=AT)


async def staged(issuer: NfseIssuer) -> tuple[Any, Any, ServiceInvoice]:
    """Return the batch, the receipt and the invoice of one post."""
    customer = await issuer.register.create_customer(CUSTOMER)
    line = but(taker=CUSTOMER, service_item_code="17.01", city_tax_code="17.01.01")
    invoice = composed(line, taker_id=customer.id)
    batch = await issuer.staging.open(RIO, "2026-11 #1", not_after=soon())
    return batch, await issuer.post(posting_of(invoice, batch.id), not_after=soon()), invoice


def test_a_posted_invoice_waits_unchanged_in_its_batch(ask):
    batch, receipt, invoice = ask(lambda client: staged(NfseIssuer(client)))
    there = receipt.answered
    assert (receipt.is_as_documented, receipt.http_status, there.state) == (True, 201, InvoiceState.CREATED)
    assert (there.batch_id, there.serie, there.number, there.is_complete) == (batch.id, "F", 1, True)
    assert there.customer_document == invoice.taker_document
    assert there.amounts == invoice.amounts.to_json()
    assert there.issued_at == AT


def test_a_batch_shows_what_was_posted_into_it(ask):
    async def talk(client) -> Any:
        issuer = NfseIssuer(client)
        batch, receipt, _ = await staged(issuer)
        pages = [page async for page in issuer.staging.invoices(batch.id)]
        return receipt.answered, pages, await issuer.staging.read(batch.id), await issuer.staging.find(RIO, batch.name)

    posted, pages, batch, found = ask(talk)
    assert [page.count for page in pages] == [1]
    assert [each.id for page in pages for each in page.invoices] == [posted.id]
    assert (batch.progress, batch.counters.created, batch.counters.total) == (BatchProgress.WAITING, 1, 1)
    assert [each.id for each in found] == [batch.id]


def test_a_deleted_invoice_is_not_found_again(ask):
    async def talk(client) -> None:
        issuer = NfseIssuer(client)
        _, receipt, _ = await staged(issuer)
        await issuer.staging.delete(receipt.answered.id, not_after=soon())
        with pytest.raises(NotFound):
            await issuer.read(RIO, receipt.answered.id)

    ask(talk)


def test_a_customer_is_changed_only_in_the_given_fields(ask):
    async def talk(client) -> Any:
        register = NfseIssuer(client).register
        made = await register.create_customer(CUSTOMER)
        await register.update_customer(made.id, TakerData(emails=("novo@padaria.example",)))
        assert CUSTOMER.document is not None
        return made, await register.customers(CUSTOMER.document)

    made, (found,) = ask(talk)
    assert (found.id, found.document, found.data.name) == (made.id, "12ABC34501DE35", CUSTOMER.name)
    assert found.data.emails == ("novo@padaria.example",)


def test_a_refused_record_names_fields_by_our_words(ask):
    async def talk(client) -> Refused:
        with pytest.raises(Refused) as raised:
            await NfseIssuer(client).register.update_record("template", 1, {"service_item_code": "1" * 99})
        return raised.value

    assert "service_item_code" in {place.rpartition(".")[2] for place in ask(talk).messages}


def test_the_emitters_say_why_they_cannot_issue(ask, sandbox):
    async def talk(client) -> Any:
        return await NfseIssuer(client).emitters()

    emitters = ask(talk)
    assert {each.cnpj for each in emitters} >= {RIO.cnpj}
    assert next(each for each in emitters if each.id == 1).fault is None
    assert all(each.fault is None or each.fault.code.startswith("emitter.") for each in emitters)
