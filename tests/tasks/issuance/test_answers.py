"""One invoice on the wire: our number, our own id, the security code; and when an invoice that is read back is ours."""

import dataclasses
from typing import Any

import pytest

from connectors.ledger.invoices import InvoiceRecord
from connectors.nfe.emulator.seed import default_shops
from connectors.nfe.emulator.tax_authority import access_key
from connectors.nfe.invoices import Invoice
from connectors.nfe.issuing.issuer import own_id, remote_invoice
from domain.keys import answer_digest
from domain.problems import SettingsError
from domain.states import InvoiceState
from tasks.issuance.answers import PostAnswer, is_ours, key_of
from tasks.runtime import Runtime
from tests.tasks.store import RIO_SHOP, Store, channel_of
from tests.tasks.workshop import fault

POSTED_AT = 1_795_000_000.0


def _key(*, shop: int = 0, kind: str = "nfe", serie: int = 1, number: int = 1) -> str:
    return access_key(default_shops()[shop], kind, serie, number, POSTED_AT)


def test_the_receipt_of_a_post(store: Store):
    note = store.notes(store.staged(1))[0]
    receipt = posted(store, note)
    (there,) = store.held()
    assert (receipt.remote_id, receipt.outcome, receipt.state) == (there["id"], "issued", InvoiceState.PROCESSING)
    assert (receipt.http_status, receipt.difference, len(store.writes())) == (201, None, 1)
    assert receipt.digest == answer_digest(
        remote_id=there["id"], batch_remote_id=0, serie="1", number=1, amounts=note.amounts
    )
    assert (there["serie"], there["number"], there["kind"]) == (1, 1, "nfe")
    assert there["remote_id"] == f"nfe-{RIO_SHOP}-1-1-{note.digest[:12]}"


def test_a_status_that_nobody_knows_keeps_the_id(store: Store):
    note = store.notes(store.staged(1))[0]
    store.sandbox.faults(fault("nfe.create", "altered", fields={"nfe": {"status": "waiting for rain"}}))
    receipt = posted(store, note)
    assert (receipt.state, receipt.remote_id) == (None, store.held()[0]["id"])


def test_without_extensions_our_own_id_is_not_sent(store: Store):
    store.without_extensions()
    posted(store, store.notes(store.staged(1))[0])
    assert [each["remote_id"] for each in store.held()] == [None]


def test_another_content_or_number_is_known_by_another_id(store: Store):
    store.planned(2)
    first, second = store.notes(1)

    async def ids(runtime: Runtime) -> list[str]:
        emitter = (await channel_of(runtime, first)).emitter
        changed = dataclasses.replace(first, digest="0" * 64)
        return [own_id("nfe", key_of(emitter, each)) for each in (first, second, changed, first)]

    a, b, c, again = store.run(ids)
    assert (len({a, b, c}), a) == (3, again)


def test_a_security_code_is_missed_before_anything_is_sent(store: Store):
    note = store.notes(store.planned(1, kind="nfce"))[0]
    store.set(PRODUCTS__CODES__99000051000180__CSC="env:NO_SUCH_VARIABLE")

    async def check(runtime: Runtime) -> None:
        channel = await channel_of(runtime, note)
        channel.issuer.check_ready(channel.emitter)

    with pytest.raises(SettingsError):
        store.run(check)
    assert store.writes() == []


def test_an_nf_e_needs_no_security_code(store: Store):
    note = store.notes(store.planned(1))[0]
    store.tamper("UPDATE emitters SET cnpj = '99000010000194'")

    async def check(runtime: Runtime) -> None:
        channel = await channel_of(runtime, note)
        channel.issuer.check_ready(channel.emitter)

    store.run(check)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, True),
        ({"serie": 1, "number": 1}, True),
        ({"serie": 1, "number": 2}, False),
        ({"serie": 2, "number": 1}, False),
        ({"number": 1}, False),
        ({"access_key": _key()}, True),
        ({"access_key": _key(number=2), "serie": 1, "number": 1}, False),
        ({"access_key": _key(serie=2)}, False),
        ({"access_key": _key(kind="nfce")}, False),
        ({"access_key": _key(shop=1)}, False),
        ({"access_key": _key(), "organization_id": 61}, True),
        ({"access_key": _key(), "organization_id": 62}, False),
        ({"organization_id": 62}, False),
    ],
)
def test_an_invoice_read_back_is_ours_by_key_or_number(store: Store, values: dict[str, Any], expected: bool):
    note = store.notes(store.planned(1))[0]
    nothing: dict[str, Any] = dict.fromkeys(field.name for field in dataclasses.fields(Invoice))
    there = Invoice(**(nothing | {"id": 1, "status": "succeeded", "errors": (), "answer": {}} | values))

    async def judge(runtime: Runtime) -> bool:
        channel = await channel_of(runtime, note)
        return is_ours(channel.issuer, channel.emitter, note, remote_invoice(there))

    assert store.run(judge) is expected


def posted(store: Store, note: InvoiceRecord) -> PostAnswer:
    async def post(runtime: Runtime) -> PostAnswer:
        return await (await channel_of(runtime, note)).post(note, not_after=float("inf"))

    return store.run(post)
