"""Leases and fences: one worker per batch, and a worker whose lease is over changes nothing."""

import contextlib
import os
import signal
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from connectors.http.steady import steady_s
from connectors.ledger import batch_observations, batches, invoices, leases, tables
from connectors.ledger.database.sql import now
from connectors.ledger.engine import Ledger
from connectors.ledger.issuance import posting
from connectors.ledger.leases import FenceLost
from connectors.ledger.observations.doubts import adopt_notes, settle_absent
from domain.states import BatchState, InvoiceState
from tests.ageing import age
from tests.connectors.ledger import scene as scenes
from tests.faults.theatre import PROCESSES


def test_a_batch_is_held_by_one(ledger):
    scene = ledger.write(scenes.furnish)
    lease = ledger.write(scenes.claimed, scene.batch_id)
    assert lease.fence == 1
    assert lease.settle_after is None
    assert ledger.write(leases.claim, scene.batch_id, owner="other", seconds=60, states=set(BatchState)) is None
    assert ledger.write(leases.give_back, lease)
    again = ledger.write(scenes.claimed, scene.batch_id, "other")
    assert again.fence == 2
    assert again.settle_after is None
    assert not ledger.write(leases.give_back, lease)


def test_a_batch_in_another_state_or_none_at_all_is_not_claimed(ledger):
    scene = ledger.write(scenes.furnish)
    for batch, states in ((scene.batch_id, {BatchState.STAGED}), (scene.batch_id + 1, set(BatchState))):
        assert ledger.write(leases.claim, batch, owner="o", seconds=60, states=states) is None


def test_the_deadline_never_outlives_the_lease(ledger):
    scene = ledger.write(scenes.furnish)
    before = steady_s()
    lease = ledger.write(scenes.claimed, scene.batch_id, seconds=60)
    left = (lease.until - ledger.read(now)).total_seconds()
    assert before + 60 <= lease.deadline <= steady_s() + left + 0.001


def test_a_lease_is_renewed_and_never_shortened(ledger):
    scene = ledger.write(scenes.furnish)
    lease = ledger.write(scenes.claimed, scene.batch_id, seconds=60)
    longer = ledger.write(leases.renew, lease, seconds=600)
    assert longer.until - lease.until > timedelta(seconds=500)
    same = ledger.write(leases.renew, longer, seconds=5)
    assert (same.until, same.deadline) == (longer.until, longer.deadline)


def test_a_fenced_worker_changes_nothing_after_its_lease(ledger):
    scene, lease = ledger.write(scenes.opened)
    begun = ledger.write(posting.begin_posting, lease, scene.invoice_ids, seconds=1)
    outcomes = [scenes.answer(*pair) for pair in begun.attempts.items()]
    calls: list[tuple[Any, dict[str, Any]]] = [
        (leases.renew, {"seconds": 60}),
        (leases.check, {}),
        (batches.name_opening, {"name": "n"}),
        (batches.mark_opened, {"remote_id": 9}),
        (batches.replan_batch, {}),
        (batches.mark_staged, {"digest": "d", "proven_by": "counted", "counters": {}}),
        (batches.reopen, {"because": "x"}),
        (batches.mark_sent, {"counters": {}}),
        (posting.begin_posting, {"ids": scene.invoice_ids, "seconds": 60}),
        (posting.end_posting, {"outcomes": outcomes}),
        (adopt_notes, {"found": []}),
        (settle_absent, {"ids": [], "listed_at": lease.until, "quiet_s": 1, "request_timeout_s": 1}),
    ]
    ledger.write(scenes.age_lease, scene.batch_id, 3600)
    before = ledger.read(scenes.contents)
    for fn, arguments in calls:
        with pytest.raises(FenceLost):
            ledger.write(fn, lease, **arguments)
    assert ledger.read(scenes.contents) == before


def test_a_lease_that_ran_out_is_taken_over_with_its_doubts(ledger):
    scene, lease = ledger.write(scenes.opened)
    ledger.write(posting.begin_posting, lease, scene.invoice_ids[:2], seconds=1)
    ledger.write(scenes.age_lease, scene.batch_id, 3600)
    ended = ledger.read(batches.batch_of, scene.batch_id).lease_until
    taken = ledger.write(scenes.claimed, scene.batch_id, "other")
    assert (taken.fence, taken.settle_after) == (lease.fence + 1, ended)
    notes = ledger.read(invoices.invoices_of, scene.batch_id)
    assert [each.state for each in notes] == [InvoiceState.IN_DOUBT] * 2 + [InvoiceState.RESERVED] * 2
    assert {each.last_byte_at for each in notes[:2]} == {ended}
    assert ledger.read(batches.batch_of, scene.batch_id).must_list
    # The next owner must still wait, even after a proper end.
    ledger.write(leases.give_back, taken)
    assert ledger.write(scenes.claimed, scene.batch_id, "third").settle_after == ended
    scenes.assert_journal_tells_states(ledger)


