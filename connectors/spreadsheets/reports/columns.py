"""The columns of both reports, the same in the workbook and in the CSV."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar

from domain.documents import CNPJ_LENGTH, CPF_LENGTH, Document
from domain.orders.orders import ListedOrder
from domain.orders.paid_invoices import PaidInvoice

R = TypeVar("R")
Kind = Literal["text", "money", "instant", "day", "month", "count"]

MONTH, PLAN, STATUS, PAID_TOTAL, ORDER_AMOUNT = "month", "plan", "status", "total", "monthly"
"""The columns that the first page groups and sums."""


@dataclass(frozen=True, slots=True)
class Column(Generic[R]):
    """One column. `word` is the heading's key, `value` returns a line's value.

    A value is cents, an aware instant, a date, a count or text.
    """

    word: str
    width: float
    kind: Kind
    value: Callable[[R], Any]


def paid_columns(labels: Mapping[str, str], words: Mapping[str, str]) -> tuple[Column[PaidInvoice], ...]:
    return (
        Column("number", 9, "text", lambda row: str(row.number)),
        Column(PLAN, 16, "text", lambda row: labels.get(row.plan_slug, row.plan_slug)),
        Column(MONTH, 11, "month", lambda row: row.month),
        Column("paid_at", 17, "instant", lambda row: row.paid_at),
        Column("client", 34, "text", lambda row: row.client_name),
        Column("document", 20, "text", lambda row: _document(row.client_document)),
        Column("amount", 14, "money", lambda row: row.amount_cents),
        Column("adjusted", 13, "money", lambda row: row.total_cents - row.amount_cents),
        Column(PAID_TOTAL, 14, "money", lambda row: row.total_cents),
        Column("method", 18, "text", lambda row: words.get(f"method_{row.payment_method}", row.payment_method)),
        Column("charge_on", 12, "day", lambda row: row.charge_on),
        Column("order", 9, "text", lambda row: str(row.order_number)),
        Column("adjustments", 40, "text", lambda row: "; ".join(each.description for each in row.adjustments)),
    )


def order_columns(labels: Mapping[str, str], words: Mapping[str, str]) -> tuple[Column[ListedOrder], ...]:
    return (
        Column("order", 9, "text", lambda row: str(row.order.number)),
        Column(PLAN, 16, "text", lambda row: labels.get(row.order.plan_slug, row.order.plan_slug)),
        Column(STATUS, 18, "text", lambda row: words[row.status]),
        Column("client", 34, "text", lambda row: row.order.client_name),
        Column("document", 20, "text", lambda row: _document(row.order.client_document)),
        Column(ORDER_AMOUNT, 15, "money", lambda row: row.order.amount_cents),
        Column("created_at", 17, "instant", lambda row: row.order.created_at),
        Column("activated_at", 17, "instant", lambda row: row.order.activated_at),
        Column("active_until", 17, "instant", lambda row: row.order.active_until),
        Column("next_payment_at", 17, "instant", lambda row: row.order.next_payment_at),
        Column("charge_day", 10, "count", lambda row: row.order.charge_day),
        Column("account", 39, "text", lambda row: row.order.account_uuid),
    )


def _document(number: str | None) -> str | None:
    """Return a document as people write it; return an incomplete one unchanged."""
    if number is None or len(number) not in (CPF_LENGTH, CNPJ_LENGTH) or not number.isalnum():
        return number
    return Document("cpf" if len(number) == CPF_LENGTH else "cnpj", number).formatted


LONGEST_TEXT: Final = 32_000
"""A cell holds 32,767 characters; XlsxWriter would omit a longer text silently."""
