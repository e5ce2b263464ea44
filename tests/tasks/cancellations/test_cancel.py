"""Cancelling issued invoices: only on a person's request, each once; a look settles every lost answer."""

from typing import Any

import pytest

from connectors.ledger import attempts, cancellations, incidents, leases
from domain.states import BatchState, Entity, InvoiceState
from tasks.cancellations.cancel import MOST_REQUESTS, cancel_batch
from tasks.cancellations.views import recent, say_outcome
from tasks.issuance.decide import decide_batch
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tasks.views.due_work import due_batches
from tests.ageing import age
from tests.tasks.cancellations.requested import REASON, outcomes, request_cancellation
from tests.tasks.store import Store
from tests.tasks.workshop import QUIET_S, Workshop, fault, remarks

ACCEPTED, CANCELLING, CANCELLED = InvoiceState.ACCEPTED, InvoiceState.CANCELLING, InvoiceState.CANCELLED


def there(shop: Workshop, batch: int) -> list[str]:
    """Return the status of the batch's notes at the provider, by number."""
    return [note["status"] for note in shop.there()]


def asked(shop: Workshop) -> int:
    return shop.asked("notes.cancel", "nfe.cancel", "nfce.cancel")


def sold(store: Store, count: int, *, kind: Any) -> int:
    """Return a batch of issued product invoices of a kind."""
    batch = store.planned(count, kind=kind)
    store.run(stage_batch, batch)
    store.approve()
    store.run(release_batch, batch)
    store.follow(batch)
    return batch


def test_a_dead_workers_batch_is_due_after_its_quiet_time(each_shop: Workshop):
    shop = each_shop
    batch = shop.processed(1)
    request_cancellation(shop, batch)
    assert shop.write(leases.claim, batch, owner="dead", seconds=60, states={BatchState.PROCESSED})
    shop.write(age, 61)
    with shop.context() as context:
        assert due_batches(context, "cancel") == [batch]
        assert remarks(shop.run(cancel_batch, batch)) == ["batch.quiet"]
        assert due_batches(context, "cancel") == []
        shop.write(age, QUIET_S + 60)
        assert due_batches(context, "cancel") == [batch]
    for _ in range(2):
        shop.run(cancel_batch, batch)
    assert (shop.states(batch), asked(shop)) == ([CANCELLED], 1)


def test_a_gateway_that_asks_for_years_delays_an_hour(each_shop: Workshop):
    shop = each_shop
    batch = shop.processed(1)
    request_cancellation(shop, batch)
    shop.sandbox.faults(fault("notes.read", "status_503", seconds=10**9))
    assert remarks(shop.run(cancel_batch, batch)) == ["provider.busy"]
    shop.write(age, 3_700)
    with shop.context() as context:
        assert due_batches(context, "cancel") == [batch]
    shop.follow(batch)


@pytest.mark.parametrize("outcome", ["refused", "not_sent"])
def test_a_worker_that_dies_behind_an_answer_leaves_no_invoice_behind(each_shop: Workshop, outcome: Any):
    shop = each_shop
    batch = shop.processed(1)
    request_cancellation(shop, batch)
    (note,) = shop.notes(batch)
    lease = shop.write(leases.claim, batch, owner="dead", seconds=60, states={BatchState.PROCESSED})
    attempt = shop.write(cancellations.begin, lease, note.id, because="Ana")
    shop.write(attempts.end, attempt, outcome)
    shop.write(age, 120 + QUIET_S)
    for _ in range(2):
        shop.run(cancel_batch, batch)
    assert (shop.states(batch), outcomes(shop, batch), asked(shop)) == ([CANCELLED], ["cancelled"], 1)


def test_the_city_cancels_only_what_a_person_asked_for(each_shop: Workshop):
    shop = each_shop
    batch = shop.processed(3)
    assert shop.run(cancel_batch, batch).ending == "done"
    assert asked(shop) == 0
    request_cancellation(shop, batch, [1])
    shop.sandbox.switch(advance="looks", advance_looks=2)
    first = shop.run(cancel_batch, batch)
    assert (first.ending, dict(first.counts)) == ("waiting", {"open": 1})
    assert shop.states(batch) == [ACCEPTED, CANCELLING, ACCEPTED]
    while shop.run(cancel_batch, batch).ending == "waiting":
        pass
    assert (shop.states(batch), outcomes(shop, batch)) == ([ACCEPTED, CANCELLED, ACCEPTED], ["cancelled"])
    assert (asked(shop), shop.incidents()) == (1, [])
    cancelled = shop.notes(batch)[1]
    assert f"Ana: {REASON}" in shop.reasons(Entity.INVOICE, cancelled.id)
    assert [each.outcome for each in shop.attempts(batch, "cancel")] == ["done"]
    assert shop.run(cancel_batch, batch).ending == "done"
    assert asked(shop) == 1


