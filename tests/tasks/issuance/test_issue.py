"""Issuing: each approved invoice once, despite lost answers, dead workers and missing settings."""

import asyncio
import json
from pathlib import Path

import pytest

from connectors.http.errors import Denied
from connectors.ledger import incidents
from domain.states import BatchState, InvoiceState
from tasks.runtime import Runtime
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tests.ageing import age
from tests.tasks.rows import company
from tests.tasks.store import Store, sale, sales
from tests.tasks.workshop import QUIET_S, fault, remarks

IN_DOUBT, PROCESSING, REFUSED, RESERVED, UNRESOLVED = (
    InvoiceState.IN_DOUBT,
    InvoiceState.PROCESSING,
    InvoiceState.REFUSED,
    InvoiceState.RESERVED,
    InvoiceState.UNRESOLVED,
)


def test_each_approved_invoice_is_posted_once(each_store: Store):
    store = each_store
    batch = store.approved(6)
    result = store.run(release_batch, batch)
    assert (result.ending, dict(result.counts)) == ("done", {"sent": 6})
    assert (store.batch(batch).state, set(store.states(batch))) == ("scheduled", {PROCESSING})
    held = {each["number"]: each for each in store.held()}
    notes = store.notes(batch)
    assert {note.number: note.remote_id for note in notes} == {number: each["id"] for number, each in held.items()}
    for note in notes:
        paid = held[note.number]["body"]["forma_de_pagamento"][0]["valor_do_pagamento"]
        assert round(float(paid) * 100) == note.service_cents
    assert store.run(release_batch, batch).ending == "busy"
    assert (store.posts(), store.record()["violations"]) == (6, [])


