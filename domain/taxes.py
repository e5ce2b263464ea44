"""The amounts of a service under a template's rates: truncated to cents, with minimums.

The rules and their worked rows are the provider's, observed on the wire [A notes, Amounts]: each amount is a share of
one figure cut to cents, is computed alone and then subtracted. One rate of 4.65 % in place of three would differ in a
third of all invoices.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from domain import money
from domain.problems import Problem
from domain.templates import TaxProfile


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAmounts:
    """Every amount of one service invoice, in cents. `liquid_cents` is what the taker pays."""

    service_cents: int
    calculation_base_cents: int
    liquid_cents: int
    deduction_cents: int = 0
    iss_cents: int = 0
    pis_cents: int = 0
    cofins_cents: int = 0
    inss_cents: int = 0
    ir_cents: int = 0
    csll_cents: int = 0
    discount_conditioning_cents: int = 0
    unconditioned_discount_cents: int = 0
    other_retentions_cents: int = 0
    retained_iss_cents: int = 0

    @property
    def federal_cents(self) -> int:
        """Return the sum of PIS, COFINS, CSLL, IR and INSS withheld."""
        return self.pis_cents + self.cofins_cents + self.csll_cents + self.ir_cents + self.inss_cents

    def to_json(self) -> dict[str, int]:
        """Return every amount in cents by name; `from_json` reads it back."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, raw: Mapping[str, int]) -> Self:
        """Build the object from the JSON of `to_json`."""
        return cls(**raw)


def compute_amounts(service_cents: int, profile: TaxProfile) -> ServiceAmounts:
    """Return the amounts of one invoice in cents.

    ISS is a share of the service amount, federal retentions of the base; ISS lowers the liquid amount only when
    retained. The base may be negative where shares exceed the whole: the caller refuses such a row.
    """
    share = money.truncate_share
    rates = withheld_rates(service_cents, profile)
    # each is a share of the service amount, not of the remainder after the one before [A notes, Amounts]
    conditioning = share(service_cents, profile.discount_conditioning_bp)
    unconditioned = share(service_cents, profile.unconditioned_discount_bp)
    deduction = share(service_cents, profile.deduction_bp)
    other = share(service_cents, profile.other_retentions_bp)
    base = service_cents - conditioning - unconditioned - deduction - other
    federal = {name: share(max(base, 0), rates[name]) for name in ("pis", "cofins", "csll", "ir", "inss")}
    retained = share(service_cents, rates["retained_iss"])
    return ServiceAmounts(
        service_cents=service_cents,
        calculation_base_cents=base,
        deduction_cents=deduction,
        discount_conditioning_cents=conditioning,
        unconditioned_discount_cents=unconditioned,
        other_retentions_cents=other,
        iss_cents=share(service_cents, profile.iss_bp),
        retained_iss_cents=retained,
        liquid_cents=base - sum(federal.values()) - retained,
        **{f"{name}_cents": cents for name, cents in federal.items()},
    )


def withheld_rates(service_cents: int, profile: TaxProfile) -> dict[str, int]:
    """Return the basis points withheld at this amount by pis, cofins, csll, ir, inss, retained_iss; 0 where waived.

    A retention is waived while the service amount is *below* its minimum; PIS, COFINS and CSLL share one.
    """
    pcc = _is_due(service_cents, profile.pcc_limit_cents)
    iss_bp = profile.iss_bp if profile.retained_iss_bp is None else profile.retained_iss_bp
    is_iss_retained = profile.retained_iss and _is_due(service_cents, profile.retained_iss_limit_cents)
    return {
        "pis": profile.pis_bp if pcc else 0,
        "cofins": profile.cofins_bp if pcc else 0,
        "csll": profile.csll_bp if pcc else 0,
        "ir": profile.ir_bp if _is_due(service_cents, profile.ir_limit_cents) else 0,
        "inss": profile.inss_bp if _is_due(service_cents, profile.inss_limit_cents) else 0,
        "retained_iss": iss_bp if is_iss_retained else 0,
    }


def explain(service_cents: int, profile: TaxProfile) -> list[Problem]:
    """Return the waived retentions and the reasons, as catalogue entries (`tax.pcc_waived` …). They are not faults."""
    rated = (
        ("pcc", profile.pis_bp + profile.cofins_bp + profile.csll_bp, profile.pcc_limit_cents),
        ("ir", profile.ir_bp, profile.ir_limit_cents),
        ("inss", profile.inss_bp, profile.inss_limit_cents),
        ("retained_iss", int(profile.retained_iss), profile.retained_iss_limit_cents),
    )
    return [
        Problem(
            f"tax.{name}_waived",
            params={"service": money.format_brl(service_cents), "limit": money.format_brl(limit)},
        )
        for name, rate, limit in rated
        if rate and limit is not None and not _is_due(service_cents, limit)
    ]


def needs_confirmation(profile: TaxProfile) -> bool:
    """Return whether the profile has an effect that was never observed.

    Such effects are a deduction, a discount, another retention and a retained ISS. The row waits until the provider's
    own calculation for the template agrees with ours [A notes, Amounts].
    """
    return unconfirmed_part(profile) != unconfirmed_part(TaxProfile())


def unconfirmed_part(profile: TaxProfile) -> tuple[int | bool | None, ...]:
    """Return the values that `needs_confirmation` checks.

    A template's confirmation holds for rows that do not change them.
    """
    return (
        profile.deduction_bp,
        profile.discount_conditioning_bp,
        profile.unconditioned_discount_bp,
        profile.other_retentions_bp,
        profile.retained_iss,
        profile.retained_iss_bp if profile.retained_iss else None,
    )


def _is_due(service_cents: int, limit_cents: int | None) -> bool:
    return limit_cents is None or service_cents >= limit_cents
