"""The provider's service value templates: rates, limits and codes that hold for a row unless it says otherwise."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol, Self

from domain import money

_RATES: Final[Mapping[str, str]] = {
    "iss_bp": "iss_percentage",
    "pis_bp": "pis_percentage",
    "cofins_bp": "cofins_percentage",
    "inss_bp": "inss_percentage",
    "ir_bp": "ir_percentage",
    "csll_bp": "csll_percentage",
    "deduction_bp": "deduction_percentage",
    "discount_conditioning_bp": "discount_conditioning_percentage",
    "unconditioned_discount_bp": "unconditioned_discount_percentage",
    "other_retentions_bp": "other_retentions_percentage",
}
_LIMITS: Final = ("ir_limit", "inss_limit", "retained_iss_limit", "pcc_limit")


class RateOverrides(Protocol):
    """What a row may say about its taxes; None = as the template. Rates in basis points."""

    @property
    def iss_bp(self) -> int | None: ...
    @property
    def pis_bp(self) -> int | None: ...
    @property
    def cofins_bp(self) -> int | None: ...
    @property
    def inss_bp(self) -> int | None: ...
    @property
    def ir_bp(self) -> int | None: ...
    @property
    def csll_bp(self) -> int | None: ...
    @property
    def retained_iss(self) -> bool | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxProfile:
    """Rates in basis points of the service amount (5 % = 500) and minimums in cents (None = no minimum)."""

    iss_bp: int = 0
    pis_bp: int = 0
    cofins_bp: int = 0
    inss_bp: int = 0
    ir_bp: int = 0
    csll_bp: int = 0
    deduction_bp: int = 0
    discount_conditioning_bp: int = 0
    unconditioned_discount_bp: int = 0
    other_retentions_bp: int = 0
    retained_iss: bool = False
    retained_iss_bp: int | None = None
    ir_limit_cents: int | None = None
    inss_limit_cents: int | None = None
    retained_iss_limit_cents: int | None = None
    pcc_limit_cents: int | None = None

    def overridden(self, line: RateOverrides) -> Self:
        """This profile with what the row says in its place."""
        said = {
            name: value
            for name in ("iss_bp", "pis_bp", "cofins_bp", "inss_bp", "ir_bp", "csll_bp", "retained_iss")
            if (value := getattr(line, name)) is not None
        }
        return dataclasses.replace(self, **said)

    @classmethod
    def from_wire(cls, body: Mapping[str, Any]) -> Self:
        """Rates and limits of a template's answer; absent and null mean none. `ValueError` on what is no decimal."""
        rates: dict[str, Any] = {ours: _decimal(body.get(theirs)) or 0 for ours, theirs in _RATES.items()}
        limits: dict[str, Any] = {f"{name}_cents": _decimal(body.get(name)) for name in _LIMITS}
        return cls(
            **rates,
            **limits,
            retained_iss=bool(body.get("retained_iss")),
            retained_iss_bp=_decimal(body.get("retained_iss_percentage")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceTemplate:
    """A template as the provider holds it. Service codes are text: they keep leading zeros [R notes 1.27]."""

    remote_id: int
    emitter_remote_id: int
    name: str
    profile: TaxProfile
    service_cents: int | None = None
    service_item_code: str | None = None
    city_tax_code: str | None = None
    cnae_code: str | None = None
    description: str | None = None
    city_code: str | None = None
    tax_burden_cents: int | None = None
    tax_burden_bp: int | None = None
    tax_burden_source: str | None = None
    highlight_retentions: tuple[str, ...] = ()

    @classmethod
    def from_wire(cls, body: Mapping[str, Any]) -> Self:
        """A template's answer. `KeyError` or `ValueError` when id, emitter or name is missing or a value is odd."""
        return cls(
            remote_id=int(body["id"]),
            emitter_remote_id=int(body["emitter_id"]),
            name=str(body["name"]),
            profile=TaxProfile.from_wire(body),
            service_cents=_decimal(body.get("service_amount")),
            service_item_code=_text(body.get("service_item_code")),
            city_tax_code=_text(body.get("city_tax_code")),
            cnae_code=_text(body.get("cnae_code")),
            description=_text(body.get("description")),
            city_code=_text(body.get("city_code")),
            tax_burden_cents=_decimal(body.get("tax_burden_amount")),
            tax_burden_bp=_decimal(body.get("tax_burden_percentage")),
            tax_burden_source=_text(body.get("tax_burden_source")),
            highlight_retentions=tuple(body.get("highlight_retentions") or ()),
        )


def _decimal(value: str | float | None) -> int | None:
    return None if value is None or value == "" else money.from_wire(value)


def _text(value: str | int | None) -> str | None:
    return (str(value).strip() or None) if value is not None else None
