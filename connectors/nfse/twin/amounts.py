"""The provider's own arithmetic: cents, truncated, never rounded; minimums waive a retention below them.

Rates are texts like "0.65" (percent), amounts texts like "938.50"; a supplied amount is taken as it is, not checked.
"""

from collections.abc import Mapping
from typing import Any, Final

from connectors.twins.answers import Json

_RETENTIONS: Final = ("pis", "cofins", "inss", "ir", "csll")
_REDUCTIONS: Final = ("discount_conditioning", "unconditioned_discount", "deduction", "other_retentions")
_LIMIT_OF: Final[Mapping[str, str]] = {
    "pis": "pcc_limit",
    "cofins": "pcc_limit",
    "csll": "pcc_limit",
    "ir": "ir_limit",
    "inss": "inss_limit",
    "retained_iss": "retained_iss_limit",
}


def hundredths(text: Any) -> int:
    """Cents of an amount, or basis points of a percentage; an absent one is 0."""
    if text is None:
        return 0
    whole, _, part = str(text).partition(".")
    return int(whole) * 100 + int((part + "00")[:2])


def as_text(cents: int) -> str:
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def with_amounts(values: Mapping[str, Any]) -> Json:
    """`values` (percentages, limits, supplied amounts) completed with every amount of a note, as texts.

    The base is the service less four shares of it, each truncated; federal retentions are shares of the base, ISS a
    share of the service; the liquid amount is the base less the retentions, and less ISS only where it is retained.
    """
    service = hundredths(values.get("service_amount"))
    amounts: dict[str, int] = {"service_amount": service}
    for name in _REDUCTIONS:
        amounts[f"{name}_amount"] = _given_or(
            values, f"{name}_amount", _share(service, values.get(f"{name}_percentage"))
        )
    reduced = service - sum(amounts[f"{name}_amount"] for name in _REDUCTIONS)
    base = amounts["calculation_base"] = _given_or(values, "calculation_base", reduced)
    amounts["iss_amount"] = _given_or(values, "iss_amount", _share(service, values.get("iss_percentage")))
    for name in _RETENTIONS:
        due = 0 if _waived(values, name, service) else _share(base, values.get(f"{name}_percentage"))
        amounts[f"{name}_amount"] = _given_or(values, f"{name}_amount", due)
    amounts["retained_iss_amount"] = _given_or(values, "retained_iss_amount", _retained_iss(values, service))
    kept = sum(amounts[f"{name}_amount"] for name in _RETENTIONS)
    kept += amounts["retained_iss_amount"] if values.get("retained_iss") else 0
    amounts["nfse_liquid_amount"] = _given_or(values, "nfse_liquid_amount", base - kept)
    return {**values, **{name: as_text(cents) for name, cents in amounts.items()}}


def _retained_iss(values: Mapping[str, Any], service: int) -> int:
    if not values.get("retained_iss") or _waived(values, "retained_iss", service):
        return 0
    own_rate = values.get("retained_iss_percentage")
    return _share(service, own_rate if hundredths(own_rate) else values.get("iss_percentage"))


def _waived(values: Mapping[str, Any], name: str, service: int) -> bool:
    limit = values.get(_LIMIT_OF[name])
    return limit is not None and service < hundredths(limit)


def _share(cents: int, percentage: Any) -> int:
    return cents * hundredths(percentage) // 10_000


def _given_or(values: Mapping[str, Any], name: str, computed: int) -> int:
    given = values.get(name)
    return computed if given is None else hundredths(given)
