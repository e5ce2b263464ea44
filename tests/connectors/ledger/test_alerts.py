"""Alerts on both databases: one open alert per topic and subject, sent once, reopened only after it was cleared."""

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.alerts import claim_unsent, clear_alert, mark_delivered, open_alerts, raise_alert


def raised(ledger, subject="1", **params):
    return ledger.write(raise_alert, "stuck", subject, code="batch.stuck", params=params)


def test_an_open_alert_is_raised_once_and_kept_up_to_date(ledger):
    assert raised(ledger, batch=1)
    assert not raised(ledger, batch=2)
    assert raised(ledger, "2")
    first, second = ledger.read(open_alerts, "stuck")
    assert (first.subject, first.params, second.subject) == ("1", {"batch": 2}, "2")
    assert ledger.read(open_alerts, "another") == []


def test_a_cleared_alert_may_be_raised_again(ledger):
    raised(ledger)
    assert ledger.write(clear_alert, "stuck", "1")
    assert not ledger.write(clear_alert, "stuck", "1")
    assert ledger.read(open_alerts) == []
    assert raised(ledger)


def test_an_alert_is_sent_once_by_one_worker(ledger):
    raised(ledger)
    (claimed,) = ledger.write(claim_unsent, ["stuck"], seconds=60)
    assert ledger.write(claim_unsent, ["stuck"], seconds=60) == []
    ledger.write(mark_delivered, claimed, ["finance"], is_all=False)
    ledger.write(lambda conn: conn.execute(sa.update(tables.alerts).values(claimed_until=None)))
    (again,) = ledger.write(claim_unsent, ["stuck"], seconds=0)
    assert again.delivered_to == ["finance"]
    ledger.write(mark_delivered, again, ["board"], is_all=True)
    assert ledger.write(claim_unsent, ["stuck"], seconds=0) == []
    (alert,) = ledger.read(open_alerts)
    assert (alert.delivered_to, alert.delivered_at is None) == (["board", "finance"], False)


def test_a_dead_process_claim_is_sent_by_another(ledger):
    raised(ledger)
    assert ledger.write(claim_unsent, ["stuck"], seconds=0)
    assert len(ledger.write(claim_unsent, ["stuck"], seconds=60)) == 1


def test_a_claim_that_a_clock_set_back_left_ahead_has_ended(ledger):
    raised(ledger)
    assert ledger.write(claim_unsent, ["stuck"], seconds=86_400)
    assert len(ledger.write(claim_unsent, ["stuck"], seconds=60)) == 1
    assert ledger.write(claim_unsent, ["stuck"], seconds=60) == []


def test_only_alerts_of_the_topics_asked_for_are_claimed(ledger):
    raised(ledger)
    assert ledger.write(claim_unsent, [], seconds=60) == []
    assert ledger.write(claim_unsent, ["another"], seconds=60) == []
    assert len(ledger.write(claim_unsent, ["another", "stuck"], seconds=60)) == 1
