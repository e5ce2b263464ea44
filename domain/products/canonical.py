"""The canonical product invoice: all facts of an NF-e or NFC-e, in our own terms and without a number.

The ledger stores it as canonical JSON and digests that text. A connector turns it into its provider's request. Amounts
are integer cents, rates basis points (1.65 % = 165), quantities and prices `Decimal`.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Literal, Self

from domain.documents import Document
from domain.products.arithmetic import plain_decimal
from domain.products.lines import ProductKind

IcmsStatus = Literal["contributor", "exempt", "none"]
"""The customer's ICMS registration: contributor, exempt, or none."""
Destination = Literal["inside", "interstate"]
Presence = Literal["counter", "remote"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The customer's address. `city_code` has seven digits, `zip_code` eight, `state` two letters."""

    street: str
    number: str
    neighborhood: str
    city_code: str
    city: str
    state: str
    zip_code: str
    complement: str | None = None
    phone: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """The buyer. Only a contributor has a `state_inscription`: its digits.

    Over the counter the document may be all that is known.
    """

    document: Document
    icms_status: IcmsStatus
    name: str | None = None
    address: Address | None = None
    state_inscription: str | None = None
    email: str | None = None

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Read one entry that `CanonicalInvoice.to_json` wrote."""
        address = raw.get("address")
        read = {"document": Document(**raw["document"]), "address": None if address is None else Address(**address)}
        return cls(**{**raw, **read})


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """PIS or COFINS of an item. `cst` 07 has neither base nor rate nor amount; 01, 49 and 99 have all three."""

    cst: str
    base_cents: int | None = None
    rate_bp: int | None = None
    cents: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Substitution:
    """The ICMS that an earlier seller (the substitute) charged (CSOSN 500), as in the sheet.

    Base and amount are both set or both None.
    """

    rate_bp: int
    substitute_icms_cents: int
    base_cents: int | None = None
    cents: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemTaxes:
    """The taxes of an item. `ipi_class` is the legal class of its IPI."""

    csosn: str
    ipi_cst: str
    ipi_class: str
    pis: Contribution
    cofins: Contribution
    substitution: Substitution | None = None

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Read one entry that `CanonicalInvoice.to_json` wrote."""
        read = {name: Contribution(**raw[name]) for name in ("pis", "cofins")}
        charged = raw.get("substitution")
        return cls(**{**raw, **read, "substitution": None if charged is None else Substitution(**charged)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One product. `gross_cents` is quantity × price; `discount_cents` and `freight_cents` are this item's parts.

    The unit of sale is also the unit of taxation.
    """

    code: str
    description: str
    ncm: str
    cfop: str
    unit: str
    quantity: Decimal
    unit_price: Decimal
    gross_cents: int
    discount_cents: int
    freight_cents: int
    taxes: ItemTaxes
    cest: str | None = None

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Read one entry that `CanonicalInvoice.to_json` wrote."""
        figures = {name: Decimal(raw[name]) for name in ("quantity", "unit_price")}
        return cls(**{**raw, **figures, "taxes": ItemTaxes.from_json(raw["taxes"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """A means of payment, one of `domain.products.choices`, and the part of the total that it pays.

    `pix` has a dynamic QR code, made for this payment; `static_pix` has a key or a fixed QR code.
    """

    means: str
    cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Instalment:
    """An instalment of a bill."""

    number: str
    due_on: date
    cents: int

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Read one entry that `CanonicalInvoice.to_json` wrote."""
        return cls(**{**raw, "due_on": date.fromisoformat(raw["due_on"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """The bill that a bank slip collects."""

    number: str
    cents: int
    instalments: tuple[Instalment, ...]

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Read one entry that `CanonicalInvoice.to_json` wrote."""
        return cls(**{**raw, "instalments": tuple(map(Instalment.from_json, raw["instalments"]))})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductAmounts:
    """The invoice's totals in cents; `total_cents` is what the customer pays."""

    gross_cents: int
    discount_cents: int
    freight_cents: int
    total_cents: int
    pis_cents: int
    cofins_cents: int

    def to_json(self) -> dict[str, int]:
        """Return cents by name."""
        return dataclasses.asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalInvoice:
    """An ordinary outgoing sale of goods.

    `city_code` is the issuer's city, where the sale takes place. `freight` is `none` or `sender`. `operation` names the
    kind of sale in words. `remarks` is the free text on the invoice. Only an NFC-e may lack a `customer`.
    """

    kind: ProductKind
    city_code: str
    operation: str
    destination: Destination
    presence: Presence
    is_final_consumer: bool
    items: tuple[Item, ...]
    payments: tuple[Payment, ...]
    freight: str
    totals: ProductAmounts
    customer: Customer | None = None
    remarks: str | None = None
    bill: Bill | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the form that the ledger stores, without None values. `from_json` reads it."""
        raw: dict[str, Any] = _json_value(self)
        return raw

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Build the invoice from the JSON of `to_json`."""
        bill, customer = raw.get("bill"), raw.get("customer")
        read = {
            "customer": None if customer is None else Customer.from_json(customer),
            "items": tuple(map(Item.from_json, raw["items"])),
            "payments": tuple(Payment(**each) for each in raw["payments"]),
            "totals": ProductAmounts(**raw["totals"]),
            "bill": None if bill is None else Bill.from_json(bill),
        }
        return cls(**{**raw, **read})


def _json_value(value: Any) -> Any:
    """Return a value in JSON form. Equal decimals give equal texts, because the digest covers them."""
    if dataclasses.is_dataclass(value):
        fields = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        return {name: _json_value(inner) for name, inner in fields if inner is not None}
    if isinstance(value, tuple):
        return [_json_value(inner) for inner in value]
    if isinstance(value, Decimal):
        return plain_decimal(value)
    return value.isoformat() if isinstance(value, date) else value
