"""Orders: their status and their sums."""

from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from domain.orders.orders import ListedOrder, Order, PlanTotal, digest_of, total_by_plan

ORDER = Order(
    plan_slug="essencial",
    number=1,
    account_uuid="u",
    client_name="Padaria",
    client_document="99000010000194",
    amount_cents=8_990,
    charge_day=5,
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
    activated_at=datetime(2026, 1, 2, tzinfo=UTC),
    active_until=None,
    next_payment_at=None,
    is_active=True,
    is_paid=True,
    is_trial=False,
    is_recurring=True,
)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, "active"),
        ({"is_paid": False}, "unpaid"),
        ({"is_active": False}, "inactive"),
        ({"is_active": False, "is_paid": False}, "inactive"),
        ({"is_trial": True, "is_paid": False}, "trial"),
        ({"is_trial": True, "is_active": False}, "expired"),
    ],
)
def test_the_fields_of_an_order_give_its_status(changes, status):
    assert ListedOrder(replace(ORDER, **changes), is_gone=False).status == status
    assert ListedOrder(replace(ORDER, **changes), is_gone=True).status == "gone"


def test_sums_by_plan_in_the_order_of_statuses():
    listed = [
        ListedOrder(replace(ORDER, number=2, is_active=False), is_gone=False),
        ListedOrder(ORDER, is_gone=False),
        ListedOrder(replace(ORDER, number=3), is_gone=False),
        ListedOrder(replace(ORDER, plan_slug="a"), is_gone=True),
    ]
    assert total_by_plan(listed) == (
        PlanTotal(plan_slug="a", status="gone", count=1, amount_cents=8_990),
        PlanTotal(plan_slug="essencial", status="active", count=2, amount_cents=17_980),
        PlanTotal(plan_slug="essencial", status="inactive", count=1, amount_cents=8_990),
    )


@pytest.mark.parametrize("name", [each.name for each in fields(Order)])
def test_every_field_makes_another_digest(name):
    value = getattr(ORDER, name)
    other: Any = "outro" if isinstance(value, str) else datetime(2020, 1, 1, tzinfo=UTC)
    if isinstance(value, int):
        other = not value if isinstance(value, bool) else 3
    changed = replace(ORDER, **{name: other})
    assert changed.digest() != ORDER.digest()
    assert digest_of([ListedOrder(ORDER, False)]) != digest_of([ListedOrder(ORDER, True)])
