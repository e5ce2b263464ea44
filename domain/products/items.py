"""The items of an order: what each comes to, and the wire group `produtos`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from domain import money
from domain.problems import Problem, Where
from domain.products.arithmetic import (
    PRICE_PLACES,
    QUANTITY_PLACES,
    apportioned,
    decimal_text,
    line_cents,
)
from domain.products.customers import CONTRIBUTOR, INSIDE, INTERSTATE, destination_of, indicator_of
from domain.products.lines import ProductLine
from domain.products.orders import Order
from domain.products.shops import Shop
from domain.products.taxes import SUBSTITUTED, ItemTaxes, item_taxes, tax_problems
from domain.products.wording import Wording

LARGEST_FIGURE: Final = Decimal(10) ** 9
_NCM: Final = re.compile(r"[0-9]{8}")
_CEST: Final = re.compile(r"[0-9]{7}")
_PRICE_LEAST_PLACES: Final = 2
_TEXTS: Final = {"code": ("codigo_produto", 60), "description": ("descricao", 120), "unit": ("unidade_comercial", 6)}
_CFOPS: Final[Mapping[tuple[str, int, bool], tuple[str, ...]]] = {
    ("102", INSIDE, True): ("5101", "5102"),
    ("102", INSIDE, False): ("5101", "5102"),
    ("102", INTERSTATE, True): ("6101", "6102"),
    ("102", INTERSTATE, False): ("6107", "6108"),
    ("500", INSIDE, True): ("5405",),
    ("500", INSIDE, False): ("5405",),
    ("500", INTERSTATE, True): ("6404",),
}
"""Operations by CSOSN, destination and whether the customer pays ICMS itself: sales of own or bought goods."""


@dataclass(frozen=True, slots=True)
class Item:
    """One line with its amounts in cents: `gross` is quantity × price; `discount` and `freight` hold its shares."""

    line: ProductLine
    gross_cents: int
    discount_cents: int
    freight_cents: int
    taxes: ItemTaxes

    @property
    def total_cents(self) -> int:
        return self.gross_cents - self.discount_cents + self.freight_cents


def items_of(order: Order) -> tuple[Item, ...]:
    """The items of an order without problems; its discount and freight are apportioned to the cent.

    The order's discount is spread over what each line's own discount leaves of it, so that none falls below zero.
    """
    gross = [line_cents(line.quantity, line.unit_price) for line in order.lines]
    own = [line.discount_cents or 0 for line in order.lines]
    left = [total - less for total, less in zip(gross, own, strict=True)]
    shared = apportioned(order.order_discount_cents or 0, left)
    freight = apportioned(order.freight_cents or 0, gross)
    found = []
    for index, line in enumerate(order.lines):
        discount = own[index] + shared[index]
        taxes = item_taxes(line, gross[index] - discount + freight[index])
        found.append(Item(line, gross[index], discount, freight[index], taxes))
    return tuple(found)


def item_problems(order: Order, shop: Shop) -> Iterator[Problem]:
    """Per cell of each line."""
    for line in order.lines:
        yield from _figure_problems(line)
        yield from tax_problems(line)
        if not _NCM.fullmatch(line.ncm):
            yield Problem("product.ncm", "ncm", Where(row=line.row), {"text": line.ncm[:20]})
        # goods under substitution are told apart by their CEST
        if not _CEST.fullmatch(line.cest or "") and (line.cest or line.icms == SUBSTITUTED):
            yield Problem("product.cest", "cest", Where(row=line.row), {"text": (line.cest or "")[:20]})
        yield from _operation_problems(line, order, shop)


def item_groups(items: Sequence[Item], wording: Wording) -> list[dict[str, Any]]:
    """`produtos`. Commercial and taxed unit are the same thing in a shop."""
    return [_group(item, wording) for item in items]


def _group(item: Item, wording: Wording) -> dict[str, Any]:
    line = item.line
    quantity = decimal_text(line.quantity, least_places=QUANTITY_PLACES, most_places=QUANTITY_PLACES)
    price = decimal_text(line.unit_price, least_places=_PRICE_LEAST_PLACES, most_places=PRICE_PLACES)
    group: dict[str, Any] = {
        wire: wording.take(name, getattr(line, name), limit, row=line.row) for name, (wire, limit) in _TEXTS.items()
    }
    group |= {
        "ncm": line.ncm,
        "cfop": line.cfop,
        "quantidade_comercial": quantity,
        "valor_unitario_comercial": price,
        "unidade_tributaria": group["unidade_comercial"],
        "quantidade_tributaria": quantity,
        "valor_unitario_tributario": price,
        "valor_total_produto": money.to_wire(item.gross_cents),
        "tributacao": item.taxes.wire,
    }
    if line.cest:
        group["cest"] = line.cest
    shares = {"valor_desconto": item.discount_cents, "valor_frete": item.freight_cents}
    return group | {name: money.to_wire(cents) for name, cents in shares.items() if cents}


def _figure_problems(line: ProductLine) -> Iterator[Problem]:
    where = Where(row=line.row)
    figures = (("quantity", line.quantity, QUANTITY_PLACES), ("unit_price", line.unit_price, PRICE_PLACES))
    for name, value, places in figures:
        if not value.is_finite() or not 0 < value < LARGEST_FIGURE:
            yield Problem("product.figure", name, where)
        elif -int(value.normalize().as_tuple().exponent) > places:
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
    if order.taker.state is None:
        return
    destination = destination_of(order, shop)
    allowed = _CFOPS.get((line.icms, destination, indicator_of(order.taker) == CONTRIBUTOR), ())
    if line.cfop not in allowed:
        params = {"text": line.cfop[:10], "csosn": line.icms, "supported": ", ".join(allowed) or "–"}
        code = "product.cfop_interstate" if destination == INTERSTATE else "product.cfop_inside"
        yield Problem(code, "cfop", Where(row=line.row), params)
