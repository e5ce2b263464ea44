"""The content of the two workbooks about orders. `words` are the catalogue's headings by key, in the reader's language.

`made_at` is the newest instant in the content and never the clock: the same content gives the same bytes.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from domain.competence import BRASILIA, first_of_month
from domain.orders.orders import ListedOrder, PlanTotal
from domain.orders.paid_invoices import MonthTotal, PaidInvoice, months_between


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidReport:
    """Everything paid in some plans since `since` (aware). `labels` name the plans, in the order of the report."""

    since: datetime
    made_at: datetime
    labels: Mapping[str, str]
    invoices: tuple[PaidInvoice, ...]
    totals: tuple[MonthTotal, ...]
    digest: str
    words: Mapping[str, str]
    warnings: tuple[str, ...] = ()

    @property
    def months(self) -> tuple[date, ...]:
        """Return every month from the first requested one to the last with a payment."""
        first = first_of_month(self.since.astimezone(BRASILIA).date())
        return months_between(first, max((total.month for total in self.totals), default=first))


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdersReport:
    """All orders of some plans."""

    made_at: datetime
    labels: Mapping[str, str]
    orders: tuple[ListedOrder, ...]
    totals: tuple[PlanTotal, ...]
    digest: str
    words: Mapping[str, str]
    warnings: tuple[str, ...] = ()


def label_plans(slugs: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """Return the label of each plan: its name, or its slug where the name is missing or shared."""
    listed = list(dict.fromkeys(slugs))
    shared = Counter(names.get(slug, slug).casefold() for slug in listed)
    return {slug: names[slug] if slug in names and shared[names[slug].casefold()] == 1 else slug for slug in listed}