@pytest.mark.both_databases
def test_two_workers_at_once_post_nothing_twice(each_store: Store):
    store = each_store
    batch = store.approved(6)

    async def both(runtime: Runtime) -> list[str]:
        results = await asyncio.gather(*(release_batch(runtime, batch) for _ in range(3)))
        return sorted(result.ending.value for result in results)

    assert store.run(both) == ["busy", "busy", "done"]
    assert (store.posts(), store.numbers_held()) == (6, [1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize("kind", ["lose_answer", "truncated", "truncated_head", "malformed", "late_status"])
def test_an_answer_that_is_lost_is_found_by_our_own_id(store: Store, kind: str):
    # the provider closes connections here: a look that meets one is taken again
    store.set(REQUESTS__READ_TRIES=4)
    rule = {"kind": "status_503", "when": "after"} if kind == "late_status" else {"kind": kind}
    batch = store.approved(9)
    store.sandbox.faults({"operation": "nfe.create", "share": 0.34, "seed": 3, **rule})
    result = store.run(release_batch, batch)
    assert (result.ending, dict(result.counts)) == ("done", {"sent": 9})
    assert (store.numbers_held(), store.posts()) == (list(range(1, 10)), 9)
    assert {attempt.outcome for attempt in store.attempts(batch, "post")} == {"done", "in_doubt"}
    store.follow(batch)
    held = sorted(store.held(), key=lambda each: each["number"])
    # A found invoice is followed like any other: it has its access key.
    assert [(note.remote_id, note.nfse_key) for note in store.notes(batch)] == [
        (each["id"], each["access_key"]) for each in held
    ]


def test_a_lost_request_is_posted_again_only_after_quiet_time(each_store: Store):
    store = each_store
    batch = store.approved(4)
    store.sandbox.faults(fault("nfe.create", "reset_before", after=2))
    first = store.run(release_batch, batch)
    assert (first.ending, remarks(first)) == ("waiting", ["batch.doubts"])
    assert store.states(batch).count(IN_DOUBT) == 1
    assert store.run(release_batch, batch).ending == "waiting"
    assert store.posts() == 4
    assert store.run_quiet(release_batch, batch).ending == "done"
    assert (store.posts(), store.numbers_held()) == (5, [1, 2, 3, 4])
    assert store.record()["violations"] == []


def test_an_issuing_post_is_in_doubt_longer_than_any_delivery(each_store: Store):
    store = each_store
    store.set(PROTOCOL__ISSUING_QUIET_S=1800)
    batch = store.approved(3)
    store.sandbox.faults(fault("nfe.create", "reset_before", after=1))
    assert store.run(release_batch, batch).ending == "waiting"
    assert store.run_quiet(release_batch, batch).ending == "waiting"
    assert (store.states(batch).count(IN_DOUBT), store.posts()) == (1, 3)
    store.write(age, 1800.0)
    assert store.run(release_batch, batch).ending == "done"
    assert (store.posts(), store.numbers_held()) == (4, [1, 2, 3])


def test_a_list_that_ignores_our_id_proves_nothing(store: Store):
    batch = store.approved(3)
    store.sandbox.faults(fault("nfe.create", "lose_answer", after=2))
    store.sandbox.switch(product_filter="ignore")
    result = store.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["provider.unreadable"])
    assert (store.posts(), store.states(batch).count(IN_DOUBT)) == (3, 1)


def test_without_extensions_a_lost_answer_waits_for_a_person(each_store: Store):
    store = each_store
    store.without_extensions()
    batch = store.approved(5)
    store.sandbox.faults(fault("nfe.create", "lose_answer", after=2), fault("nfe.create", "reset_before", after=4))
    result = store.run(release_batch, batch)
    assert (result.ending, dict(result.counts)) == ("done", {"sent": 3})
    assert (store.states(batch).count(UNRESOLVED), store.states(batch).count(PROCESSING)) == (2, 3)
    assert store.incidents() == ["batch.unresolved"] * 2
    for station in (store.run_quiet, store.run):
        station(release_batch, batch)
        store.look(batch)
    assert (store.posts(), store.asked("nfe.list", "nfe.read")) == (5, 0)
    lost, _ = [note for note in store.notes(batch) if note.state is UNRESOLVED]
    store.decide_note(lost.id, "retired")
    assert store.incidents() == ["batch.unresolved"]


def test_a_lost_first_answer_does_not_stop_the_other_invoices(store: Store):
    store.without_extensions()
    batch = store.approved(3)
    store.sandbox.faults(fault("nfe.create", "lose_answer"))
    assert dict(store.run(release_batch, batch).counts) == {"sent": 2}
    assert (store.states(batch), store.posts()) == ([UNRESOLVED, PROCESSING, PROCESSING], 3)


def test_doubted_twice_it_is_a_matter_for_a_person(store: Store):
    batch = store.approved(2)
    store.sandbox.faults(fault("nfe.create", "reset_before", after=1, count=2))
    assert store.run(release_batch, batch).ending == "waiting"
    assert store.run_quiet(release_batch, batch).ending == "waiting"
    store.write(age, 2 * QUIET_S)
    assert store.run(release_batch, batch).ending == "done"
    assert (store.states(batch), store.incidents()) == ([PROCESSING, UNRESOLVED], ["batch.unresolved"])
    assert store.posts() == 3


def test_a_refused_content_is_reported_and_stops_nobody(store: Store):
    _, (batch,) = store.sold(*sales(3))
    first, *_ = store.notes(batch)
    store.run(stage_batch, batch)
    store.approve()
    store.alter(first, description="Caneca de café")
    result = store.run(release_batch, batch)
    assert (result.ending, dict(result.counts)) == ("done", {"sent": 2})
    assert store.states(batch) == [REFUSED, PROCESSING, PROCESSING]
    (error,) = [p for p in store.notes(batch)[0].errors if p["params"].get("name") == "produtos.1.descricao"]
    assert error["code"] == "record_field.plain_text"
    assert (store.numbers_held(), store.posts(), store.incidents()) == ([2, 3], 2, [])
    assert (store.batch(batch).count, store.batch(batch).total_cents) == (2, 2 * (1002 + 1003))


def test_a_batch_of_refused_invoices_comes_to_its_end(store: Store):
    batch = store.approved(9)
    store.sandbox.faults(fault("nfe.create", "status_422", count=9))
    assert store.run(release_batch, batch).ending == "done"
    assert (set(store.states(batch)), store.posts()) == ({REFUSED}, 9)
    found = [note.errors[0] for note in store.notes(batch)]
    assert {each["code"] for each in found} == {"provider.refused_field"}
    assert all(each["params"]["message"] for each in found)
    store.look(batch)
    assert store.batch(batch).state == "processed"


@pytest.mark.parametrize("shape", ["list", "object", "text", "texts"])
def test_a_refusal_about_the_serie_stops_everything(store: Store, shape: str):
    store.sandbox.switch(product_errors=shape)
    batch = store.approved(4)
    store.tamper("UPDATE invoices SET serie = '1000'")
    result = store.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.post_disturbed"])
    assert (store.batch(batch).state, store.posts(), store.held()) == ("disturbed", 1, [])
    assert store.states(batch).count(RESERVED) == 3


def test_a_certificate_that_is_gone_stops_everything(store: Store):
    batch = store.approved(3)
    store.keep_shops(certificate=None)
    result = store.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.post_disturbed"])
    assert (store.posts(), set(store.states(batch)[1:])) == (1, {RESERVED})


@pytest.mark.parametrize("serie_and_number", [{"nfe_numero": 41}, {"serie": 3}])
def test_a_self_numbering_provider_costs_at_most_one_invoice(store: Store, serie_and_number):
    batch = store.approved(8)
    store.numbered_otherwise(**serie_and_number)
    result = store.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.note_differs"])
    assert (store.batch(batch).state, store.posts(), store.states(batch)[1:]) == ("disturbed", 1, [RESERVED] * 7)
    # Nothing continues automatically.
    assert store.run(release_batch, batch).ending == "busy"
    assert store.posts() == 1


def test_the_first_is_read_back_even_after_a_failure(store: Store):
    batch = store.approved(5)
    store.numbered_otherwise(fault("nfe.read", "status_500"), nfe_numero=41)
    assert store.run(release_batch, batch).ending == "waiting"
    assert store.posts() == 1
    assert store.run(release_batch, batch).ending == "disturbed"
    assert store.posts() == 1


def test_a_half_issued_batch_goes_on_as_a_person_says(each_store: Store):
    store = each_store
    batch = store.approved(4)
    store.numbered_otherwise(nfe_numero=41)
    store.run(release_batch, batch)
    store.decide(batch, "open")
    result = store.run(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.unsettled"])
    store.decide(batch, "sent")
    store.follow(batch)
    (fresh,) = [each for each in store.batches() if each.state is BatchState.PLANNED]
    store.run(stage_batch, fresh.id)
    assert store.posts() == 1
    store.approve()
    store.run(release_batch, fresh.id)
    assert store.posts() == 4
    assert len({each["body"]["informacoes_adicionais"]["informacoes_contribuinte"] for each in store.held()}) == 4


@pytest.mark.parametrize("arrived", [0, 1, 4])
def test_the_worker_after_a_killed_one_looks_first(store: Store, arrived: int):
    batch = store.approved(4)
    with store.dying(batch) as notes:
        ids = [store.reach(note) for note in notes[:arrived]]
    first = store.run(release_batch, batch)
    assert (first.ending, remarks(first)) == ("waiting", ["batch.quiet"])
    assert (set(store.states(batch)), store.posts()) == ({IN_DOUBT}, arrived)
    store.long_ago()
    assert store.run(release_batch, batch).ending == "done"
    assert (store.posts(), store.numbers_held()) == (4, [1, 2, 3, 4])
    assert [note.remote_id for note in store.notes(batch)][:arrived] == ids
    assert store.record()["violations"] == []


def test_without_extensions_a_killed_post_is_never_repeated(store: Store):
    store.without_extensions()
    batch = store.approved(3)
    with store.dying(batch) as notes:
        store.reach(notes[1])
    store.run(release_batch, batch)
    store.long_ago()
    assert store.run(release_batch, batch).ending == "done"
    assert (set(store.states(batch)), store.posts()) == ({UNRESOLVED}, 1)


def test_a_missing_security_code_stops_posting_and_is_named(store: Store):
    batch = store.planned(2, kind="nfce")
    store.run(stage_batch, batch)
    store.approve()
    other = company(9).number
    store.tamper(f"UPDATE emitters SET cnpj = '{other}'")
    result = store.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("waiting", ["settings.no_csc"])
    with store.context() as context:
        assert other in context.catalogue.say(result.remarks[0])
    record = store.batch(batch)
    assert (record.state, record.lease_owner, store.posts()) == ("approved", None, 0)


def test_the_security_code_goes_to_the_provider_only(store: Store):
    batch = store.planned(2, kind="nfce")
    store.run(stage_batch, batch)
    store.approve()
    assert store.run(release_batch, batch).ending == "done"
    assert store.asked("nfce.create") == 2
    kept = Path(store.ledger_url.removeprefix("sqlite:///")).read_bytes()
    assert b"csc-de-ensaio" not in kept
    assert "csc-de-ensaio" not in json.dumps(store.held())


def test_a_closed_door_stops_everything_and_loses_nothing(store: Store):
    batch = store.approved(3)
    store.set(PRODUCTS__TOKEN="plain:another")
    with pytest.raises(Denied):
        store.run(release_batch, batch)
    assert (store.held(), store.read(incidents.incidents_open)) == ([], [])
    assert store.batch(batch).lease_owner is None
    store.set(PRODUCTS__TOKEN="plain:sandbox-product-token")
    assert store.run_quiet(release_batch, batch).ending == "done"
    assert store.numbers_held() == [1, 2, 3]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("kind", ["status_429", "status_503"])
def test_busy_is_a_doubt_and_issues_nothing_twice(each_store: Store, kind: str, when: str):
    store = each_store
    batch = store.approved(3)
    store.sandbox.faults(fault("nfe.create", kind, when=when, count=1, after=1))
    assert store.run(release_batch, batch).ending in {"done", "waiting"}
    assert store.posts() == 3
    store.run_quiet(release_batch, batch)
    assert (store.numbers_held(), store.batch(batch).state) == ([1, 2, 3], "scheduled")
    assert store.posts() == (3 if when == "after" else 4)
    assert store.record()["violations"] == []


def test_an_order_of_another_serie_keeps_its_number(store: Store):
    store.set(PRODUCTS__NFE_SERIE=9)
    store.sent(1)
    assert [(each["serie"], each["number"]) for each in store.held()] == [(9, 1)]
    assert store.sold(sale(8))[1]
