"""Compose an order into a canonical invoice: one NF-e or NFC-e without a number."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from domain import money
from domain.keys import business_key
from domain.problems import Problem, Where
from domain.products.canonical import Bill, CanonicalInvoice, Instalment, Item, Payment, ProductAmounts
from domain.products.choices import SHOWN
from domain.products.customers import customer_of, customer_problems, destination_of, is_final_consumer
from domain.products.items import amounts_of, item_problems, items_of
from domain.products.lines import ProductKind, ProductLine
from domain.products.orders import Order, order_of
from domain.products.shops import SIMPLE_NATIONAL, Shop
from domain.products.wording import Wording

USUAL_OPERATION: Final = "VENDA DE MERCADORIA"
LARGEST_CENTS: Final = 10**13 - 1
_BANK_SLIP: Final = "bank_slip"
_ONLY_INSTALMENT: Final = "001"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductInvoice:
    """A composed order without a number.

    The ledger stores `invoice`. `rows` are the sheet's rows that it bills; `remarks` show the approver what was
    changed.
    """

    invoice: CanonicalInvoice
    order_key: str
    rows: tuple[int, ...]
    business_key: str
    competence: date
    remarks: tuple[Problem, ...]

    @property
    def kind(self) -> ProductKind:
        """The document kind of the invoice."""
        return self.invoice.kind

    @property
    def amounts(self) -> ProductAmounts:
        """The invoice's totals."""
        return self.invoice.totals

    @property
    def content(self) -> Mapping[str, Any]:
        """The canonical invoice as JSON, without a number. The digest covers it."""
        return self.invoice.to_json()


def compose_product_invoice(lines: Sequence[ProductLine], *, shop: Shop) -> ProductInvoice | list[Problem]:
    """Compose the invoice of an order's lines, or return everything wrong with them, each Problem with its line's row.

    One bad line refuses the order: an invoice without the line would be another sale. Raises `ValueError` without
    lines.
    """
    order = order_of(lines)
    if isinstance(order, list):
        return order
    problems = [*_order_problems(order, shop), *customer_problems(order, shop), *item_problems(order, shop)]
    if not problems:
        problems = list(_amount_problems(order))
    if problems or order.kind is None or order.competence is None:
        return problems
    wording = Wording()
    invoice = _invoice(order, order.kind, shop, wording)
    if wording.problems:
        return wording.problems
    return ProductInvoice(
        invoice=invoice,
        order_key=order.key,
        rows=tuple(line.row for line in order.lines),
        business_key=key_of_order(shop.cnpj, order.competence, order.key),
        competence=order.competence,
        remarks=tuple(wording.remarks),
    )


def key_of_order(cnpj: str, competence: date, order_key: str) -> str:
    """Return the business key of an issuer's order in a month."""
    return business_key(
        emitter_cnpj=cnpj,
        competence=competence,
        # The prefix tells an order's number from the own key of a service row.
        own_key=f"pedido {order_key}",
        taker_document="",
        template="",
        service_cents=0,
        description="",
    )


def _order_problems(order: Order, shop: Shop) -> Iterator[Problem]:
    where = order.where
    needed = {"kind": order.kind, "payment": order.payment}
    yield from (Problem("product.order_lacks", name, where) for name, value in needed.items() if value is None)
    if order.competence is None:
        yield Problem("competence.missing", "competence", where)
    if shop.tax_regime != SIMPLE_NATIONAL:
        yield Problem("product.regime", "emitter_cnpj", where)
    for name, cents in (("order_discount_cents", order.order_discount_cents), ("freight_cents", order.freight_cents)):
        if cents is not None and cents < 0:
            yield Problem("product.negative", name, where)
    if order.freight_cents and order.freight != "sender":
        yield Problem("product.freight_without_sender", "freight_cents", where)
    if order.payment == _BANK_SLIP and order.due_on is None and order.kind != "nfce":
        yield Problem("product.order_lacks", "due_on", where)
    if order.kind == "nfce":
        yield from _counter_problems(order, where)


