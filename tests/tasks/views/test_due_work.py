"""Sweeping: every batch that can continue is found at its time, and none that another worker holds."""

from datetime import timedelta

import pytest

from connectors.issuers import NFSE
from connectors.issuers import PRODUCTS as PRODUCT_SYSTEM
from connectors.ledger import batch_observations, files, leases, rate_limits
from domain.states import BatchState
from tasks.stations.release import release_batch
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batch
from tasks.views.due_work import Station, due_batches, stalled_readings, unfinished_batches, unstaged_batches
from tests.ageing import age
from tests.tasks.rows import lines
from tests.tasks.store import Store
from tests.tasks.workshop import LEASE_S, Workshop, fault

STATIONS: tuple[Station, ...] = ("stage", "release", "reconcile", "discard", "recount")


def due(shop: Workshop) -> dict[Station, list[int]]:
    """Return the batches that each station would take up now."""
    with shop.context() as context:
        return {station: found for station in STATIONS if (found := due_batches(context, station))}


def unfinished(shop: Workshop) -> bool:
    with shop.context() as context:
        return bool(unfinished_batches(context))


def test_each_state_has_its_station(each_shop: Workshop):
    shop = each_shop
    assert (due(shop), unfinished(shop)) == ({}, False)
    batch = shop.planned(2)
    assert (due(shop), unfinished(shop)) == ({"stage": [batch]}, True)
    shop.run(stage_batch, batch)
    assert due(shop) == {}
    shop.approve()
    assert due(shop) == {"release": [batch]}
    shop.run(release_batch, batch)
    assert due(shop) == {"reconcile": [batch]}
    shop.follow(batch)
    assert (due(shop), unfinished(shop)) == ({}, False)


def test_a_staged_batch_waits_unless_the_profile_approves(shop: Workshop):
    shop.staged(1)
    assert unfinished(shop)
    shop.set(APPROVAL__AUTOMATIC="false")
    assert not unfinished(shop)


def test_a_disturbed_batch_waits_for_a_person(shop: Workshop):
    batch = shop.planned(1)
    shop.disturb(batch)
    assert (due(shop), unfinished(shop)) == ({}, False)
    shop.decide(batch, "discard")
    assert due(shop) == {"discard": [batch]}


def test_a_batch_that_was_put_aside_is_not_due_before_its_time(shop: Workshop):
    batch = shop.planned(1)
    shop.write(batch_observations.schedule_look, batch, seconds=300)
    assert (due(shop), unfinished(shop)) == ({}, True)


def test_a_batch_that_somebody_works_on_is_not_due(shop: Workshop):
    batch = shop.planned(1)
    lease = shop.write(leases.claim, batch, owner="x", seconds=60, states={BatchState.PLANNED})
    assert lease is not None
    assert due(shop) == {}
    shop.write(leases.give_back, lease)
    assert due(shop) == {"stage": [batch]}


def test_a_closed_batch_is_counted_once_a_day_for_some_weeks(shop: Workshop):
    batch = shop.processed(1)
    assert due(shop) == {}
    a_day, weeks = timedelta(days=1, minutes=1), timedelta(days=71)
    shop.age("closed_at, recounted_at", a_day)
    assert due(shop) == {"recount": [batch]}
    assert not unfinished(shop)
    shop.age("closed_at, recounted_at", weeks)
    assert due(shop) == {}


def test_a_stopped_import_is_found_when_its_worker_must_be_dead(shop: Workshop):
    reading = shop.reading(*lines(2))
    with shop.context() as context:
        assert stalled_readings(context) == []
    shop.write(age, LEASE_S + 1)
    with shop.context() as context:
        assert stalled_readings(context) == [reading]
        assert not unfinished_batches(context), "each sweep takes it up once; a shared serie would hold one for ever"
    shop.run(resolve_rows, reading)
    with shop.context() as context:
        assert stalled_readings(context) == []
    shop.write(age, LEASE_S + 1)
    with shop.context() as context:
        assert stalled_readings(context) == [reading]


def test_the_unstaged_batches_of_a_reading_are_found(shop: Workshop):
    shop.set(PROTOCOL__BATCH_SIZE=1)
    reading, made = shop.assembled(*lines(3))
    shop.run(stage_batch, made[0])
    shop.write(batch_observations.schedule_look, made[1], seconds=300)
    with shop.context() as context:
        assert unstaged_batches(context, reading) == made[1:]
        assert unstaged_batches(context, reading + 1) == []


def test_a_batch_in_doubt_is_due_again_after_quiet_time(shop: Workshop):
    shop.sandbox.faults(fault("notes.create", "reset_before"))
    batch = shop.planned(1)
    shop.run(stage_batch, batch)
    assert (due(shop), unfinished(shop)) == ({}, True)


def services(store: Store) -> int:
    """Return a planned batch of service notes beside the store's own."""
    file = store.write(files.receive, sha256="f" * 64, name="mes.xlsx", size_bytes=3, kind="services")
    (batch,) = store.assembled(*lines(1), file_id=file.id)[1]
    return batch


@pytest.mark.both_databases
@pytest.mark.parametrize(("system", "left"), [(NFSE, "release"), (PRODUCT_SYSTEM, "stage")])
def test_other_providers_work_continues_during_a_rest(each_store: Store, system: str, left: str):
    store = each_store
    batches = {"release": store.approved(1), "stage": services(store)}
    assert due(store) == {station: [batch] for station, batch in batches.items()}
    store.write(rate_limits.pause_system, system, waits_s=[600], because="provider.broken")
    assert due(store) == {left: [batches[left]]}


@pytest.mark.parametrize("system", [NFSE, PRODUCT_SYSTEM])
def test_a_closed_batch_is_not_counted_while_its_provider_rests(store: Store, system: str):
    batches = {PRODUCT_SYSTEM: store.processed(1), NFSE: services(store)}
    store.run(stage_batch, batches[NFSE])
    store.approve()
    store.run(release_batch, batches[NFSE])
    store.follow(batches[NFSE])
    store.age("closed_at, recounted_at", timedelta(days=2))
    assert due(store) == {"recount": sorted(batches.values())}
    store.write(rate_limits.slow_down, system, seen_per_minute=9, most_per_minute=9, least_per_minute=9, pause_s=99)
    assert due(store) == {"recount": [batch for of, batch in batches.items() if of != system]}
