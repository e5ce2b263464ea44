"""Hints against the ledger: they move the next look of a batch under way, within limits, and nothing else."""

import asyncio
from collections import Counter
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from connectors.ledger import hints, tables
from connectors.ledger.database.sql import now as ledger_now
from tasks.stations.reconcile import reconcile_batch
from tasks.webhooks.address import receiver_address
from tasks.webhooks.hint_queue import HintQueue
from tasks.webhooks.storing import due_hinted, store_hints
from tests.tasks.workshop import Workshop, blank_ledger, each_shop, provider, shop

__all__ = ["blank_ledger", "each_shop", "provider", "shop"]

HOUR = timedelta(hours=1)


def followed(shop: Workshop, count: int = 3) -> int:
    """Send a batch and look once: the next look is an hour away."""
    shop.set(RECONCILE__LOOKS_S="[3600]", WEBHOOKS__EVERY_S="20", WEBHOOKS__WITHIN_S="300")
    shop.sandbox.switch(advance="looks", advance_looks=2)
    batch = shop.sent(count)
    shop.run(reconcile_batch, batch)
    assert wait_of(shop, batch) > HOUR / 2
    return batch


def stored(shop: Workshop, *deliveries: object, most: int = 100) -> Counter[str]:
    """Queue these bodies, and store their hints."""
    with shop.context() as context:
        receiver, waiting = receiver_address(context), HintQueue(most)
        for each in deliveries:
            waiting.add(receiver.webhooks, each)
        return +asyncio.run(store_hints(context, receiver, waiting))


def wait_of(shop: Workshop, batch: int) -> timedelta:
    due: datetime = shop.batch(batch).due_at
    return due - shop.read(ledger_now)


def claim(note: int | None, to: str = "accepted") -> dict[str, object]:
    return {"id": note, "from_status": "processing", "to_status": to, "_links": {"rel": "self"}}


def ends(shop: Workshop, batch: int) -> list[dict[str, object]]:
    return [claim(note.remote_id) for note in shop.notes(batch)]


@pytest.mark.both_databases
def test_a_look_is_due_once_all_notes_claim_an_end(each_shop: Workshop):
    batch = followed(each_shop)
    first, *others = ends(each_shop, batch)
    assert stored(each_shop, first) == {"new": 1}
    assert timedelta(seconds=200) < wait_of(each_shop, batch) <= timedelta(seconds=300)
    assert stored(each_shop, *others, first) == {"new": 2, "repeated": 1}
    assert timedelta(0) < wait_of(each_shop, batch) <= timedelta(seconds=20)
    each_shop.write(lambda conn: conn.execute(sa.update(tables.batches).values(due_at=ledger_now(conn))))
    with each_shop.context() as context:
        assert asyncio.run(due_hinted(context)) == [batch]
    each_shop.follow(batch)
    stored(each_shop, first)
    assert each_shop.read(hints.count_hints) == 0
    assert each_shop.read(hints.delivery_counts)["unknown"][0] == 1


def test_a_hint_changes_no_state(shop: Workshop):
    batch = followed(shop)
    before = shop.notes(batch)
    stored(shop, *(claim(note.remote_id, "rejected") for note in before), claim(before[0].remote_id, "cancelled"))
    assert shop.notes(batch) == before
    shop.follow(batch)
    assert set(shop.states(batch)) == {"accepted"}
    assert not shop.incidents()


def test_unknown_and_unreadable_deliveries_leave_no_hint(shop: Workshop):
    batch = followed(shop)
    due_at = shop.batch(batch).due_at
    strange = [claim(note) for note in (10**9, 2**63, -1, 0, None)]
    assert stored(shop, *strange, [], None, "accepted", {"test": True}, claim(1, "processing")) == {
        "unknown": 1,
        "unreadable": 7,
        "test": 1,
        "progress": 1,
    }
    assert (shop.read(hints.count_hints), shop.batch(batch).due_at) == (0, due_at)


def test_hints_cause_no_look_before_their_distance(shop: Workshop):
    batch = followed(shop)
    deliveries = ends(shop, batch)
    stored(shop, *deliveries)
    shop.sandbox.switch(advance_looks=90)
    shop.run(reconcile_batch, batch)
    planned = wait_of(shop, batch)
    assert planned > HOUR / 2
    stored(shop, *deliveries)
    assert timedelta(seconds=15) < wait_of(shop, batch) <= timedelta(seconds=20)
    for _ in range(3):
        assert stored(shop, *deliveries) == {"repeated": 3}
    assert timedelta(seconds=10) < wait_of(shop, batch) <= timedelta(seconds=20)


def test_a_batch_with_a_worker_or_a_doubt_keeps_its_plan(shop: Workshop):
    batch = followed(shop)
    shop.tamper("UPDATE batches SET lease_owner = 'x', lease_until = due_at - 600000000")
    stored(shop, *ends(shop, batch))
    assert wait_of(shop, batch) > HOUR / 2
    shop.tamper("UPDATE batches SET lease_owner = NULL, lease_until = NULL")
    shop.tamper("UPDATE invoices SET state = 'in_doubt' WHERE id = 1")
    stored(shop, *ends(shop, batch))
    assert wait_of(shop, batch) > HOUR / 2


def test_a_lease_that_a_clock_set_back_left_ahead_has_ended(shop: Workshop):
    batch = followed(shop)
    shop.tamper("UPDATE batches SET lease_owner = 'x', lease_until = 9000000000000000")
    stored(shop, *ends(shop, batch))
    assert wait_of(shop, batch) < HOUR / 2


def test_a_full_queue_drops_the_newest(shop: Workshop):
    batch = followed(shop, 5)
    assert stored(shop, *ends(shop, batch), most=2) == {"new": 2, "overflow": 3}
