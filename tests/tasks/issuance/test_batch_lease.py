"""A batch under lease: taken by one worker, left in a consistent state, and not touched too early after a death."""

import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from connectors.http.errors import Broken, Denied, Disturbed, Refused, Unreachable, Unreadable
from connectors.http.steady import steady_s
from connectors.ledger import batches, incidents, leases
from connectors.ledger.leases import Lease
from domain.problems import FaturistaError, IllegalTransition, Problem
from domain.states import BatchState, InvoiceState
from domain.station_result import StationResult
from tasks.issuance.batch_lease import Disturbance, LeasedBatch, work_on
from tasks.runtime import Runtime
from tasks.stations.reconcile import recheck_batch, reconcile_batch
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tests.ageing import age
from tests.tasks.workshop import LEASE_S, QUIET_S, Workshop, fault, remarks

pytestmark = pytest.mark.both_databases

ANY = frozenset(BatchState)


def working(shop: Workshop, batch: int, work: Callable[[LeasedBatch], None]) -> StationResult:
    """Return the result of a station that does `work` on the batch."""

    async def worked(leased: LeasedBatch) -> StationResult:
        work(leased)
        return leased.result(done=1)

    async def station(runtime: Runtime) -> StationResult:
        return await work_on(runtime, batch, station="test", states=ANY, work=worked)

    return shop.run(station)


def raising(error: Exception) -> Callable[[LeasedBatch], None]:
    def work(_hold: LeasedBatch) -> None:
        raise error

    return work


def claimed(shop: Workshop, batch: int, *, seconds: float) -> Lease:
    """Claim the batch for another worker."""
    lease = shop.write(leases.claim, batch, owner="somebody else", seconds=seconds, states=ANY)
    assert lease is not None
    return lease


def test_the_lease_is_held_while_it_works_and_given_back(each_shop: Workshop):
    shop = each_shop
    batch = shop.planned(1)
    owners = []
    result = working(shop, batch, lambda leased: owners.append(shop.batch(leased.batch.id).lease_owner))
    assert (result.ending, result.counts, result.batch_id) == ("done", {"done": 1}, batch)
    assert owners[0]
    assert (shop.batch(batch).lease_owner, shop.batch(batch).settle_after) == (None, None)


def test_a_lease_is_kept_once_half_of_it_is_over_and_not_before(shop: Workshop):
    batch = shop.planned(1)
    seconds = 1_000.0
    shop.set(PROTOCOL__LEASE_S=seconds)
    ends: list[float] = []

    async def worked(leased: LeasedBatch) -> StationResult:
        for over in (0.4, 0.6):
            leased.lease = dataclasses.replace(leased.lease, deadline=steady_s() + (1 - over) * seconds)
            await leased.keep()
            ends.append(leased.lease.deadline - steady_s())
        return leased.result()

    async def station(runtime: Runtime) -> StationResult:
        return await work_on(runtime, batch, station="test", states=ANY, work=worked)

    shop.run(station)
    assert ends[0] <= 0.6 * seconds < ends[1]