def _counter_problems(order: Order, where: Where) -> Iterator[Problem]:
    """Yield a problem for each field that an NFC-e does not have."""
    if order.payment == _BANK_SLIP:
        supported = SHOWN["payment"].rpartition(", ")[0]
        yield Problem("product.unsupported", "payment", where, {"text": "Boleto", "supported": supported})
    if order.freight == "sender":
        yield Problem("product.unsupported", "freight", where, {"text": "Remetente", "supported": "Sem frete"})
    if order.observations:
        yield Problem("product.nfce_without", "observations", where)


def _amount_problems(order: Order) -> Iterator[Problem]:
    """Yield the problems with the amounts of a whole order, whose single lines have none."""
    lines = amounts_of(dataclasses.replace(order, order_discount_cents=None))
    gross = sum(line.gross_cents for line in lines)
    net, discount = gross - sum(line.discount_cents for line in lines), order.order_discount_cents or 0
    if discount > net:
        params = {"discount": money.format_brl(discount), "amount": money.format_brl(net)}
        yield Problem("product.discount_too_large", "order_discount_cents", order.where, params)
        return
    total = net - discount + (order.freight_cents or 0)
    # A large discount can leave a small total while single amounts exceed the field sizes of an invoice.
    largest = max(total, gross)
    if total <= 0 or largest > LARGEST_CENTS:
        params = {"amount": money.format_brl(largest if total > 0 else total)}
        yield Problem("product.total", None, order.where, params)
    elif order.order_total_cents not in (None, total, gross):
        # the sheet's total may also be the sum of the goods, before discounts and freight
        amounts = {"declared": money.format_brl(order.order_total_cents or 0), "computed": money.format_brl(total)}
        yield Problem("product.order_total_differs", "order_total_cents", order.where, amounts)


def _invoice(order: Order, kind: ProductKind, shop: Shop, wording: Wording) -> CanonicalInvoice:
    row = order.lines[0].row
    operation = wording.take("operation", order.operation or USUAL_OPERATION, row=row)
    customer = customer_of(order, wording)
    items = items_of(order, wording)
    totals = _totals(items)
    payment = order.payment or ""
    return CanonicalInvoice(
        kind=kind,
        city_code=shop.city_code,
        operation=operation,
        destination=destination_of(order, shop),
        # Only a sale over the counter has a known place of the customer [A 2.15].
        presence="counter" if kind == "nfce" else "remote",
        is_final_consumer=is_final_consumer(order),
        customer=customer,
        items=items,
        payments=(Payment(means=payment, cents=totals.total_cents),),
        freight=order.freight or "none",
        totals=totals,
        remarks=_remarks(order, wording) if kind == "nfe" else None,
        bill=_bill(order, totals.total_cents, wording) if payment == _BANK_SLIP else None,
    )


def _totals(items: Sequence[Item]) -> ProductAmounts:
    gross, discount, freight = (
        sum(getattr(item, name) for item in items) for name in ("gross_cents", "discount_cents", "freight_cents")
    )
    return ProductAmounts(
        gross_cents=gross,
        discount_cents=discount,
        freight_cents=freight,
        total_cents=gross - discount + freight,
        pis_cents=sum(item.taxes.pis.cents or 0 for item in items),
        cofins_cents=sum(item.taxes.cofins.cents or 0 for item in items),
    )


def _remarks(order: Order, wording: Wording) -> str:
    remarks = " | ".join(text for text in (f"Pedido {order.key}", order.observations) if text)
    return wording.take("observations", remarks, row=order.lines[0].row)


def _bill(order: Order, cents: int, wording: Wording) -> Bill:
    if order.due_on is None:
        raise ValueError("a bank slip without a due date")
    number = wording.take("order_key", order.key, row=order.lines[0].row)
    return Bill(
        number=number, cents=cents, instalments=(Instalment(number=_ONLY_INSTALMENT, due_on=order.due_on, cents=cents),)
    )
