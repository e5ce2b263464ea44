"""Hold orders that may bill a sale again: a respelled or moved order, or a file of an earlier file's sales.

Only invoices of other files count, as for services. A really different order number shows that an order is another
sale, unless both may correct one failed order, or most of its file's orders equal invoices of an earlier file; then a
person is asked about the file.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final, NamedTuple, TypeAlias

from connectors.ledger.files import ReadingRecord
from connectors.ledger.invoices import invoices_by_ids
from connectors.ledger.rows import RowRecord
from connectors.ledger.sheets.corrected_rows import BilledRow
from connectors.ledger.sheets.living_orders import LivingOrder, living_orders
from domain.competence import BRASILIA, format_competence
from domain.corrections.twice_corrected import is_twice_corrected
from domain.problems import Problem
from domain.products.invoices import ProductInvoice
from domain.products.keys import sale_of
from domain.products.lines import folded_order
from domain.texts import folded_charge
from tasks.issuance.twice_corrected import Correctable, billable_row, billed_elsewhere, months_of_rows
from tasks.runtime import PRODUCTS, Runtime
from tasks.services.similar_charges import ORDERS_QUESTION, QUESTIONS, followed_rows, is_released

_FEWEST: Final = 3
"""The fewest different sales for which a file resembles another: a few customers often buy the same thing again."""

_Groups: TypeAlias = Mapping[int, Sequence[RowRecord]]
_Items: TypeAlias = tuple[tuple[str, Decimal, int], ...]


class _Sale(NamedTuple):
    """Whose order it is, by the CNPJ of the shop and the customer's document, with its total and its items."""

    cnpj: str
    document: str
    cents: int
    items: _Items


@dataclass(frozen=True, slots=True)
class _Order:
    """A composed order and its rows, to compare with invoices."""

    cnpj: str
    document: str
    invoice: ProductInvoice
    rows: Sequence[RowRecord]

    @property
    def sale(self) -> _Sale:
        return _Sale(self.cnpj, self.document, self.invoice.amounts.total_cents, _items_of(self.invoice.content))

    def correctable(self, followed: _Groups) -> Correctable:
        """Return the order's rows, to find whether they correct a failed order."""
        emitter_id = self.rows[0].emitter_id or 0
        return Correctable(emitter_id, self.invoice.competence, self.rows, _followed_line(self, followed))


class _LivingInvoices:
    """Living invoices of other files, by order and by sale. Those of detached months have neither."""

    def __init__(self, found: Iterable[LivingOrder]) -> None:
        self._by_number: defaultdict[tuple[str, str, tuple[str, ...]], list[LivingOrder]] = defaultdict(list)
        self._by_total: defaultdict[tuple[str, int, date], list[LivingOrder]] = defaultdict(list)
        self._by_month: defaultdict[tuple[str, str, date], list[LivingOrder]] = defaultdict(list)
        for each in found:
            if each.order_key is not None:
                self._by_number[each.cnpj, each.document, folded_order(each.order_key)].append(each)
                self._by_total[each.document, each.total_cents, each.competence].append(each)
                self._by_month[each.cnpj, each.document, each.competence].append(each)

    def same_order(self, order: _Order) -> list[LivingOrder]:
        """Return the invoices that are of this order in spite of its spelling or month, oldest first.

        In another month, an equal number may be a new count of orders; then the total tells.
        """
        month, cents = order.invoice.competence, order.invoice.amounts.total_cents
        found = self._by_number.get((order.cnpj, order.document, folded_order(order.invoice.order_key)), ())
        return [each for each in found if each.competence == month or each.total_cents == cents]

    def same_correction(self, order: _Order, followed: _Groups) -> list[LivingOrder]:
        """Return the invoices of this order's month that may correct the same failed order, oldest first."""
        line, key = _followed_line(order, followed), order.invoice.order_key
        ours = [billable_row(row, line, names=[key]) for row in order.rows]
        found = self._by_month.get((order.cnpj, order.document, order.invoice.competence), ())
        return [each for each in found if any(is_twice_corrected(row, each.billed) for row in ours)]

    def same_total(self, order: _Order) -> list[LivingOrder]:
        """Return the invoices with this order's total: of its month and any shop, or of this order in any month."""
        month, cents = order.invoice.competence, order.invoice.amounts.total_cents
        moved = (each for each in self.same_order(order) if each.competence != month)
        return [*self._by_total.get((order.document, cents, month), ()), *moved]


async def hold_orders(
    runtime: Runtime,
    reading: ReadingRecord,
    composed: Mapping[int, ProductInvoice],
    groups: _Groups,
    cnpjs: Mapping[int, str],
    *,
    ours: Collection[str],
) -> dict[int, Problem]:
    """Return the problem of each held order by the id of its first row.

    `cnpjs` are the shops' by emitter id, `ours` the business keys of all orders in the sheet. An order that corrects a
    held one is held for the same question.
    """
    if is_released(reading) or not composed:
        return {}
    orders = {leader: _order(groups[leader], invoice, cnpjs) for leader, invoice in composed.items()}
    living = await _living_invoices(runtime, reading, orders.values())
    followed = await followed_rows(runtime, [row for leader in composed for row in groups[leader]])
    fresh = {leader: order for leader, order in orders.items() if all(row.follows_id is None for row in order.rows)}
    question = await _question(runtime, reading, fresh, living, ours)
    held: dict[int, Problem] = dict.fromkeys(fresh, question) if question is not None else {}
    for leader, order in orders.items():
        problem = held.get(leader) or _problem_of(order, living, followed)
        if problem is not None:
            held[leader] = problem
    asked = {leader: order.correctable(followed) for leader, order in orders.items() if leader not in held}
    months = months_of_rows(row for rows in groups.values() for row in rows)
    found = await billed_elsewhere(runtime, reading, PRODUCTS, asked, months)
    return held | {leader: _corrected_problem(other) for leader, other in found.items()}