@pytest.mark.parametrize("kind", ["altered", "status_500", "status_422"])
def test_an_unreadable_invoice_keeps_no_cancellation_waiting(each_shop: Workshop, kind: str):
    shop = each_shop
    batch = shop.processed(3)
    request_cancellation(shop, batch, [0, 1, 2])
    shop.sandbox.faults(fault("notes.read", kind, after=1, fields={"status": None}))
    result = shop.run(cancel_batch, batch)
    assert (result.ending, len(remarks(result))) == ("waiting", 1)
    assert (shop.states(batch), asked(shop)) == ([CANCELLING, ACCEPTED, CANCELLING], 2)
    while shop.run(cancel_batch, batch).ending == "waiting":
        pass
    assert (shop.states(batch), asked(shop)) == ([CANCELLED] * 3, 3)


def test_a_refused_cancellation_leaves_the_invoice_issued(shop: Workshop):
    batch = shop.processed(2)
    shop.sandbox.switch(cancellation="refuse")
    request_cancellation(shop, batch)
    for _ in range(3):
        shop.run(cancel_batch, batch)
    assert (shop.states(batch), outcomes(shop, batch)) == ([ACCEPTED, ACCEPTED], ["refused"])
    (incident,) = shop.read(incidents.incidents_open)
    assert incident.code == "cancel.refused"
    assert "E79" in str(incident.params["message"])
    with shop.context() as context:
        decide_batch(context, batch, "seen", person="Ana", because="read it")
    assert shop.incidents() == []


def test_a_refusal_at_once_leaves_the_invoice_as_it_was(shop: Workshop):
    batch = shop.processed(1)
    request_cancellation(shop, batch)
    shop.sandbox.faults(fault("notes.cancel", "status_422"))
    shop.run(cancel_batch, batch)
    assert (shop.states(batch), outcomes(shop, batch)) == ([ACCEPTED], ["refused"])
    assert (shop.incidents(), there(shop, batch)) == (["cancel.refused"], ["accepted"])


@pytest.mark.parametrize("kind", ["lose_answer", "truncated", "malformed"])
def test_an_answer_that_was_lost_is_found_by_looking(shop: Workshop, kind: str):
    batch = shop.processed(1)
    request_cancellation(shop, batch)
    shop.sandbox.faults(fault("notes.cancel", kind))
    first = shop.run(cancel_batch, batch)
    assert (first.ending, remarks(first)) == ("waiting", ["provider.doubtful"])
    assert shop.states(batch) == [CANCELLING]
    shop.run(cancel_batch, batch)
    assert (shop.states(batch), outcomes(shop, batch), asked(shop)) == ([CANCELLED], ["cancelled"], 1)
    assert shop.incidents() == []


def test_a_lost_request_is_repeated_only_after_quiet_time(each_shop: Workshop):
    shop = each_shop
    batch = shop.processed(1)
    request_cancellation(shop, batch)
    shop.sandbox.faults(fault("notes.cancel", "reset_after"))
    shop.run(cancel_batch, batch)
    assert shop.run(cancel_batch, batch).ending == "waiting"
    assert (shop.states(batch), asked(shop)) == ([CANCELLING], 1)
    shop.run_quiet(cancel_batch, batch)
    shop.run(cancel_batch, batch)
    assert (shop.states(batch), outcomes(shop, batch), asked(shop)) == ([CANCELLED], ["cancelled"], 2)


def test_after_some_requests_without_an_answer_a_person_decides(shop: Workshop):
    batch = shop.processed(1)
    request_cancellation(shop, batch)
    shop.sandbox.faults(fault("notes.cancel", "reset_after", count=MOST_REQUESTS))
    shop.run(cancel_batch, batch)
    for _ in range(MOST_REQUESTS):
        shop.run_quiet(cancel_batch, batch)
    assert (shop.states(batch), outcomes(shop, batch)) == ([ACCEPTED], ["unanswered"])
    assert (asked(shop), shop.incidents()) == (MOST_REQUESTS, ["cancel.unanswered"])


@pytest.mark.both_databases
def test_a_dead_worker_leaves_a_doubt_that_is_looked_up(each_shop: Workshop):
    """The fault kills the worker after its request arrived: the invoice is cancelled once and asked for once."""
    shop = each_shop
    batch = shop.processed(1)
    request_cancellation(shop, batch)

    class DiedError(Exception):
        """The process ends here."""

    async def die(runtime: Any, batch_id: int) -> None:
        issuer = runtime.issuer("nfse")
        cancel = issuer.cancel

        async def once(*args: Any, **kwargs: Any) -> None:
            await cancel(*args, **kwargs)
            raise DiedError

        issuer.cancel = once
        await cancel_batch(runtime, batch_id)

    with pytest.raises(DiedError):
        shop.run(die, batch)
    assert shop.states(batch) == [CANCELLING]
    assert [each.outcome for each in shop.attempts(batch, "cancel")] == [None]
    shop.write(age, 20 * QUIET_S)
    while shop.run(cancel_batch, batch).ending == "waiting":
        shop.write(age, QUIET_S)
    assert (shop.states(batch), outcomes(shop, batch), asked(shop)) == ([CANCELLED], ["cancelled"], 1)


