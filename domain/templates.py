"""Service templates: rates, minimums and codes for every row that has no value of its own."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Self, TypeAlias

ROW_RATES: Final = ("iss_bp", "pis_bp", "cofins_bp", "inss_bp", "ir_bp", "csll_bp", "retained_iss")
"""The fields of a profile that a row may replace."""

RateOverrides: TypeAlias = Mapping[str, int | bool | None]
"""Values for some of `ROW_RATES`; None or missing = the template's value. Rates in basis points."""


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

    def overridden(self, rates: RateOverrides) -> "TaxProfile":
        """Return this profile with the row's own values replacing the template's."""
        return _override_rates(self, tuple(rates.get(name) for name in ROW_RATES))

    def to_json(self) -> dict[str, Any]:
        """Return the filled rates and minimums. `from_json` reads them."""
        return {name: value for name in self.__slots__ if (value := getattr(self, name)) is not None}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Build the object from the JSON of `to_json`."""
        return cls(**raw)


# cached: the rows of a sheet have few different sets of rates
@lru_cache(maxsize=1_024)
def _override_rates(profile: TaxProfile, rates: tuple[int | bool | None, ...]) -> TaxProfile:
    given: dict[str, Any] = {name: rate for name, rate in zip(ROW_RATES, rates, strict=True) if rate is not None}
    return dataclasses.replace(profile, **given)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceTemplate:
    """A template as the issuer keeps it. Service codes are text: they keep leading zeros [R notes 1.27]."""

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

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form of the template. `from_json` reads it."""
        raw = {name: value for name in self.__slots__ if (value := getattr(self, name)) is not None}
        return raw | {"profile": self.profile.to_json(), "highlight_retentions": list(self.highlight_retentions)}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Build the object from the JSON of `to_json`."""
        profile = TaxProfile.from_json(raw["profile"])
        return cls(**{**raw, "profile": profile, "highlight_retentions": tuple(raw["highlight_retentions"])})
