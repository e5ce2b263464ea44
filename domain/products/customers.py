"""Compose the customer of an order, and report missing or unsupported data."""

from collections.abc import Iterable, Iterator
from typing import Final

from domain.corrections.answers import OF_BRANCH, OF_EMITTER
from domain.parties import TakerData
from domain.problems import Problem
from domain.products.canonical import Address, Customer, Destination, IcmsStatus
from domain.products.orders import Order
from domain.products.shops import Shop
from domain.products.wording import Wording

_ADDRESS: Final = ("street", "number", "neighborhood", "city_code", "city", "state", "zip_code")
_EXEMPT_WORDS: Final = frozenset({"ISENTO", "ISENTA", "ISENTOS"})
_ROOT: Final = 8
"""The signs of a CNPJ that all branches of one company share."""
_INSCRIPTION_DIGITS: Final = range(2, 15)


def inscription_of(taker: TakerData) -> str:
    """Return the state inscription: digits, `ISENTO`, or empty. Other texts stay as written."""
    text = (taker.state_inscription or "").strip().upper()
    return "ISENTO" if text in _EXEMPT_WORDS else "".join(sign for sign in text if sign not in ".-/ ")


def icms_status_of(taker: TakerData) -> IcmsStatus:
    """Return the ICMS status from the customer's state inscription."""
    inscription = inscription_of(taker)
    if not inscription:
        return "none"
    return "exempt" if inscription == "ISENTO" else "contributor"


def destination_of(order: Order, shop: Shop) -> Destination:
    """Return whether the sale leaves the shop's state. An NFC-e (sale over the counter) is always `inside`."""
    return "inside" if order.kind == "nfce" or order.taker.state == shop.state else "interstate"


def is_final_consumer(order: Order) -> bool:
    """Return whether the customer keeps the goods. A contributor resells them unless the sheet has another value."""
    return True if icms_status_of(order.taker) != "contributor" else bool(order.is_final_consumer)


def customer_problems(order: Order, shop: Shop) -> Iterator[Problem]:
    """Yield the problems of the customer, at most one for each cell, at the order's first line."""
    taker, where = order.taker, order.where
    needed = _required_fields(order)
    yield from (Problem("product.customer_incomplete", name, where) for name in needed if not getattr(taker, name))
    is_company = taker.document is not None and taker.document.kind == "cnpj"
    inscription = inscription_of(taker)
    if order.kind == "nfce" and is_company:
        yield Problem("product.nfce_person_only", "document", where)
    else:
        yield from _own_document_problems(order, shop)
    if inscription and taker.document is not None and not is_company:
        yield Problem("product.person_with_inscription", "state_inscription", where)
    elif inscription not in ("", "ISENTO") and not (
        inscription.isascii() and inscription.isdigit() and len(inscription) in _INSCRIPTION_DIGITS
    ):
        yield Problem("product.inscription", "state_inscription", where)
    if order.is_final_consumer is False and icms_status_of(taker) != "contributor":
        yield Problem("product.final_consumer", "is_final_consumer", where)


def _required_fields(order: Order) -> Iterable[str]:
    """Return the fields that the customer needs: over the counter none at all, or a document and no half address."""
    if order.kind != "nfce":
        return ("document", "name", *_ADDRESS)
    if order.taker == TakerData():
        return ()
    return ("document", *(_ADDRESS if any(getattr(order.taker, name) for name in _ADDRESS) else ()))


def _own_document_problems(order: Order, shop: Shop) -> Iterator[Problem]:
    """Yield a question if the customer is the shop or another branch of its company, unless a person answered it.

    Goods that go to a branch are a transfer, which is another operation than each of the supported sales.
    """
    document = order.taker.document
    if document is None or document.kind != "cnpj" or document.number[:_ROOT] != shop.cnpj[:_ROOT]:
        return
    code = OF_EMITTER if document.number == shop.cnpj else OF_BRANCH
    if not any(line.is_answered(code) for line in order.lines):
        yield Problem(code, "document", order.where)


def customer_of(order: Order, wording: Wording) -> Customer | None:
    """Compose the customer of an order that has no `customer_problems`; None for an unnamed one over the counter.

    Raises `ValueError` for a customer without a document.
    """
    taker, row = order.taker, order.lines[0].row
    if taker == TakerData() and order.kind == "nfce":
        return None
    if taker.document is None:
        raise ValueError("a customer without a document")

    def take(name: str, text: str | None) -> str | None:
        return wording.take(name, text, row=row, is_personal=True) if text else None

    status = icms_status_of(taker)
    return Customer(
        document=taker.document,
        name=take("name", taker.name),
        icms_status=status,
        state_inscription=inscription_of(taker) if status == "contributor" else None,
        # An invoice has one e-mail address.
        email=take("emails", taker.emails[0]) if taker.emails else None,
        address=None
        if taker.city_code is None
        else Address(
            street=take("street", taker.street) or "",
            number=take("number", taker.number) or "",
            complement=take("complement", taker.complement),
            neighborhood=take("neighborhood", taker.neighborhood) or "",
            city_code=taker.city_code,
            city=take("city", taker.city) or "",
            state=taker.state or "",
            zip_code=taker.zip_code or "",
            phone=take("phone", taker.phone),
        ),
    )
