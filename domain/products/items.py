"""Compose the items of an order: amounts, texts and taxes; and report the problems of a line."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from domain import money
from domain.problems import Problem, Where
from domain.products.arithmetic import PRICE_PLACES, QUANTITY_PLACES, apportion, decimal_places, line_cents
from domain.products.canonical import Destination, Item
from domain.products.customers import destination_of, icms_status_of
from domain.products.lines import ProductLine
from domain.products.orders import Order
from domain.products.shops import Shop
from domain.products.taxes import SUBSTITUTED, item_taxes, tax_problems
from domain.products.wording import Wording

LARGEST_FIGURE: Final = Decimal(10) ** 9
_NCM: Final = re.compile(r"[0-9]{8}")
_CEST: Final = re.compile(r"[0-9]{7}")
_CFOPS: Final[Mapping[tuple[str, Destination, bool], tuple[str, ...]]] = {
    ("102", "inside", True): ("5101", "5102"),
    ("102", "inside", False): ("5101", "5102"),
    ("102", "interstate", True): ("6101", "6102"),
    ("102", "interstate", False): ("6107", "6108"),
    ("500", "inside", True): ("5405",),
    ("500", "inside", False): ("5405",),
    ("500", "interstate", True): ("6404",),
}
"""The CFOPs for sales of own or bought goods, by CSOSN, destination and whether the customer is a contributor."""


@dataclass(frozen=True, slots=True)
class LineAmounts:
    """The amounts of one line: gross is quantity × price; discount and freight include its share of the order's."""

    gross_cents: int
    discount_cents: int
    freight_cents: int

    @property
    def total_cents(self) -> int:
        """Return what the customer pays for the line."""
        return self.gross_cents - self.discount_cents + self.freight_cents


def amounts_of(order: Order) -> tuple[LineAmounts, ...]:
    """Compute the amounts of the order's lines; every cent of discount and freight belongs to exactly one line.

    The order's discount is spread over the lines after their own discounts, so that no line falls below zero. The lines
    must have no `item_problems`.
    """
    gross = [line_cents(line.quantity, line.unit_price) for line in order.lines]
    own = [line.discount_cents or 0 for line in order.lines]
    net = [total - less for total, less in zip(gross, own, strict=True)]
    shared = apportion(order.order_discount_cents or 0, net)
    freight = apportion(order.freight_cents or 0, gross)
    discounts = (less + more for less, more in zip(own, shared, strict=True))
    return tuple(map(LineAmounts, gross, discounts, freight))


def items_of(order: Order, wording: Wording) -> tuple[Item, ...]:
    """Compose the items of an order whose lines have no `item_problems`."""
    return tuple(_item(line, amounts, wording) for line, amounts in zip(order.lines, amounts_of(order), strict=True))


def item_problems(order: Order, shop: Shop) -> Iterator[Problem]:
    """Yield the problems of each line, at most one for each cell."""
    for line in order.lines:
        yield from _figure_problems(line)
        yield from tax_problems(line)
        if not _NCM.fullmatch(line.ncm):
            yield Problem("product.ncm", "ncm", Where(row=line.row), {"text": line.ncm[:20]})
        # The law identifies goods under substitution by their CEST.
        if not _CEST.fullmatch(line.cest or "") and (line.cest or line.icms == SUBSTITUTED):
            yield Problem("product.cest", "cest", Where(row=line.row), {"text": (line.cest or "")[:20]})
        yield from _operation_problems(line, order, shop)


def _item(line: ProductLine, amounts: LineAmounts, wording: Wording) -> Item:
    return Item(
        code=wording.take("code", line.code, row=line.row),
        description=wording.take("description", line.description, row=line.row),
        unit=wording.take("unit", line.unit, row=line.row),
        ncm=line.ncm,
        cfop=line.cfop,
        cest=line.cest or None,
        quantity=line.quantity,
        unit_price=line.unit_price,
        gross_cents=amounts.gross_cents,
        discount_cents=amounts.discount_cents,
        freight_cents=amounts.freight_cents,
        taxes=item_taxes(line, amounts.total_cents),
    )


def _figure_problems(line: ProductLine) -> Iterator[Problem]:
    where = Where(row=line.row)
    figures = (("quantity", line.quantity, QUANTITY_PLACES), ("unit_price", line.unit_price, PRICE_PLACES))
    for name, value, places in figures:
        if not value.is_finite() or not 0 < value < LARGEST_FIGURE:
            yield Problem("product.figure", name, where)
        elif decimal_places(value) > places:
            yield Problem("product.places", name, where, {"places": places})
    discount = line.discount_cents or 0
    if discount < 0:
        yield Problem("product.negative", "discount_cents", where)
    elif all(value.is_finite() and value > 0 for _, value, _ in figures):
        gross = line_cents(line.quantity, line.unit_price)
        if gross == 0:
            yield Problem("product.figure", "unit_price", where)
        elif discount > gross:
            params = {"discount": money.format_brl(discount), "amount": money.format_brl(gross)}
            yield Problem("product.discount_too_large", "discount_cents", where, params)


def _operation_problems(line: ProductLine, order: Order, shop: Shop) -> Iterator[Problem]:
    if order.taker.state is None and order.kind != "nfce":
        return
    destination = destination_of(order, shop)
    allowed = _CFOPS.get((line.icms, destination, icms_status_of(order.taker) == "contributor"), ())
    if line.cfop not in allowed:
        params = {"text": line.cfop[:10], "csosn": line.icms, "supported": ", ".join(allowed) or "–"}
        code = "product.cfop_interstate" if destination == "interstate" else "product.cfop_inside"
        yield Problem(code, "cfop", Where(row=line.row), params)