def test_a_batch_that_somebody_works_on_is_left_alone(each_shop: Workshop):
    shop = each_shop
    batch = shop.planned(2)
    lease = claimed(shop, batch, seconds=60)
    result = shop.run(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("busy", ["batch.held"])
    assert (shop.batch(batch).fence, shop.asked("batches.create")) == (lease.fence, 0)


def test_a_batch_in_another_state_is_left_alone(shop: Workshop):
    batch = shop.staged(1)
    fence = shop.batch(batch).fence
    result = shop.run(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("busy", [])
    assert shop.batch(batch).fence == fence


@pytest.mark.parametrize(
    "error",
    [
        Disturbance(Problem("batch.foreign_note", params={"number": 3})),
        IllegalTransition(Problem("state.illegal_move", params={"was": "a", "becomes": "b"})),
        Disturbed("POST x", status=404),
        Refused("POST x", status=422),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_unexpected_difference_stops_the_batch(shop: Workshop, error: FaturistaError):
    batch = shop.planned(2)
    result = working(shop, batch, raising(error))
    assert (result.ending, result.remarks) == ("disturbed", (error.problem,))
    assert (shop.batch(batch).state, shop.incidents()) == ("disturbed", [error.problem.code])
    assert shop.batch(batch).lease_owner is None


def test_a_sent_batch_cannot_be_stopped_and_is_looked_at_later(shop: Workshop):
    shop.set(RECONCILE__LOOKS_S="[0.01, 500]")
    batch = shop.sent(2)
    result = working(shop, batch, raising(Disturbance(Problem("batch.foreign_note", params={"number": 3}))))
    assert (result.ending, remarks(result)) == ("waiting", ["batch.foreign_note"])
    assert (shop.batch(batch).state, shop.incidents()) == ("scheduled", ["batch.foreign_note"])
    assert (shop.batch(batch).due_at - datetime.now(UTC)).total_seconds() > 400


@pytest.mark.parametrize(("error", "pause"), [(Unreachable("GET x"), 500), (Broken("GET x", retry_after=900), 900)])
def test_a_provider_out_of_reach_puts_the_batch_aside(shop: Workshop, error, pause):
    shop.set(RECONCILE__LOOKS_S="[0.01, 500]")
    batch = shop.planned(2)
    result = working(shop, batch, raising(error))
    assert (result.ending, result.remarks) == ("waiting", (error.problem,))
    record = shop.batch(batch)
    assert (record.state, record.lease_owner, shop.incidents()) == ("planned", None, [])
    assert pause - 60 < (record.due_at - datetime.now(UTC)).total_seconds() <= pause


def test_an_unreadable_answer_is_shown_to_a_person_once(shop: Workshop):
    batch = shop.planned(2)
    for detail in ("11 items of 10", "12 items of 10", "12 items of 10"):
        result = working(shop, batch, raising(Unreadable("GET x", detail=detail)))
        assert (result.ending, remarks(result)) == ("waiting", ["provider.unreadable"])
    (incident,) = shop.read(incidents.incidents_open, batch)
    assert (incident.code, incident.params) == ("provider.unreadable", {"call": "GET x", "facts": f"GET x, {detail}"})
    assert (shop.batch(batch).state, shop.batch(batch).lease_owner) == ("planned", None)


@pytest.mark.parametrize("work", ["stage", "look", "recount"])
def test_the_next_readable_answer_closes_the_incident_of_an_unreadable_one(shop: Workshop, work: str):
    batch = {"stage": shop.planned, "look": shop.sent, "recount": shop.processed}[work](2)
    working(shop, batch, raising(Unreadable("GET x", detail="a page of HTML")))
    working(shop, batch, raising(Unreachable("GET x")))
    assert shop.incidents() == ["provider.unreadable"]
    shop.run({"stage": stage_batch, "look": reconcile_batch, "recount": recheck_batch}[work], batch)
    assert shop.incidents() == []


def test_a_closed_door_stops_everything_and_holds_nothing(shop: Workshop):
    batch = shop.planned(2)
    with pytest.raises(Denied):
        working(shop, batch, raising(Denied("GET x", status=401)))
    assert (shop.batch(batch).state, shop.batch(batch).lease_owner) == ("planned", None)


def test_a_bug_leaves_the_lease_to_run_out(shop: Workshop):
    """Nobody knows what was in flight: the next owner waits until it must have arrived."""
    batch = shop.planned(2)
    with pytest.raises(ZeroDivisionError):
        working(shop, batch, raising(ZeroDivisionError()))
    assert shop.batch(batch).lease_owner is not None
    assert shop.run(stage_batch, batch).ending == "busy"


def test_a_worker_without_its_lease_stops_and_changes_nothing(each_shop: Workshop):
    shop = each_shop
    batch = shop.planned(2)

    def work(leased: LeasedBatch) -> None:
        shop.write(leases.evict, batch)
        shop.write(batches.name_opening, leased.lease, "a name")

    result = working(shop, batch, work)
    assert (result.ending, remarks(result)) == ("busy", ["batch.lease_lost"])
    assert (shop.batch(batch).state, shop.batch(batch).name, shop.incidents()) == ("planned", None, [])


def test_after_a_death_nothing_is_settled_before_quiet_time(each_shop: Workshop):
    """The dead worker's notes may still arrive until its lease, one request and quiet time are over."""
    shop = each_shop
    batch = shop.planned(3)
    lease = claimed(shop, batch, seconds=LEASE_S)
    shop.write(age, LEASE_S)
    result = shop.run(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("waiting", ["batch.quiet"])
    ended_at = lease.until - timedelta(seconds=LEASE_S)
    assert (shop.batch(batch).due_at - ended_at).total_seconds() > QUIET_S
    assert (shop.asked("batches.create"), shop.batch(batch).settle_after) == (0, ended_at)
    shop.write(age, 2 * QUIET_S)
    assert shop.run(stage_batch, batch).ending == "done"
    assert shop.batch(batch).proven_by == "listed"


def test_a_failed_write_is_journalled_with_what_is_known_of_it(shop: Workshop):
    batch = shop.approved(1)
    shop.sandbox.faults(fault("batches.send", "status_500"))
    shop.run(release_batch, batch)
    (attempt,) = shop.attempts(batch, "send")
    assert (attempt.outcome, attempt.status, attempt.detail) == ("in_doubt", 500, "Doubtful")
    assert attempt.last_byte_at is not None
    assert shop.states(batch) == [InvoiceState.CREATED]
