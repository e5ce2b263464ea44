"""Purchase orders, their status, and the sums that a report shows."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final, Literal

from domain.keys import canonical_json, content_digest

OrderStatus = Literal["active", "unpaid", "trial", "expired", "inactive", "gone"]
"""The status of an order; the words are `report_orders.<status>`.

`unpaid`: active, with a debt. `trial`: runs without payment until a day. `expired`: a trial that ended. `inactive`:
cancelled or never activated. `gone`: listed before, not any more.
"""

ORDER_STATUSES: Final[tuple[OrderStatus, ...]] = ("active", "unpaid", "trial", "expired", "inactive", "gone")
"""The order in which reports show the statuses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A purchase order. `(plan_slug, number)` is its key, and belongs to one account for ever.

    Instants are aware, the amount is monthly.
    """

    plan_slug: str
    number: int
    account_uuid: str
    client_name: str | None
    client_document: str | None
    amount_cents: int
    charge_day: int | None
    created_at: datetime
    activated_at: datetime | None
    active_until: datetime | None
    next_payment_at: datetime | None
    is_active: bool
    is_paid: bool
    is_trial: bool
    is_recurring: bool

    def digest(self) -> str:
        """Return one digest over all fields."""
        return content_digest(
            canonical_json({each.name: _json_value(getattr(self, each.name)) for each in fields(self)})
        )


@dataclass(frozen=True, slots=True)
class ListedOrder:
    """An order as the mirror holds it. `is_gone`: the service's newest complete list did not name it."""

    order: Order
    is_gone: bool

    @property
    def status(self) -> OrderStatus:
        """Return the status from the service's fields alone, without a clock."""
        order = self.order
        if self.is_gone:
            return "gone"
        if order.is_trial:
            return "trial" if order.is_active else "expired"
        if not order.is_active:
            return "inactive"
        return "active" if order.is_paid else "unpaid"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanTotal:
    """The number of orders of one plan in one status, and their monthly sum."""

    plan_slug: str
    status: OrderStatus
    count: int
    amount_cents: int


def total_by_plan(orders: Iterable[ListedOrder]) -> tuple[PlanTotal, ...]:
    """Return one line for each plan and status, in a fixed order."""
    groups: defaultdict[tuple[str, int], list[ListedOrder]] = defaultdict(list)
    for each in orders:
        groups[each.order.plan_slug, ORDER_STATUSES.index(each.status)].append(each)
    return tuple(
        PlanTotal(
            plan_slug=plan,
            status=ORDER_STATUSES[place],
            count=len(group),
            amount_cents=sum(each.order.amount_cents for each in group),
        )
        for (plan, place), group in sorted(groups.items())
    )


def digest_of(orders: Sequence[ListedOrder]) -> str:
    """Return the digest of a report's content: the same orders in the same order have the same digest."""
    return content_digest(canonical_json([[each.order.digest(), each.is_gone] for each in orders]))


def _json_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
