"""Which conditions become alerts, and which alerts end by themselves."""

import os
from datetime import UTC, date, datetime, timedelta

from connectors.ledger import certificates, closings, rate_limits
from connectors.ledger.alerts import open_alerts
from tasks.alerts.conditions import OBSERVED, sync_alerts
from tasks.backup.copies import back_up_nightly
from tasks.stations.resolve import resolve_rows
from tests.tasks.rows import RIO, line, lines
from tests.tasks.workshop import Workshop


def found(shop: Workshop, *, ahead: timedelta = timedelta(0)) -> dict[str, dict[str, str | int]]:
    """Look once. Return the open alerts' figures by topic."""
    with shop.context(ahead=ahead) as context:
        sync_alerts(context)
        return {alert.topic: alert.params for alert in context.ledger.read(open_alerts)}


def test_waiting_work_is_an_alert_until_it_is_done(each_shop: Workshop):
    shop = each_shop
    shop.set(APPROVAL__AUTOMATIC="false")
    assert found(shop) == {}
    shop.staged(2)
    wrong = shop.reading(line(9, template_name="Errado"))
    shop.run(resolve_rows, wrong)
    alerts = found(shop)
    assert alerts["approval"] == {"file": 1, "count": 1, "total": "R$ 200,03"}
    assert alerts["returned"] == {"file": 2, "count": 1}
    shop.approve()
    assert found(shop).keys() == {"returned"}


def test_stops_stalls_and_rejections_raise_alerts(shop: Workshop):
    shop.sandbox.switch(rejection_share=1.0)
    shop.processed(1)
    (stopped,) = shop.assembled(*lines(1, first=11))[1]
    shop.disturb(stopped)
    shop.reading(*lines(1, first=21))
    shop.tamper("UPDATE readings SET alive_at = alive_at - 100000000000")
    alerts = found(shop)
    assert alerts.keys() == {"decision", "stalled", "rejected"}
    assert alerts["rejected"] == {"file": 1, "count": 1, "batch": 1}


def test_a_long_rest_is_an_alert_and_a_short_one_is_not(shop: Workshop):
    shop.write(rate_limits.pause_system, "nfse", waits_s=[600], because="provider.broken")
    assert found(shop) == {}
    shop.tamper("UPDATE rate_limits SET resting_since = resting_since - 120000000")
    assert found(shop) == {"resting": {"system": "nfse"}}


def test_an_old_copy_or_none_is_an_alert(shop: Workshop):
    later = timedelta(hours=27)
    assert found(shop, ahead=later) == {}
    shop.file()
    assert found(shop, ahead=later).keys() == {"backup"}
    with shop.context() as context:
        copy = back_up_nightly(context)
    assert found(shop) == {}
    assert found(shop, ahead=later).keys() == {"backup"}
    # A copy from before the clock was set back does not count for the days until then.
    next_week = (datetime.now(UTC) + timedelta(days=7)).timestamp()
    os.utime(copy, (next_week, next_week))
    assert found(shop, ahead=later).keys() == {"backup"}


def test_an_alert_warns_at_each_step_to_a_certificates_end(shop: Workshop):
    for days, step in ((40, None), (20, 30), (9, 15), (3, 7), (0, 1)):
        ends_at = datetime.now(UTC) + timedelta(days=days, hours=1)
        shop.write(certificates.enter, "nfse", RIO, ends_at=ends_at, by="Ana")
        assert found(shop).get("certificate", {}).get("days") == step
    shop.write(certificates.enter, "nfse", RIO, ends_at=datetime.now(UTC) + timedelta(days=365), by="Ana")
    assert found(shop) == {}


def test_a_closed_month_is_reported_for_a_day(shop: Workshop):
    shop.write(closings.close, date(2026, 10, 1), person="Ana")
    assert found(shop) == {"closed": {"month": "10/2026"}}
    shop.tamper("UPDATE closings SET closed_at = closed_at - 90000000000")
    assert found(shop) == {}


def test_every_topic_of_the_settings_is_raised_by_something():
    from typing import get_args  # noqa: PLC0415

    from configs.sections import Topic  # noqa: PLC0415
    from connectors.ledger.alerts import RUN_FAILED  # noqa: PLC0415
    from tasks.alerts.runs import LATE, SERVER  # noqa: PLC0415
    from tasks.alerts.sending import LEDGER  # noqa: PLC0415

    assert {*get_args(Topic)} == {*OBSERVED, RUN_FAILED, SERVER, LATE, LEDGER}
