"""The content of both reports."""

from datetime import UTC, date, datetime

import pytest

from domain.orders.paid_invoices import MonthTotal
from domain.orders.reports import PaidReport, label_plans


def report(*months, since=datetime(2026, 10, 1, 2, 59, tzinfo=UTC)):
    totals = [
        MonthTotal(month=month, plan_slug="a", count=1, amount_cents=1, adjusted_cents=0, total_cents=1)
        for month in months
    ]
    return PaidReport(since=since, made_at=since, labels={}, invoices=(), totals=tuple(totals), digest="", words={})


def test_months_run_from_the_first_asked_to_the_last_payment():
    assert report(date(2026, 11, 1)).months == (date(2026, 9, 1), date(2026, 10, 1), date(2026, 11, 1))
    assert report().months == (date(2026, 9, 1),)


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        ({"a": "Plano A", "b": "Plano B"}, {"a": "Plano A", "b": "Plano B"}),
        ({"a": "Plano", "b": "plano"}, {"a": "a", "b": "b"}),
        ({}, {"a": "a", "b": "b"}),
        ({"a": "b"}, {"a": "a", "b": "b"}),
    ],
)
def test_a_plan_is_called_by_its_name_unless_it_shares_it(names, labels):
    assert label_plans(["a", "b", "a"], names) == labels
