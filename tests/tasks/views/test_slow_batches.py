"""Slow batches: shown by age, an incident after a day, never sent again; a city's outage costs time only."""

from datetime import timedelta

import pytest

from connectors.ledger.incidents import incidents_open
from tasks.stations.reconcile import reconcile_batch
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tasks.views.slow_batches import escalate_stuck
from tasks.views.status import overview
from tests.tasks.held_back import hold_back
from tests.tasks.workshop import fault


def notices_shown(shop):
    with shop.context() as context:
        return [(notice.code, dict(notice.params)) for notice in overview(context).notices]


def escalate(shop):
    with shop.context() as context:
        return escalate_stuck(context)


@pytest.mark.both_databases
def test_a_long_wait_has_another_message(each_shop):
    shop = each_shop
    shop.sandbox.faults(fault("city", "city_down"))
    batch = shop.sent(2)
    assert notices_shown(shop) == []
    age(shop, minutes=11)
    assert notices_shown(shop) == [("batch.slow", {"batch": batch, "minutes": 11, "state": "scheduled"})]
    age(shop, minutes=60)
    assert notices_shown(shop) == [("batch.very_slow", {"batch": batch, "hours": 1, "state": "scheduled"})]
    assert escalate(shop) == 0


def age(shop, **by):
    earlier = int(timedelta(**by).total_seconds() * 1_000_000)
    shop.write(lambda conn: conn.exec_driver_sql(f"UPDATE batches SET sent_at = sent_at - {earlier}"))


def test_a_city_that_is_away_for_a_day_only_delays_its_batch(shop):
    shop.sandbox.faults(fault("city", "city_down"))
    batch = shop.sent(3)
    for _ in range(5):
        shop.run(reconcile_batch, batch)
    age(shop, hours=25)
    assert escalate(shop) == 1
    assert escalate(shop) == 1
    (incident,) = shop.read(incidents_open)
    assert incident.code == "batch.stuck"
    assert (incident.params["count"], incident.params["numbers"]) == (3, "F-1, F-2, F-3")
    assert shop.batch(batch).state in {"scheduled", "processing"}
    shop.sandbox.control("clock", {"ahead_s": 86_400})
    shop.follow(batch)
    assert shop.states(batch) == ["accepted"] * 3
    assert escalate(shop) == 0
    assert shop.incidents() == []
    assert shop.asked("batches.send") == 1
    assert len(shop.there()) == 3
    assert shop.record()["violations"] == []


def test_an_unsent_batchs_age_starts_with_its_state(shop):
    batch = shop.planned(2)
    shop.sandbox.faults(fault("notes.create", "status_500", count=99))
    shop.run(stage_batch, batch)
    assert shop.batch(batch).state == "open"
    assert [code for code, _ in notices_shown(shop)] == ["waiting.doubts"]
    shop.set(RECONCILE__STUCK_INFO_S="0.001")
    assert [code for code, _ in notices_shown(shop)] == ["waiting.doubts", "batch.slow"]


def long_ago(shop, **by):
    """Move every recorded instant of a batch back by this time."""
    earlier = int(timedelta(**by).total_seconds() * 1_000_000)
    for change in ("events SET at = at", "approvals SET approved_at = approved_at"):
        shop.tamper(f"UPDATE {change} - {earlier}")


def test_a_repeatedly_failing_send_keeps_its_age(shop):
    """Approved, sending, looked up as unsent, approved again: nothing has come of the first approval yet."""
    batch = shop.approved(2)
    long_ago(shop, hours=25)
    shop.sandbox.faults(fault("batches.send", "status_500", count=99))
    for _ in range(2):
        shop.run_quiet(release_batch, batch)
    assert shop.batch(batch).state in {"approved", "sending"}
    assert [code for code, _ in notices_shown(shop)] == ["batch.very_slow"]
    assert escalate(shop) == 1
    shop.sandbox.faults()
    for _ in range(3):
        shop.run_quiet(release_batch, batch)
    shop.follow(batch)
    assert (escalate(shop), shop.incidents()) == (0, [])
    assert shop.record()["violations"] == []


@pytest.mark.both_databases
def test_a_batch_behind_a_stopped_one_is_not_slow(each_shop):
    """Neither the follow-up nor the provider can carry it on: a person decides about the other batch."""
    shop = each_shop
    stopped, waiting = hold_back(shop)
    shop.set(RECONCILE__STUCK_WARNING_S="0.001", RECONCILE__STUCK_INCIDENT_S="0.001")
    assert notices_shown(shop) == [("waiting.suspended", {"batch": stopped, "batches": str(waiting)})]
    assert (escalate(shop), shop.incidents()) == (0, ["batch.answer_differs"])


@pytest.mark.parametrize("state", ["planned", "approved"])
def test_a_waiting_batch_is_reported_after_an_hour(each_shop, state):
    shop = each_shop
    batch = getattr(shop, state)(1)
    shop.set(RECONCILE__STUCK_INFO_S="0.001")
    assert notices_shown(shop) == []
    shop.set(RECONCILE__STUCK_WARNING_S="0.001")
    assert notices_shown(shop) == [("batch.very_slow", {"batch": batch, "hours": 0, "state": state})]
    shop.set(RECONCILE__STUCK_INCIDENT_S="0.001")
    assert escalate(shop) == 1
