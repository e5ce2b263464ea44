"""The lines of a products sheet: a line is one product of one order, and an order becomes one invoice."""

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final, Literal, Self

from domain.parties import TakerData
from domain.texts import folded

ProductKind = Literal["nfe", "nfce"]
_DECIMALS: Final = ("quantity", "unit_price")
_DATES: Final = ("competence", "due_on")
_NOBODY: Final = TakerData()
_WORD_OF_ORDERS: Final = re.compile("pedidos?|ped|venda|order|num(?:ber|ero)?|nro|nr|no|n")
_ZERO_DECIMALS: Final = re.compile(r"(?<=\d)[.,]0{1,2}$")
_THOUSANDS: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:[.,]\d{3})+(?![\d.,])")
_PARTS: Final = re.compile(r"\d+|[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductLine:
    """A line as typed values. `row` is the row number that people see; problems of the line name it.

    The facts of the whole order (kind, customer, payment, freight, order discount…) may be on any of its lines; None
    where this line has no value. `order_total_cents` is the order's total by the sheet, which is only
    compared with ours. Amounts are cents, rates basis points; `icms` is a CSOSN; `pis`, `cofins` and `ipi` are CSTs.
    `is_released`: a person released the row for billing in a correction workbook. `answered`, `unclear_document`: see
    `ServiceLine`.
    """

    row: int
    order_key: str
    code: str
    description: str
    ncm: str
    cfop: str
    unit: str
    quantity: Decimal
    unit_price: Decimal
    icms: str
    pis: str
    cofins: str
    ipi: str = "53"
    pis_bp: int | None = None
    cofins_bp: int | None = None
    st_base_cents: int | None = None
    st_cents: int | None = None
    st_rate_bp: int | None = None
    substitute_icms_cents: int | None = None
    cest: str | None = None
    discount_cents: int | None = None
    taker: TakerData = _NOBODY
    kind: ProductKind | None = None
    emitter_cnpj: str | None = None
    competence: date | None = None
    payment: str | None = None
    due_on: date | None = None
    order_discount_cents: int | None = None
    order_total_cents: int | None = None
    freight: str | None = None
    freight_cents: int | None = None
    operation: str | None = None
    is_final_consumer: bool | None = None
    observations: str | None = None
    retry: bool = False
    is_released: bool | None = None
    unclear_document: str | None = None
    answered: Sequence[str] | None = None

    def is_answered(self, code: str) -> bool:
        """Return whether a person saw this problem of the row and wants the row billed in spite of it."""
        return code in (self.answered or ())

    def to_json(self) -> dict[str, Any]:
        """Return the form that the ledger stores. `from_json` reads it."""
        raw = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        raw["taker"] = self.taker.to_json()
        raw |= {name: str(raw[name]) for name in _DECIMALS}
        return raw | {name: raw[name].isoformat() for name in _DATES if raw[name] is not None}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Build the line from the JSON of `to_json`."""
        values = dict(raw)
        values["taker"] = TakerData.from_json(raw["taker"])
        values |= {name: Decimal(raw[name]) for name in _DECIMALS}
        return cls(**values | {name: date.fromisoformat(raw[name]) for name in _DATES if raw[name] is not None})


def same_order(order_key: str) -> str:
    """Return an order key for comparison: keys that differ in letter case, accents or spacing are one order."""
    return folded(order_key)


def folded_order(order_key: str) -> tuple[str, ...]:
    """Return the letters and numbers of an order key, to find the key that a program or person wrote in another form.

    Leave out words that only say that it is an order's number (`Pedido`, `Nº`), signs, zeros before a number, and the
    stops and decimals of a number in a cell: `0001`, `Pedido 1`, `#1` and `1.0` are equal, `2026-1` and `1` are not.
    """
    text = _ZERO_DECIMALS.sub("", folded(order_key))
    text = _THOUSANDS.sub(lambda found: re.sub("[.,]", "", found[0]), text)
    parts = _PARTS.findall(text)
    named = [part for part in parts if not _WORD_OF_ORDERS.fullmatch(part)] or parts
    plain = [part.lstrip("0") or "0" if part.isdecimal() else part for part in named]
    return tuple(plain[1:] if plain[0] == "0" and len(plain) > 1 else plain) if plain else (text,)


def by_order(lines: Iterable[ProductLine]) -> dict[str, tuple[ProductLine, ...]]:
    """Group lines by order; orders and lines stay in the sheet's sequence."""
    orders: dict[str, list[ProductLine]] = {}
    for line in lines:
        orders.setdefault(same_order(line.order_key), []).append(line)
    return {key: tuple(group) for key, group in orders.items()}
