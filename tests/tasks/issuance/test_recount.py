"""Cancellations in the provider's page after a batch was closed: found, with a limited number of requests."""

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.ledger import incidents
from connectors.ledger.invoices import InvoiceRecord
from domain.states import InvoiceState
from tasks.issuance.recount import LOOKS_A_DAY, daily_sample
from tasks.stations.reconcile import recheck_batch
from tests.tasks.store import RIO_SHOP, Store
from tests.tasks.workshop import fault, remarks

ACCEPTED, CANCELLED = InvoiceState.ACCEPTED, InvoiceState.CANCELLED
NOT_LISTED = fault("nfe.list", "altered", fields={"nfe": []})


def cancelled(store: Store, batch: int, place: int = 1) -> int:
    """Cancel one invoice in the page. Return its id."""
    remote_id = store.notes(batch)[place].remote_id
    assert remote_id is not None
    store.act("cancel_product", invoice_id=remote_id)
    return remote_id


@pytest.mark.parametrize("rules", [(), (NOT_LISTED,)], ids=["named by the list", "found by its id"])
def test_a_cancellation_in_the_page_is_shown_to_a_person(each_store: Store, rules: tuple[Any, ...]):
    store = each_store
    batch = store.processed(3)
    cancelled(store, batch)
    store.sandbox.faults(*rules)
    result = store.run(recheck_batch, batch)
    assert (result.ending, dict(result.counts), remarks(result)) == ("done", {"cancelled": 1}, [])
    assert store.states(batch) == [ACCEPTED, CANCELLED, ACCEPTED]
    assert store.incidents() == ["state.not_commanded"]
    assert store.batch(batch).counters == {"accepted": 3, "rejected": 0, "cancelled": 1}
    assert store.run(recheck_batch, batch).counts == {"cancelled": 1}
    assert store.incidents() == ["state.not_commanded"]


def test_an_incident_that_a_person_closed_stays_closed(store: Store):
    batch = store.processed(3)
    cancelled(store, batch)
    store.run(recheck_batch, batch)
    store.decide(batch, "seen")
    assert store.incidents() == []
    store.run(recheck_batch, batch)
    assert store.incidents() == []


def test_without_cancellations_nothing_is_reported(store: Store):
    batch = store.processed(3)
    reads = store.asked("nfe.read")
    assert dict(store.run(recheck_batch, batch).counts) == {"cancelled": 0}
    assert (store.states(batch), store.incidents()) == ([ACCEPTED] * 3, [])
    assert (store.asked("nfe.list"), store.asked("nfe.read") - reads) == (3, 3)


@pytest.mark.parametrize("number", [None, 2], ids=["the next number", "one inside our range"])
def test_a_foreign_invoice_on_our_serie_is_reported_once(each_store: Store, number: int | None):
    store = each_store
    batch = store.processed(3)
    store.act("add_product", invoice_id=store.notes(batch)[0].remote_id, number=number)
    store.run(recheck_batch, batch)
    (incident,) = store.read(incidents.incidents_open)
    there = max(each["id"] for each in store.record()["product_invoices"])
    values = {"cnpj": RIO_SHOP, "serie": "1", "number": number or 4, "invoice": there}
    assert (incident.code, incident.params, incident.batch_id) == ("batch.foreign_invoice", values, batch)
    store.decide(batch, "seen")
    store.run(recheck_batch, batch)
    assert store.incidents() == []


@pytest.mark.both_databases
def test_an_unreadable_entry_hides_no_cancellation(each_store: Store):
    """The cancelled invoices of a large batch are found by the list: the entry of a stranger must not stop it."""
    store = each_store
    batch = store.processed(3)
    remote_id = cancelled(store, batch)
    entries = [{"id": 9999, "status": None}, {"id": remote_id, "status": "cancelled"}, None]
    store.sandbox.faults(fault("nfe.list", "altered", count=99, fields={"nfe": entries}))
    result = store.run(recheck_batch, batch)
    assert (result.ending, dict(result.counts)) == ("done", {"cancelled": 1})
    assert store.states(batch) == [ACCEPTED, CANCELLED, ACCEPTED]
    shown = {each.code: each.params for each in store.read(incidents.incidents_open, batch)}
    assert shown["batch.unreadable_list"] == {"cnpj": RIO_SHOP, "entries": "9999, ?"}
    assert shown.keys() == {"batch.unreadable_list", "state.not_commanded"}
    # Once for all batches of the emitter.
    store.decide(batch, "seen")
    store.run(recheck_batch, batch)
    assert store.incidents() == []


def test_an_unreadable_invoice_is_reported_at_the_recount(store: Store):
    batch = store.processed(3)
    cancelled(store, batch, 2)
    store.sandbox.faults(NOT_LISTED, fault("nfe.read", "altered", fields={"nfe": {"status": None}}))
    result = store.run(recheck_batch, batch)
    assert (result.ending, remarks(result)) == ("done", ["batch.unreadable_notes"])
    assert store.states(batch) == [ACCEPTED, ACCEPTED, CANCELLED]
    assert sorted(store.incidents()) == ["batch.unreadable_notes", "state.not_commanded"]
    store.run(recheck_batch, batch)
    assert store.incidents() == ["state.not_commanded"]


def test_an_invoice_on_a_foreign_serie_is_ignored(store: Store):
    batch = store.processed(2)
    store.act("add_product", invoice_id=store.notes(batch)[0].remote_id, serie=9)
    store.run(recheck_batch, batch)
    assert store.incidents() == []


def test_a_list_that_heeds_no_filter_misleads_nobody(store: Store):
    store.sandbox.switch(product_filter="ignore")
    batch = store.processed(3)
    cancelled(store, batch)
    store.run(recheck_batch, batch)
    assert (store.states(batch), store.incidents()) == ([ACCEPTED, CANCELLED, ACCEPTED], ["state.not_commanded"])


def test_without_extensions_a_recount_asks_nothing_today(store: Store):
    batch = store.processed(2)
    cancelled(store, batch)
    store.without_extensions()
    asked = len(store.record()["requests"])
    before = store.batch(batch).recounted_at
    assert before is not None
    assert dict(store.run(recheck_batch, batch).counts) == {}
    after = store.batch(batch).recounted_at
    assert after is not None
    assert (store.states(batch), after > before) == ([ACCEPTED] * 2, True)
    # a process compares each account once
    assert {each["path"] for each in store.record()["requests"][asked:]} <= {"/api/v1", "/api/v1/organizations"}


@given(count=st.integers(0, 500), first=st.integers(738_000, 740_000))
def test_each_invoice_has_its_turn_and_no_day_has_too_many(count: int, first: int):
    notes = cast(list[InvoiceRecord], list(range(count)))
    days = [daily_sample(notes, first + day) for day in range(max(1, -(-count // LOOKS_A_DAY)))]
    assert {note for day in days for note in day} == set(notes)
    assert all(len(set(map(id, day))) == len(day) <= LOOKS_A_DAY for day in days)
