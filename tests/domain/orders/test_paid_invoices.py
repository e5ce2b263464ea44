"""Paid invoices: their month, their sums, and when two are the same."""

from dataclasses import fields, replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.orders.paid_invoices import (
    IMMUTABLE,
    MonthTotal,
    PaidInvoice,
    Redeemed,
    digest_of,
    months_between,
    total_by_month,
)

INVOICE = PaidInvoice(
    plan_slug="essencial",
    number=1,
    plan_name="Essencial",
    order_number=7,
    client_name="Padaria",
    client_document="99000010000194",
    payment_method="boleto",
    amount_cents=8_990,
    total_cents=9_490,
    adjustments=(Redeemed(1_000, "Usuário"), Redeemed(-500, "Desconto")),
    created_at=datetime(2026, 10, 1, tzinfo=UTC),
    paid_at=datetime(2026, 10, 5, tzinfo=UTC),
    charge_on=date(2026, 10, 5),
)
OTHER: dict[type, Any] = {
    str: "outro",
    int: 3,
    tuple: (),
    datetime: datetime(2020, 1, 1, tzinfo=UTC),
    date: date(2020, 1, 1),
}


@pytest.mark.parametrize(
    ("paid_at", "month"),
    [
        (datetime(2026, 11, 1, 2, 59, 59, tzinfo=UTC), date(2026, 10, 1)),
        (datetime(2026, 11, 1, 3, 0, 0, tzinfo=UTC), date(2026, 11, 1)),
        (datetime(2027, 1, 1, 0, 0, 0, tzinfo=UTC), date(2026, 12, 1)),
    ],
)
def test_a_month_is_sao_paulos(paid_at, month):
    assert replace(INVOICE, paid_at=paid_at).month == month


def test_adjustments_and_amount_come_to_the_total():
    assert INVOICE.adjusted_cents == 500
    assert INVOICE.is_sound
    assert not replace(INVOICE, total_cents=9_491).is_sound


@pytest.mark.parametrize("name", [each.name for each in fields(PaidInvoice)])
def test_every_field_changes_a_digest_and_firm_ones_both(name):
    other = replace(INVOICE, **{name: OTHER[type(getattr(INVOICE, name))]})
    assert other.digest() != INVOICE.digest()
    assert (other.immutable_digest() != INVOICE.immutable_digest()) == (name in IMMUTABLE)
    assert digest_of([INVOICE, other]) != digest_of([other, INVOICE])


def test_payments_are_summed_by_month_and_plan():
    november = replace(INVOICE, number=2, paid_at=datetime(2026, 11, 5, tzinfo=UTC))
    other = replace(INVOICE, plan_slug="avancado", total_cents=8_990, adjustments=())
    october = date(2026, 10, 1)
    assert total_by_month([november, INVOICE, other, replace(INVOICE, number=3)]) == (
        MonthTotal(
            month=october, plan_slug="avancado", count=1, amount_cents=8_990, adjusted_cents=0, total_cents=8_990
        ),
        MonthTotal(
            month=october, plan_slug="essencial", count=2, amount_cents=17_980, adjusted_cents=1_000, total_cents=18_980
        ),
        MonthTotal(
            month=date(2026, 11, 1),
            plan_slug="essencial",
            count=1,
            amount_cents=8_990,
            adjusted_cents=500,
            total_cents=9_490,
        ),
    )


@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 400), st.sampled_from("abc"))))
def test_sums_lose_no_cent(drawn):
    invoices = [
        replace(
            INVOICE, number=n, total_cents=cents, plan_slug=plan, paid_at=datetime(2026, 1, 1 + days % 28, tzinfo=UTC)
        )
        for n, (cents, days, plan) in enumerate(drawn)
    ]
    totals = total_by_month(invoices)
    assert sum(total.total_cents for total in totals) == sum(invoice.total_cents for invoice in invoices)
    assert sum(total.count for total in totals) == len(invoices)


def test_months_between_two_include_both():
    assert months_between(date(2025, 11, 1), date(2026, 2, 1)) == (
        date(2025, 11, 1),
        date(2025, 12, 1),
        date(2026, 1, 1),
        date(2026, 2, 1),
    )
    assert months_between(date(2026, 2, 1), date(2026, 2, 1)) == (date(2026, 2, 1),)
    assert months_between(date(2026, 3, 1), date(2026, 2, 1)) == ()
