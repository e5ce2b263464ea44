"""Staging: the batch is opened once under our name, filled, and proved; after any stop it continues later."""

import asyncio
import dataclasses

import pytest

from connectors.http.errors import Denied
from connectors.ledger import attempts, batches, leases
from connectors.ledger.issuance import posting
from connectors.nfse.batches import Batch
from domain.states import BatchState, Entity, InvoiceState
from domain.station_result import StationResult
from tasks.runtime import Runtime, open_runtime
from tasks.runtime.worker_pool import WorkerPool
from tasks.stations.stage import stage_batch, stage_batches
from tests.tasks.rows import lines
from tests.tasks.workshop import PROFILE, Workshop, fault, nfse_of, remarks


def test_a_batch_is_staged_and_nothing_is_issued(each_shop: Workshop):
    shop = each_shop
    batch = shop.planned(6)
    result = shop.run(stage_batch, batch)
    assert (result.ending, dict(result.counts), result.remarks) == ("done", {"staged": 6, "refused": 0}, ())
    record = shop.batch(batch)
    assert (record.state, record.count, record.total_cents) == ("staged", 6, sum(range(10_001, 10_007)))
    assert [(note["status"], note["was_sent"], note["number"]) for note in shop.there()] == [
        ("created", False, number) for number in range(1, 7)
    ]
    assert {note["batch_id"] for note in shop.there()} == {record.remote_id}
    assert {note["service_values"]["nfse_liquid_amount"] for note in shop.there()} == {
        f"{note.liquid_cents / 100:.2f}" for note in shop.notes(batch)
    }


def test_once_staged_there_is_nothing_left_to_do(shop: Workshop):
    batch = shop.staged(3)
    before = shop.asked("notes.create", "batches.create", "batches.read")
    assert shop.run(stage_batch, batch).ending == "busy"
    assert shop.asked("notes.create", "batches.create", "batches.read") == before


def test_the_ledger_has_the_name_before_the_batch_is_created(shop: Workshop):
    batch = shop.planned(1)
    shop.sandbox.faults(fault("batches.create", "reset_before"))
    shop.run(stage_batch, batch)
    reasons = shop.reasons(Entity.BATCH, batch)
    assert reasons[:2] == ["planned", "about to create it at the provider"]
    attempts_made = shop.read(attempts.attempts_of, batch_id=batch)
    assert (attempts_made[0].what, attempts_made[0].outcome) == ("open", "in_doubt")


def test_a_creation_without_an_answer_is_adopted_by_its_name(each_shop: Workshop):
    shop = each_shop
    shop.sandbox.faults(fault("batches.create", "lose_answer"))
    batch = shop.staged(3)
    assert len(shop.record()["batches"]) == 1
    assert shop.record()["batches"][0]["name"] == shop.batch(batch).name
    assert shop.read(batches.orphans_of) == []


def test_a_creation_that_never_arrived_is_given_up_by_that_name(each_shop: Workshop):
    shop = each_shop
    shop.sandbox.faults(fault("batches.create", "reset_before"))
    batch = shop.planned(3)
    shop.run_quiet(stage_batch, batch)
    shop.run_quiet(stage_batch, batch)
    record = shop.batch(batch)
    assert record.state == "staged"
    ((orphaned, name, remote),) = shop.read(batches.orphans_of)
    assert (orphaned, remote) == (batch, None)
    assert name != record.name
    assert [each["name"] for each in shop.record()["batches"]] == [record.name]


@pytest.mark.parametrize("change", ["filled", "sent", "twice"])
def test_a_batch_of_our_name_in_another_state_is_not_adopted(shop: Workshop, change):
    """Its creation waits between us and the provider; meanwhile the line uses another batch, or does nothing."""
    batch = shop.planned(2)
    lease = shop.write(leases.claim, batch, owner="me", seconds=60, states={BatchState.PLANNED})
    assert lease is not None
    shop.write(batches.name_opening, lease, "our name")
    shop.write(leases.give_back, lease)
    remote = shop.run(_create, "our name")
    theirs = {remote}
    if change == "twice":
        theirs.add(shop.run(_create, "our name"))
    else:
        shop.post_as_somebody_else(number=900, batch=remote, serie="Z")
    if change == "sent":
        shop.act("send", batch_id=remote)
    shop.run(stage_batch, batch)
    assert (shop.batch(batch).state, shop.batch(batch).remote_id in theirs) == ("staged", False)
    assert {note["batch_id"] for note in shop.there() if note["serie"] == "F"} <= {shop.batch(batch).remote_id}
    assert [name for _, name, _ in shop.read(batches.orphans_of)] == ["our name"]


def test_a_serie_used_since_the_reservation_stops_the_batch(each_shop: Workshop):
    """A ledger that lost its last commits has numbers that it posted before: none is sent again."""
    shop = each_shop
    batch = shop.planned(3)
    shop.post_as_somebody_else(number=2)
    before = shop.asked("notes.create")
    result = shop.run(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["serie.ahead"])
    assert (shop.asked("notes.create"), shop.incidents()) == (before, ["serie.ahead"])


