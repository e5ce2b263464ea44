"""Paid invoices and orders for the mirror's tests."""

from datetime import UTC, date, datetime
from typing import Any

from domain.orders.orders import Order
from domain.orders.paid_invoices import PaidInvoice, Redeemed

SINCE = datetime(2026, 10, 1, 3, tzinfo=UTC)


def paid(number: int, **changes) -> PaidInvoice:
    """Return an invoice of R$ 89,90 with a surcharge of R$ 10,00, paid on the day of October that its number gives."""
    values: dict[str, Any] = {
        "plan_slug": "essencial",
        "number": number,
        "plan_name": "Essencial",
        "order_number": 7,
        "client_name": "Padaria do Cais Ltda",
        "client_document": "99000010000194",
        "payment_method": "boleto",
        "amount_cents": 8_990,
        "total_cents": 9_990,
        "adjustments": (Redeemed(1_000, "Usuário adicional"),),
        "created_at": datetime(2026, 10, 1, 12, tzinfo=UTC),
        "paid_at": datetime(2026, 10, number, 12, tzinfo=UTC),
        "charge_on": date(2026, 10, 5),
    }
    return PaidInvoice(**(values | changes))


def order(number: int, **changes) -> Order:
    values: dict[str, Any] = {
        "plan_slug": "essencial",
        "number": number,
        "account_uuid": "5f0c7a52-99a1-4b0e-8c3e-000000000001",
        "client_name": "Padaria do Cais Ltda",
        "client_document": "99000010000194",
        "amount_cents": 8_990,
        "charge_day": 5,
        "created_at": datetime(2026, 1, 1, 12, tzinfo=UTC),
        "activated_at": None,
        "active_until": None,
        "next_payment_at": None,
        "is_active": True,
        "is_paid": True,
        "is_trial": False,
        "is_recurring": True,
    }
    return Order(**(values | changes))