def test_the_fence_separates_an_owner_from_its_earlier_lease(ledger):
    scene, lease = ledger.write(scenes.opened)
    ledger.write(leases.give_back, lease)
    again = ledger.write(scenes.claimed, scene.batch_id, lease.owner)
    with pytest.raises(FenceLost):
        ledger.write(leases.check, lease)
    assert not ledger.write(leases.give_back, lease)
    assert ledger.write(leases.check, again) is BatchState.OPEN


def test_giving_back_while_posting_leaves_doubts(ledger):
    scene, lease = ledger.write(scenes.opened)
    begun = ledger.write(posting.begin_posting, lease, scene.invoice_ids[:1], seconds=60)
    ledger.write(leases.give_back, begun.lease)
    [note, *_] = ledger.read(invoices.invoices_of, scene.batch_id)
    assert (note.state, note.doubts) == (InvoiceState.IN_DOUBT, 1)
    batch = ledger.read(batches.batch_of, scene.batch_id)
    assert batch.must_list
    assert batch.lease_owner is None


def test_a_batch_taken_over_during_staging_needs_a_listed_proof(ledger):
    scene, lease = ledger.write(scenes.opened)
    assert not ledger.read(batches.batch_of, scene.batch_id).must_list
    ledger.write(leases.give_back, lease)
    ledger.write(scenes.claimed, scene.batch_id)
    assert ledger.read(batches.batch_of, scene.batch_id).must_list


def test_a_staged_batch_keeps_its_counted_proof_for_release(ledger):
    scene, lease = ledger.write(scenes.staged)
    ledger.write(leases.give_back, lease)
    ledger.write(scenes.claimed, scene.batch_id)
    assert not ledger.read(batches.batch_of, scene.batch_id).must_list


def test_due_batches_are_those_that_nobody_works_on(ledger):
    scene = ledger.write(scenes.furnish)
    planned = {BatchState.PLANNED}
    assert ledger.read(leases.due_batches, planned) == [scene.batch_id]
    assert ledger.read(leases.due_batches, {BatchState.STAGED}) == []
    lease = ledger.write(scenes.claimed, scene.batch_id)
    assert ledger.read(leases.due_batches, planned) == []
    ledger.write(scenes.age_lease, scene.batch_id, 3600)
    assert ledger.read(leases.due_batches, planned) == [scene.batch_id]
    ledger.write(leases.give_back, lease)
    ledger.write(batch_observations.schedule_look, scene.batch_id, seconds=60)
    assert ledger.read(leases.due_batches, planned) == []


def test_an_evicted_worker_finds_its_fence_moved(ledger):
    scene, lease = ledger.write(scenes.opened)
    begun = ledger.write(posting.begin_posting, lease, scene.invoice_ids, seconds=60)
    ledger.write(leases.evict, scene.batch_id)
    with pytest.raises(FenceLost):
        ledger.write(posting.end_posting, begun.lease, [])
    states = ledger.read(scenes.states_of, scene.invoice_ids)
    assert set(states.values()) == {InvoiceState.IN_DOUBT}
    assert ledger.write(scenes.claimed, scene.batch_id, "other").settle_after == begun.lease.until


def test_move_under_touches_its_own_batch_alone(ledger):
    mine, lease = ledger.write(scenes.staged)
    theirs = ledger.write(scenes.furnish, sha256="b" * 64)
    reserved, retired = InvoiceState.RESERVED, InvoiceState.RETIRED
    assert ledger.write(leases.move_under, lease, theirs.invoice_ids, was=reserved, becomes=retired, because="x") == []
    planned, opening = BatchState.PLANNED, BatchState.OPENING
    assert ledger.write(leases.move_under, lease, [theirs.batch_id], was=planned, becomes=opening, because="x") == []
    created, deleted = InvoiceState.CREATED, InvoiceState.DELETED
    ids = mine.invoice_ids[:2]
    assert ledger.write(leases.move_under, lease, ids, was=created, becomes=deleted, because="x") == ids