def test_every_start_looks_at_the_serie_before_its_first_post(shop: Workshop):
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1))
    batch = shop.planned(3)
    assert shop.run(stage_batch, batch).ending == "waiting"
    looks = shop.asked("emitters.serie")
    assert shop.run_quiet(stage_batch, batch).ending == "done"
    assert shop.asked("emitters.serie") == looks + 1


def test_a_batch_of_which_every_note_is_refused_is_closed(each_shop: Workshop):
    shop = each_shop
    batch = shop.planned(2)
    shop.forget_taker(1)
    shop.forget_taker(2)
    result = shop.run(stage_batch, batch)
    assert (result.ending, dict(result.counts)) == ("done", {"refused": 2})
    assert shop.batch(batch).state == "discarded"
    assert (shop.states(batch), shop.incidents()) == ([InvoiceState.REFUSED] * 2, [])
    assert shop.asked("batches.send") == 0


def test_a_provider_that_is_down_is_asked_again_later(shop: Workshop):
    batch = shop.planned(2)
    shop.sandbox.faults(fault("batches.read", "status_500", count=9))
    result = shop.run(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("waiting", ["provider.broken"])
    shop.sandbox.faults()
    assert shop.run(stage_batch, batch).ending == "done"
    assert shop.asked("notes.create") == 2


def test_a_refused_token_stops_the_run_and_leaves_the_batch(shop: Workshop):
    batch = shop.planned(2)
    shop.lock_out()
    with pytest.raises(Denied):
        shop.run(stage_batch, batch)
    assert (shop.batch(batch).lease_owner, shop.incidents()) == (None, [])


def test_a_person_may_open_a_disturbed_batch_and_it_goes_on(shop: Workshop):
    """Opened again, it is another revision: the earlier approval is void."""
    shop.sandbox.faults(fault("notes.create", "act", after=2, act={"do": "add", "number": 900}))
    batch = shop.planned(3)
    assert shop.run(stage_batch, batch).ending == "disturbed"
    (stranger,) = [note for note in shop.there() if note["number"] == 900]
    shop.act("delete", note_id=stranger["id"])
    shop.decide(batch, "open")
    assert shop.incidents() == []
    result = shop.run(stage_batch, batch)
    assert (result.ending, shop.batch(batch).revision, shop.batch(batch).proven_by) == ("done", 2, "listed")
    assert shop.asked("notes.create") == 3


def test_opened_again_without_a_note_it_says_the_new_day(shop: Workshop):
    batch = shop.planned(2)
    shop.sandbox.faults(fault("notes.create", "status_429"))
    shop.run(stage_batch, batch)
    before = shop.batch(batch).emission_at
    shop.write(batches.disturb, batch, code="batch.foreign_note", params={"number": 3})
    shop.decide(batch, "open")
    after = shop.batch(batch).emission_at
    assert before is not None
    assert after is not None
    assert after > before


def test_two_files_share_no_batch(shop: Workshop):
    first, second = shop.staged(2), shop.assembled(*lines(2, first=7))[1][0]
    shop.run(stage_batch, second)
    assert shop.batch(first).remote_id != shop.batch(second).remote_id
    assert shop.batch(first).name != shop.batch(second).name


@pytest.mark.both_databases
def test_several_batches_are_staged_beside_one_another(each_shop: Workshop):
    shop = each_shop
    shop.set(PROTOCOL__BATCH_SIZE=3)
    planned = shop.assembled(*lines(14))[1]
    results = shop.run(stage_batches, planned)
    assert [(result.batch_id, result.ending, result.counts["staged"]) for result in results] == [
        (batch, "done", count) for batch, count in zip(planned, (3, 3, 3, 3, 2), strict=True)
    ]
    assert sorted(note["number"] for note in shop.there()) == list(range(1, 15))
    assert {shop.batch(batch).proven_by for batch in planned} == {"counted"}
    for batch in planned:
        remote = shop.batch(batch).remote_id
        there = sorted(note["number"] for note in shop.there() if note["batch_id"] == remote)
        assert there == [note.number for note in shop.notes(batch)]


@pytest.mark.both_databases
def test_many_batches_at_once_lose_at_most_one_note(each_shop: Workshop):
    shop = each_shop
    shop.set(PROTOCOL__BATCH_SIZE=3)
    shop.sandbox.switch(batch_id="ignore")
    planned = shop.assembled(*lines(15))[1]
    endings = [result.ending for result in shop.run(stage_batches, planned)]
    assert sorted(endings) == ["disturbed", *["waiting"] * 4]
    assert (len(shop.there()), shop.asked("notes.create")) == (1, 1)
    assert set(shop.incidents()) == {"batch.answer_differs", "state.not_commanded"}


def test_a_dead_workers_report_stops_the_batch_for_the_next(shop: Workshop):
    """It had reported the first note's fault and written its answer, no more: the batch is still open."""
    shop.sandbox.switch(batch_id="ignore")
    batch = shop.planned(3)
    assert shop.run(stage_batch, batch).ending == "disturbed"
    shop.tamper("UPDATE batches SET state = 'open'")
    assert remarks(shop.run(stage_batch, batch)) == ["batch.answer_differs"]
    assert shop.asked("notes.create") == 1


@pytest.mark.both_databases
def test_no_batch_begins_while_anothers_first_note_is_in_doubt(each_shop: Workshop):
    shop = each_shop
    shop.set(PROTOCOL__BATCH_SIZE=3)
    shop.sandbox.faults(fault("notes.create", "reset_before"))
    planned = shop.assembled(*lines(9))[1]
    results = shop.run(stage_batches, planned)
    assert {result.ending for result in results} == {"waiting"}
    assert sorted(code for result in results for code in remarks(result)) == [
        "batch.doubts", "batch.first_in_doubt", "batch.first_in_doubt",
    ]  # fmt: skip
    assert shop.asked("notes.create") == 1


@pytest.mark.both_databases
def test_two_processes_wait_for_each_others_first_note(each_shop: Workshop):
    shop = each_shop
    shop.set(PROTOCOL__BATCH_SIZE=2)
    planned = shop.assembled(*lines(4))[1]
    shop.sandbox.switch(fixed_latency_ms=300)

    async def both() -> list[StationResult]:
        async with open_runtime(PROFILE, station="stage") as one, open_runtime(PROFILE, station="stage") as other:
            return list(await asyncio.gather(stage_batch(one, planned[0]), stage_batch(other, planned[1])))

    assert [result.ending for result in asyncio.run(both())] == ["done", "done"]


def test_one_bad_batch_holds_up_no_other(shop: Workshop):
    good, no_number = shop.planned(2), 2**70
    with pytest.raises(OverflowError):
        shop.run(stage_batches, [no_number, good])
    assert shop.batch(good).state == "staged"
    with pytest.raises(ExceptionGroup):
        shop.run(stage_batches, [no_number, no_number])


def test_a_refused_token_lets_no_further_batch_begin(shop: Workshop):
    shop.set(PROTOCOL__BATCH_SIZE=1)
    planned = shop.assembled(*lines(25))[1]
    shop.lock_out()
    with pytest.raises(Denied):
        shop.run(stage_batches, planned)
    assert {shop.batch(batch).state for batch in planned} == {"opening", "planned"}
    assert {shop.batch(batch).lease_owner for batch in planned} == {None}


@pytest.mark.both_databases
def test_two_simultaneous_workers_lose_at_most_one_note(each_shop: Workshop):
    shop = each_shop
    shop.set(PROTOCOL__BATCH_SIZE="2")
    planned = shop.assembled(*lines(4))[1]

    async def at_once(runtime: Runtime) -> list[StationResult]:
        others = dataclasses.replace(runtime, pool=WorkerPool())
        return await asyncio.gather(
            *(stage_batch(each, batch) for each, batch in zip((runtime, others), planned, strict=True))
        )

    shop.sandbox.faults(fault("notes.create", "close_after"))
    shop.run(at_once)
    assert sum(shop.states(batch).count(InvoiceState.IN_DOUBT) for batch in planned) == 1
    assert shop.asked("notes.create") == 1
    for _ in range(3):
        for batch in planned:
            shop.run_quiet(stage_batch, batch)
    assert [shop.batch(batch).state for batch in planned] == ["staged", "staged"]


@pytest.mark.both_databases
def test_two_batches_with_first_notes_in_doubt_do_not_deadlock(each_shop: Workshop):
    """An older version, which did not check other workers' first notes in flight, may have left them so."""
    shop = each_shop
    shop.set(PROTOCOL__BATCH_SIZE="2")
    planned = shop.assembled(*lines(4))[1]
    for batch in planned:
        _leave_first_in_doubt(shop, batch)
    assert [shop.states(batch).count(InvoiceState.IN_DOUBT) for batch in planned] == [1, 1]
    for _ in range(3):
        for batch in planned:
            shop.run_quiet(stage_batch, batch)
    assert [shop.batch(batch).state for batch in planned] == ["staged", "staged"]


def _leave_first_in_doubt(shop: Workshop, batch: int) -> None:
    lease = shop.write(leases.claim, batch, owner="old", seconds=60, states={BatchState.PLANNED})
    assert lease is not None
    shop.write(batches.name_opening, lease, f"batch {batch}")
    shop.write(batches.mark_opened, lease, shop.run(_create, f"batch {batch}"))
    shop.write(posting.begin_posting, lease, [shop.notes(batch)[0].id], seconds=60)
    shop.write(leases.give_back, lease)


async def _create(runtime: Runtime, name: str) -> int:
    made: Batch = await nfse_of(runtime).batches.create(1, name)
    return made.id


def test_a_batch_that_is_given_anothers_record_stops_in_words(each_shop: Workshop):
    shop = each_shop
    first = shop.staged(1)
    (second,) = shop.assembled(*lines(1, first=11))[1]
    shop.sandbox.faults(fault("batches.create", "altered", fields={"id": shop.remote(first)}))
    result = shop.run(stage_batch, second)
    assert (result.ending, [each.code for each in result.remarks]) == ("disturbed", ["batch.id_held"])
    assert shop.batch(second).state == "disturbed"
