"""Paid invoices, the fields that may never change, and the sums that a report shows."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any, Final

from domain.competence import BRASILIA, first_of_month
from domain.keys import canonical_json, content_digest

IMMUTABLE: Final = ("order_number", "client_document", "amount_cents", "total_cents", "adjustments", "paid_at")
"""Facts of a payment. An answer that changes one of these fields is a clash, never an update."""


@dataclass(frozen=True, slots=True)
class Redeemed:
    """An adjustment on an invoice: positive is a surcharge, negative a discount."""

    amount_cents: int
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidInvoice:
    """A paid invoice. `(plan_slug, number)` is its key.

    Instants are aware; its month is that of `paid_at` in São Paulo.
    """

    plan_slug: str
    number: int
    plan_name: str
    order_number: int
    client_name: str | None
    client_document: str | None
    payment_method: str | None
    amount_cents: int
    total_cents: int
    adjustments: tuple[Redeemed, ...]
    created_at: datetime
    paid_at: datetime
    charge_on: date | None

    @property
    def month(self) -> date:
        return first_of_month(self.paid_at.astimezone(BRASILIA).date())

    @property
    def adjusted_cents(self) -> int:
        """Return the sum of all adjustments in cents."""
        return sum(each.amount_cents for each in self.adjustments)

    @property
    def is_sound(self) -> bool:
        """Return whether amount plus adjustments equals the total."""
        return self.amount_cents + self.adjusted_cents == self.total_cents

    def immutable_digest(self) -> str:
        """Return the digest of the fields that may never change."""
        return content_digest(canonical_json({name: _json_value(getattr(self, name)) for name in IMMUTABLE}))

    def digest(self) -> str:
        """Return one digest over all fields."""
        return content_digest(
            canonical_json({each.name: _json_value(getattr(self, each.name)) for each in fields(self)})
        )

    def firm(self) -> Mapping[str, Any]:
        """Return the fields that may never change, in JSON form."""
        return {name: _json_value(getattr(self, name)) for name in IMMUTABLE}


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthTotal:
    """The payments of one plan in one month."""

    month: date
    plan_slug: str
    count: int
    amount_cents: int
    adjusted_cents: int
    total_cents: int


def total_by_month(invoices: Iterable[PaidInvoice]) -> tuple[MonthTotal, ...]:
    """Return one line for each month and plan with a payment, oldest first."""
    groups: defaultdict[tuple[date, str], list[PaidInvoice]] = defaultdict(list)
    for invoice in invoices:
        groups[invoice.month, invoice.plan_slug].append(invoice)
    return tuple(
        MonthTotal(
            month=month,
            plan_slug=plan,
            count=len(group),
            amount_cents=sum(invoice.amount_cents for invoice in group),
            adjusted_cents=sum(invoice.total_cents - invoice.amount_cents for invoice in group),
            total_cents=sum(invoice.total_cents for invoice in group),
        )
        for (month, plan), group in sorted(groups.items())
    )


def months_between(first: date, last: date) -> tuple[date, ...]:
    """Return every month from `first` to `last`, both included, so that a month without payments appears too."""
    count = (last.year - first.year) * 12 + last.month - first.month + 1
    start = first.year * 12 + first.month - 1
    return tuple(date((start + step) // 12, (start + step) % 12 + 1, 1) for step in range(count))


def digest_of(items: Sequence[PaidInvoice]) -> str:
    """Return the digest of a report's content: the same invoices in the same order have the same digest."""
    return content_digest(canonical_json([item.digest() for item in items]))


def _json_value(value: Any) -> Any:
    if isinstance(value, tuple):
        return [[each.amount_cents, each.description] for each in value]
    return value.isoformat() if isinstance(value, date | datetime) else value
