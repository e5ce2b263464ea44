"""Following: the tax authority's answer for each invoice, and the cases for a person."""

import time
from typing import Any

import pytest

from connectors.ledger import incidents
from connectors.nfe.emulator.seed import default_shops
from connectors.nfe.emulator.tax_authority import access_key
from domain.problems import FaturistaError
from domain.states import Entity, InvoiceState
from tasks.issuance.decide import decide_batch, decide_note
from tasks.stations.reconcile import recheck_batch
from tasks.stations.release import release_batch
from tests.tasks.store import Store, sales
from tests.tasks.workshop import fault, remarks

ACCEPTED, PROCESSING, REJECTED = InvoiceState.ACCEPTED, InvoiceState.PROCESSING, InvoiceState.REJECTED


def test_an_accepted_invoice_has_its_access_key_and_number(each_store: Store):
    store = each_store
    batch = store.sent(3)
    result = store.look(batch)
    assert (result.ending, dict(result.counts)) == ("done", {"accepted": 3, "rejected": 0})
    assert store.batch(batch).state == "processed"
    held = {each["id"]: each for each in store.held()}
    for note in store.notes(batch):
        assert note.remote_id is not None
        assert (note.state, note.nfse_number) == (ACCEPTED, str(note.number))
        assert (note.nfse_key, len(note.nfse_key or "")) == (held[note.remote_id]["access_key"], 44)
    assert store.run(recheck_batch, batch).ending == "done"
    assert store.writes() == ["POST /api/v1/organizations/61/nfe"] * 3


def test_a_rejected_invoice_keeps_the_authoritys_words(each_store: Store):
    store = each_store
    store.sandbox.switch(product_rejection_share=0.5, product_rejection_seed=2)
    batch = store.processed(8)
    notes = store.notes(batch)
    rejected = [note for note in notes if note.state is REJECTED]
    assert 0 < len(rejected) < 8
    there = {each["id"]: each["errors"] for each in store.held()}
    for note in rejected:
        assert note.remote_id is not None
        assert [error["description"] for error in note.errors] == there[note.remote_id]
    assert {note.state for note in notes} == {ACCEPTED, REJECTED}
    assert store.incidents() == []


def test_looked_at_until_the_authority_has_spoken(store: Store):
    store.sandbox.switch(product_advance="looks", product_advance_looks=3)
    batch = store.sent(2)
    first = store.look(batch)
    assert (first.ending, dict(first.counts)) == ("waiting", {"accepted": 0, "rejected": 0})
    assert (store.batch(batch).state, store.states(batch)) == ("processing", [PROCESSING, PROCESSING])
    store.follow(batch)
    assert set(store.states(batch)) == {ACCEPTED}


@pytest.mark.parametrize(
    ("status", "becomes"),
    [
        ("denegated", REJECTED),
        ("corrected", ACCEPTED),
        ("cancel_rejected", ACCEPTED),
        ("cancelled", InvoiceState.CANCELLED),
    ],
)
def test_every_word_that_says_what_became_of_it(store: Store, status: str, becomes: InvoiceState):
    batch = store.sent(1)
    store.sandbox.faults(fault("nfe.read", "altered", fields={"nfe": {"status": status}}))
    store.look(batch)
    assert (store.states(batch), store.batch(batch).state) == ([becomes], "processed")


@pytest.mark.parametrize("status", ["error", "not_sent", "waiting for rain"])
def test_a_word_that_leaves_it_open_is_a_matter_for_a_person(each_store: Store, status: str):
    store = each_store
    batch = store.sent(2)
    store.sandbox.faults(fault("nfe.read", "altered", fields={"nfe": {"status": status}}, count=2))
    result = store.look(batch)
    assert (result.ending, store.incidents()) == ("waiting", ["batch.unknown_status"])
    assert store.states(batch) == [PROCESSING, PROCESSING]
    # In no case is the row free for another invoice.
    again, batches = store.sold(*sales(2))
    assert (batches, list(store.problems(again).values())) == ([], [["row.living"]] * 2)
    store.follow(batch)
    assert store.states(batch) == [ACCEPTED, ACCEPTED]


UNREADABLE: list[dict[str, Any]] = [
    {"status": None},
    {"status": 5},
    {"data": {"resposta_emissao": ["x"]}},
    {"data": {"dados_gerais": {"serie": "A1"}}},
    {"id": "abc"},
    {"id": 777_777},
]


