"""Figures for Prometheus, read by its own parser."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tasks.alerts.conditions import sync_alerts
from tasks.monitoring.metrics import metrics_text
from tests.tasks.rows import lines
from tests.tasks.workshop import Workshop


def figures(shop: Workshop) -> dict[tuple[str, ...], float]:
    """Return every figure by its name and the sorted values of its labels."""
    with shop.context() as context:
        sync_alerts(context)
        text = metrics_text(context).decode()
    families = text_string_to_metric_families(text)
    return {(each.name, *sorted(each.labels.values())): each.value for family in families for each in family.samples}


def test_an_empty_ledger_has_figures(shop: Workshop):
    seen = figures(shop)
    assert seen["faturista_ledger_lag_seconds",] == 0
    assert seen["faturista_provider_resting", "nfse"] == 0


@pytest.mark.both_databases
def test_the_ledgers_content_is_counted(each_shop: Workshop):
    shop = each_shop
    shop.set(APPROVAL__AUTOMATIC="false")
    shop.processed(2)
    seen = figures(shop)
    assert seen["faturista_invoices", "accepted"] == 2
    assert seen["faturista_rows", "assembled"] == 2
    assert seen["faturista_batches", "processed"] == 1
    assert seen["faturista_request_seconds_count", "2xx", "nfse"] >= 5
    assert (
        seen["faturista_request_seconds_bucket", "+Inf", "2xx", "nfse"]
        == seen["faturista_request_seconds_count", "2xx", "nfse"]
    )
    assert seen["faturista_request_seconds_sum", "2xx", "nfse"] > 0


def test_overdue_batches_show_as_lag(shop: Workshop):
    shop.assembled(*lines(1))
    shop.tamper("UPDATE batches SET due_at = due_at - 3600000000")
    assert 3_600 <= figures(shop)["faturista_ledger_lag_seconds",] < 7_200