def test_a_refused_request_leaves_the_invoice_unchanged(shop: Workshop):
    batch = shop.processed(1)
    request_cancellation(shop, batch)
    shop.sandbox.faults(fault("notes.cancel", "status_429", seconds=0))
    assert remarks(shop.run(cancel_batch, batch)) == ["provider.busy"]
    assert (shop.states(batch), there(shop, batch)) == ([ACCEPTED], ["accepted"])
    while shop.run(cancel_batch, batch).ending == "waiting":
        pass
    assert outcomes(shop, batch) == ["cancelled"]
    assert [each.outcome for each in shop.attempts(batch, "cancel")] == ["not_sent", "done"]


def test_a_cancellation_in_the_page_is_not_requested_again(shop: Workshop):
    batch = shop.processed(2)
    request_cancellation(shop, batch)
    shop.sandbox.switch(advance="at_once")
    shop.sandbox.call("POST", f"/api/v1/nfse/{shop.notes(batch)[0].remote_id}/cancel")
    before = asked(shop)
    for _ in range(2):
        shop.run(cancel_batch, batch)
    assert (shop.states(batch)[0], outcomes(shop, batch), asked(shop)) == (CANCELLED, ["cancelled"], before)
    assert shop.incidents() == ["state.not_commanded"]


def test_an_invoice_with_another_number_is_never_cancelled(shop: Workshop):
    batch = shop.processed(1)
    request_cancellation(shop, batch)
    shop.sandbox.faults(fault("notes.read", "altered", fields={"number": 77}))
    assert shop.run(cancel_batch, batch).ending == "waiting"
    assert (asked(shop), shop.incidents()) == (0, ["batch.note_differs"])


@pytest.mark.parametrize("kind", ["nfe", "nfce"])
def test_a_product_invoice_is_cancelled_at_once_with_its_reason(store: Store, kind: Any):
    batch = sold(store, 2, kind=kind)
    request_cancellation(store, batch)
    assert store.run(cancel_batch, batch).ending == "done"
    assert (store.states(batch), outcomes(store, batch)) == ([CANCELLED, ACCEPTED], ["cancelled"])
    assert [each["status"] for each in store.held()] == ["cancelled", "succeeded"]
    assert store.incidents() == []


def test_a_product_invoice_past_its_window_stays_issued(store: Store):
    batch = store.processed(1)
    request_cancellation(store, batch)
    store.sandbox.control("clock", {"ahead_s": 90_000})
    store.run(cancel_batch, batch)
    assert (store.states(batch), outcomes(store, batch)) == ([ACCEPTED], ["refused"])
    assert store.incidents() == ["cancel.refused_silently"]
    with store.context() as context:
        (view,) = recent(context)
        assert say_outcome(context.catalogue, view) == "refused: the issuer gave no reason"


def test_a_lost_answer_about_a_product_invoice_is_looked_up(store: Store):
    batch = store.processed(1)
    request_cancellation(store, batch)
    store.sandbox.faults(fault("nfe.cancel", "lose_answer"))
    assert store.run(cancel_batch, batch).ending == "waiting"
    assert store.run(cancel_batch, batch).ending == "done"
    assert (store.states(batch), outcomes(store, batch), asked(store)) == ([CANCELLED], ["cancelled"], 1)


@pytest.mark.parametrize(("late_s", "outcome", "state"), [(0, "cancelled", CANCELLED), (90_000, "refused", ACCEPTED)])
def test_a_product_cancellation_is_decided_later(store: Store, late_s: float, outcome: str, state: InvoiceState):
    """While the tax authority decides, nobody asks again, and nobody says that it was refused."""
    batch = sold(store, 1, kind="nfe")
    store.sandbox.switch(product_events="later", product_advance="looks", product_advance_looks=9)
    if late_s:
        store.sandbox.control("clock", {"ahead_s": late_s})
    request_cancellation(store, batch)
    for _ in range(3):
        store.run(cancel_batch, batch)
        store.write(age, QUIET_S + 60)
    assert (store.states(batch), outcomes(store, batch), asked(store)) == ([CANCELLING], [None], 1)
    store.follow(batch)
    assert store.states(batch) == [CANCELLING]
    store.sandbox.switch(product_advance_looks=1)
    for _ in range(2):
        store.run(cancel_batch, batch)
        store.write(age, QUIET_S + 60)
    assert (store.states(batch), outcomes(store, batch), asked(store)) == ([state], [outcome], 1)