@pytest.mark.parametrize("fields", UNREADABLE, ids=str)
def test_an_unreadable_invoice_keeps_no_other_waiting(each_store: Store, fields: dict[str, Any]):
    store = each_store
    batch = store.sent(4)
    store.sandbox.faults(fault("nfe.read", "altered", after=1, fields={"nfe": fields}))
    result = store.look(batch)
    assert (result.ending, remarks(result)) == ("waiting", ["batch.unreadable_notes"])
    assert store.states(batch) == [ACCEPTED, PROCESSING, ACCEPTED, ACCEPTED]
    (incident,) = store.read(incidents.incidents_open, batch)
    assert (incident.code, incident.params) == ("batch.unreadable_notes", {"count": 1, "numbers": "1-2"})
    # In no case is the row free for another invoice.
    again, batches = store.sold(*sales(4))
    assert (batches, list(store.problems(again).values())) == ([], [["row.living"]] * 4)
    store.sandbox.faults(fault("nfe.read", "altered", fields={"nfe": fields}))
    store.look(batch)
    assert len(store.read(incidents.incidents_of, batch)) == 1
    assert store.look(batch).ending == "done"
    assert (store.states(batch), store.incidents()) == ([ACCEPTED] * 4, [])
    assert store.posts() == 4


@pytest.mark.parametrize(
    ("kind", "code"), [("status_422", "batch.unreadable_notes"), ("status_500", "provider.broken")]
)
def test_an_invoice_without_an_answer_keeps_no_other_waiting(store: Store, kind: str, code: str):
    batch = store.sent(3)
    store.sandbox.faults(fault("nfe.read", kind))
    result = store.look(batch)
    assert (result.ending, remarks(result)) == ("waiting", [code])
    assert store.states(batch) == [PROCESSING, ACCEPTED, ACCEPTED]
    assert store.look(batch).ending == "done"
    assert (store.states(batch), store.incidents()) == ([ACCEPTED] * 3, [])


def test_a_provider_without_any_answer_is_soon_left_alone(store: Store):
    """One silent invoice hides no other, but a provider that is down gets no request for each invoice."""
    store.set(PRODUCTS__PACE__FAILURES_BEFORE_REST="3")
    batch = store.sent(9)
    before = store.asked("nfe.read")
    store.sandbox.faults(fault("nfe.read", "status_500", count=99))
    result = store.look(batch)
    assert (result.ending, remarks(result)) == ("waiting", ["provider.resting"])
    assert store.asked("nfe.read") - before == 3


def test_another_number_in_the_access_key_is_an_incident(each_store: Store):
    store = each_store
    batch = store.sent(1)
    posted_at = 1_795_000_000.0
    strange = access_key(default_shops()[0], "nfe", 1, 41, posted_at)
    values = {"access_key": strange, "data": {"resposta_emissao": {"chave_acesso": strange}}}
    store.sandbox.faults(fault("nfe.read", "altered", fields={"nfe": values}))
    assert store.look(batch).ending == "waiting"
    assert (store.incidents(), store.states(batch)) == (["batch.note_differs"], [PROCESSING])


def test_an_invoice_that_is_not_there_any_more_is_an_incident(store: Store):
    batch = store.sent(1)
    store.keep_shops(tax_regime=1)
    assert store.look(batch).ending == "waiting"
    assert (store.incidents(), store.states(batch)) == (["batch.note_vanished"], [PROCESSING])
    store.look(batch)
    assert store.incidents() == ["batch.note_vanished"]


def test_a_cancellation_in_the_web_page_is_shown(store: Store):
    batch = store.sent(2)
    store.act("cancel_product", invoice_id=store.held()[0]["id"])
    store.look(batch)
    assert store.states(batch) == [InvoiceState.CANCELLED, ACCEPTED]
    assert store.batch(batch).state == "processed"
    assert len(store.incidents()) == 1


def test_without_extensions_it_says_so_and_waits(each_store: Store):
    store = each_store
    store.without_extensions()
    batch = store.sent(2)
    for _ in range(2):
        result = store.look(batch)
        assert (result.ending, remarks(result)) == ("waiting", ["provider.no_extensions"])
    assert (store.batch(batch).state, store.states(batch)) == ("scheduled", [PROCESSING, PROCESSING])
    assert (store.asked("nfe.read", "nfe.list"), store.incidents()) == (0, [])