def _order(rows: Sequence[RowRecord], invoice: ProductInvoice, cnpjs: Mapping[int, str]) -> _Order:
    sale = sale_of(invoice.content)
    return _Order(cnpjs[rows[0].emitter_id or 0], sale[0], invoice, rows)


async def _living_invoices(runtime: Runtime, reading: ReadingRecord, orders: Collection[_Order]) -> _LivingInvoices:
    """Look up the invoices of other files that may be of these orders."""
    found = await runtime.ledger.read_async(
        living_orders,
        {order.document for order in orders},
        months={order.invoice.competence for order in orders},
        totals={order.invoice.amounts.total_cents for order in orders},
        but_file=reading.file_id,
    )
    return _LivingInvoices(found)


def _problem_of(order: _Order, living: _LivingInvoices, followed: _Groups) -> Problem | None:
    """Return the question that a corrected order's rows wait for, or the earlier invoice of this order, or None."""
    line = _followed_line(order, followed)
    asked = next((each for row in line for each in row.problems if each.code in QUESTIONS), None)
    if asked is not None:
        return asked
    families, files = {row.family for row in order.rows}, {row.file_id for row in line}
    equal, corrected = (
        [each for each in found if each.family not in families and each.file_id not in files]
        for found in (living.same_order(order), living.same_correction(order, followed))
    )
    if equal:
        return Problem("product.similar_living", "order_key", params=_params(equal[-1]))
    return _corrected_problem(corrected[-1]) if corrected else None


def _followed_line(order: _Order, followed: _Groups) -> list[RowRecord]:
    """Return the rows that the order's rows follow."""
    return [row for each in order.rows for row in followed.get(each.follows_id or 0, ())]


def _corrected_problem(other: LivingOrder | BilledRow) -> Problem:
    return Problem("product.similar_corrected", "order_key", params=_params(other))


def _params(other: LivingOrder | BilledRow) -> dict[str, str | int]:
    params: dict[str, str | int] = {"order": other.order_key or "", "month": format_competence(other.competence)}
    params |= {"file": other.file_name, "row": other.row_number}
    return params | {"serie": other.serie or "-", "number": other.number or "-"}


async def _question(
    runtime: Runtime,
    reading: ReadingRecord,
    fresh: Mapping[int, _Order],
    living: _LivingInvoices,
    ours: Collection[str],
) -> Problem | None:
    """Return the question about a file most of whose orders equal an earlier file's invoices, or its consequence.

    Leave out invoices of orders that are in the sheet under the same number, because its person sees both, and sales
    that have invoices under several numbers: about the same orders of every week a person answers once a month.
    """
    alike = {
        leader: [each for each in living.same_total(order) if each.business_key not in ours]
        for leader, order in fresh.items()
    }
    if sum(map(bool, alike.values())) < _FEWEST:
        return None
    items = await _items_by_id(runtime, {each.invoice_id for found in alike.values() for each in found})
    equal: defaultdict[int, set[int]] = defaultdict(set)
    sales: defaultdict[int, set[_Sale]] = defaultdict(set)
    file: dict[int, LivingOrder] = {}
    for leader, similar in alike.items():
        sale = fresh[leader].sale
        found = [each for each in similar if items.get(each.invoice_id) == sale.items]
        if len({folded_order(each.order_key or "") for each in found}) > 1:
            continue  # this customer has bought the same again before
        for each in found:
            equal[each.file_id].add(leader)
            sales[each.file_id].add(sale)
            file[each.file_id] = each
    most = max(equal, key=lambda each: (len(equal[each]), each), default=None)
    if most is None or len(sales[most]) < _FEWEST or 2 * len(equal[most]) <= len(fresh):
        return None
    params: dict[str, str | int] = {"equal": len(equal[most]), "count": len(fresh), "file": file[most].file_name}
    params["day"] = f"{file[most].received_at.astimezone(BRASILIA):%d/%m/%Y}"
    is_correction = reading.options.get("answer") == "correction"
    return Problem("product.same_sales" if is_correction else ORDERS_QUESTION, params=params)


async def _items_by_id(runtime: Runtime, ids: Collection[int]) -> dict[int, _Items]:
    found = await runtime.ledger.read_async(invoices_by_ids, sorted(ids))
    return {each.id: _items_of(json.loads(each.content)) for each in found}


def _items_of(content: Mapping[str, Any]) -> _Items:
    """Return code, quantity and amount of each item, in one sequence for all sequences of the same items."""
    items = content.get("items", ())
    return tuple(
        sorted((folded_charge(each["code"]), Decimal(each["quantity"]), each["gross_cents"]) for each in items)
    )
