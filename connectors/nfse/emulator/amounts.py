"""The provider's own arithmetic: cents, truncated, never rounded. A service amount below a limit waives the retention.

Rates are texts like "0.65" (percent), amounts texts like "938.50"; a supplied amount is used unchecked.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from connectors.emulation.messages import Json

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
    """Return an amount's cents, or a percentage's basis points; 0 for None."""
    if text is None:
        return 0
    whole, _, part = str(text).partition(".")
    return int(whole) * 100 + int((part + "00")[:2])


def as_text(cents: int) -> str:
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def with_amounts(values: Mapping[str, Any]) -> Json:
    """Complete `values` (percentages, limits, supplied amounts) with every amount of a note, as texts.

    The base is the service less four shares of it, each truncated. Federal retentions are shares of the base, ISS is a
    share of the service. The liquid amount is the base less the retentions, and less ISS only where it is retained.
    """
    service = hundredths(values.get("service_amount"))
    found: Json = {**values, "service_amount": as_text(service)}
    # a supplied amount is a text, never empty, and stays
    for kind in _REDUCTIONS:
        name = f"{kind}_amount"
        found[name] = found.get(name) or as_text(_share(service, values.get(f"{kind}_percentage")))
    found["calculation_base"] = found.get("calculation_base") or as_text(service - _sum(found, _REDUCTIONS))
    found["iss_amount"] = found.get("iss_amount") or as_text(_share(service, values.get("iss_percentage")))
    for kind in _RETENTIONS:
        name = f"{kind}_amount"
        found[name] = found.get(name) or as_text(_retention(found, kind, service))
    found["retained_iss_amount"] = found.get("retained_iss_amount") or as_text(_retained_iss(values, service))
    found["nfse_liquid_amount"] = found.get("nfse_liquid_amount") or as_text(_liquid(found))
    return found


def _sum(values: Mapping[str, Any], kinds: Iterable[str]) -> int:
    return sum(hundredths(values[f"{kind}_amount"]) for kind in kinds)


def _liquid(values: Mapping[str, Any]) -> int:
    kept = _sum(values, _RETENTIONS) + (hundredths(values["retained_iss_amount"]) if values.get("retained_iss") else 0)
    return hundredths(values["calculation_base"]) - kept


def _retention(values: Mapping[str, Any], kind: str, service: int) -> int:
    if _is_waived(values, kind, service):
        return 0
    return _share(hundredths(values["calculation_base"]), values.get(f"{kind}_percentage"))


def _retained_iss(values: Mapping[str, Any], service: int) -> int:
    if not values.get("retained_iss") or _is_waived(values, "retained_iss", service):
        return 0
    own_rate = values.get("retained_iss_percentage")
    return _share(service, own_rate if hundredths(own_rate) else values.get("iss_percentage"))


def _is_waived(values: Mapping[str, Any], name: str, service: int) -> bool:
    limit = values.get(_LIMIT_OF[name])
    return limit is not None and service < hundredths(limit)


def _share(cents: int, percentage: Any) -> int:
    return cents * hundredths(percentage) // 10_000