def test_without_extensions_a_person_says_what_became_of_each(each_store: Store):
    store = each_store
    store.without_extensions()
    batch = store.sent(3)
    first, *others = [note.id for note in store.notes(batch)]
    seen = "seen in the page"
    with store.context() as context:
        with pytest.raises(FaturistaError) as caught:
            decide_note(context, first, "retired", person="Ana", because=seen)
        assert caught.value.problem.code == "batch.note_was_taken"
        decide_note(context, first, "rejected", person="Ana", because=seen)
    assert store.look(batch).ending == "waiting"
    with store.context() as context:
        decide_batch(context, batch, "accepted", person="Ana", because=seen)
    assert store.look(batch).ending == "done"
    assert (store.batch(batch).state, store.states(batch)) == ("processed", [REJECTED, ACCEPTED, ACCEPTED])
    assert "Ana: seen in the page" in store.reasons(Entity.INVOICE, others[0])
    assert store.asked("nfe.read", "nfe.list") == 0


def test_an_invoice_that_can_be_read_is_not_decided(store: Store):
    batch = store.sent(1)
    (note,) = store.notes(batch)
    with store.context() as context:
        with pytest.raises(FaturistaError) as caught:
            decide_batch(context, batch, "accepted", person="Ana", because="x")
        assert caught.value.problem.code == "batch.can_be_read"
        with pytest.raises(FaturistaError) as caught:
            decide_note(context, note.id, "accepted", person="Ana", because="x")
        assert caught.value.problem.code == "batch.note_not_unresolved"
    assert store.states(batch) == [PROCESSING]


def test_a_provider_that_stumbles_is_asked_again_later(store: Store):
    batch = store.sent(3)
    store.sandbox.faults(fault("nfe.read", "status_500", after=1))
    assert store.look(batch).ending == "waiting"
    store.follow(batch)
    assert set(store.states(batch)) == {ACCEPTED}


def arrived_twice(store: Store) -> int:
    """Return a batch whose second invoice was found absent and posted again; then the first post arrived after all.

    The tax authority decides about the late arrival first.
    """
    batch = store.approved(2)
    store.sandbox.faults(
        fault("nfe.create", "held", after=1),
        fault("nfe.create", "release", after=2),
        fault("city", "city_slow", after=1, seconds=0.3),
    )
    store.run(release_batch, batch)
    store.run_quiet(release_batch, batch)
    for _ in range(500):
        if [each["number"] for each in store.held()] == [1, 2, 2]:
            return batch
        time.sleep(0.02)
    raise AssertionError(store.held())


@pytest.mark.both_databases
def test_a_rejected_arrival_leads_to_the_one_that_lives(each_store: Store):
    store = each_store
    batch = arrived_twice(store)
    store.follow(batch)
    there = {each["status"]: each for each in store.held() if each["number"] == 2}
    assert there.keys() == {"succeeded", "rejected"}
    assert store.states(batch) == [ACCEPTED, ACCEPTED]
    note = store.notes(batch)[1]
    assert (note.remote_id, note.nfse_key) == (there["succeeded"]["id"], there["succeeded"]["access_key"])
    assert store.incidents() == []
    # The other arrival has our own id and harmed nobody: it is not foreign.
    store.run(recheck_batch, batch)
    assert store.incidents() == []


def test_an_existing_number_that_no_list_shows_needs_a_person(each_store: Store):
    store = each_store
    batch = arrived_twice(store)
    store.sandbox.faults(fault("nfe.list", "altered", fields={"nfe": []}, count=99))
    for _ in range(40):
        if not store.incidents():
            store.look(batch)
    assert (store.states(batch), store.incidents()) == ([ACCEPTED, PROCESSING], ["batch.number_exists"])
    store.decide_note(store.notes(batch)[1].id, "accepted")
    assert store.states(batch) == [ACCEPTED, ACCEPTED]


def test_a_living_second_arrival_is_reported_as_ours(each_store: Store):
    store = each_store
    store.sandbox.switch(product_duplicate="accept")
    batch = arrived_twice(store)
    store.follow(batch)
    store.run(recheck_batch, batch)
    assert store.incidents() == ["batch.arrived_twice"]