def test_processes_that_race_for_batches_never_share_one(ledger, ledger_url):
    batch_ids = ledger.write(plan_many, 12)
    with contextlib.ExitStack() as racers:
        lines = [racers.enter_context(process(race, ledger_url, batch_ids, f"racer {n}")) for n in range(3)]
        won = [batch for line, _ in lines for batch in heard(line)]
    assert sorted(won) == batch_ids


def plan_many(conn, count):
    return [scenes.furnish(conn, 1, sha256=f"{n:064d}").batch_id for n in range(count)]


def race(line, url, batch_ids, owner):
    with Ledger.open(url) as ledger:
        states = {BatchState.PLANNED}
        claimed = [ledger.write(leases.claim, each, owner=owner, seconds=600, states=states) for each in batch_ids]
        line.send([lease.batch_id for lease in claimed if lease is not None])


def test_a_worker_thawed_past_its_lease_changes_nothing(ledger, ledger_url):
    """A real process, stopped by the system in the middle of its work, as a suspended machine would be."""
    scene, lease = ledger.write(scenes.opened)
    ledger.write(leases.give_back, lease)
    with process(post_when_asked, ledger_url, scene.batch_id, scene.invoice_ids) as (line, worker):
        assert heard(line) == "posting"
        os.kill(worker, signal.SIGSTOP)
        ledger.write(scenes.age_lease, scene.batch_id, 3600)
        taken = ledger.write(scenes.claimed, scene.batch_id, "other")
        before = ledger.read(scenes.contents)
        line.send("go on")
        os.kill(worker, signal.SIGCONT)
        assert heard(line) == "FenceLost"
    assert ledger.read(scenes.contents) == before
    ledger.write(leases.check, taken)


def post_when_asked(line, url, batch_id, invoice_ids):
    with Ledger.open(url) as ledger:
        lease = ledger.write(scenes.claimed, batch_id, "frozen")
        begun = ledger.write(posting.begin_posting, lease, invoice_ids, seconds=60)
        line.send("posting")
        line.recv()
        try:
            ledger.write(posting.end_posting, begun.lease, [scenes.answer(*pair) for pair in begun.attempts.items()])
            line.send("written")
        except FenceLost:
            line.send("FenceLost")


@contextlib.contextmanager
def process(work, *args):
    """Run `work` in another process; yield a connection and its id; always end it afterwards."""
    ours, theirs = PROCESSES.Pipe()
    started = PROCESSES.Process(target=work, args=(theirs, *args))
    started.start()
    theirs.close()
    try:
        yield ours, started.pid
    finally:
        started.kill()
        started.join()
        ours.close()


def heard(line):
    assert line.poll(60), "nothing heard for a minute"
    return line.recv()


def test_a_clock_put_back_hides_no_batch(ledger):
    """Earlier writes lie days ahead: the batch is due, and the old lease ends within a lease's length."""
    scene = ledger.write(scenes.furnish)
    old = ledger.write(scenes.claimed, scene.batch_id, seconds=60)
    ledger.write(scenes.age_lease, scene.batch_id, -3 * 86_400)
    ledger.write(due_in_days, scene.batch_id, 3)
    assert ledger.read(leases.due_batches, {BatchState.PLANNED}) == [scene.batch_id]
    taken = ledger.write(leases.claim, scene.batch_id, owner="other", seconds=60, states={BatchState.PLANNED})
    assert taken is not None
    assert taken.settle_after == taken.until
    with pytest.raises(leases.FenceLost):
        ledger.write(leases.renew, old, seconds=60)


def test_a_clock_put_back_prolongs_no_quiet_time(ledger):
    scene = ledger.write(scenes.furnish)
    ledger.write(scenes.claimed, scene.batch_id, seconds=60)
    ledger.write(scenes.age_lease, scene.batch_id, 61)
    taken = ledger.write(scenes.claimed, scene.batch_id, seconds=60)
    assert taken.settle_after is not None
    ledger.write(leases.give_back, taken)
    ledger.write(age, -3 * 86_400)
    again = ledger.write(scenes.claimed, scene.batch_id, seconds=60)
    assert again.settle_after == again.until


def test_a_batch_due_tomorrow_waits(ledger):
    scene = ledger.write(scenes.furnish)
    ledger.write(due_in_days, scene.batch_id, 0.9)
    assert ledger.read(leases.due_batches, {BatchState.PLANNED}) == []


def due_in_days(conn, batch_id, days):
    table = tables.batches
    conn.execute(sa.update(table).where(table.c.id == batch_id).values(due_at=now(conn) + timedelta(days=days)))
