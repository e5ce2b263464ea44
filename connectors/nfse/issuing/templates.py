"""Convert the provider's service templates into ours (document 000, Service value)."""

from collections.abc import Mapping
from typing import Any, Final

from connectors.nfse.service_values import Template
from domain import money
from domain.issuing import RemoteTemplate
from domain.templates import ServiceTemplate, TaxProfile

RETENTION_SUFFIX: Final = "_amount"
_RATES: Final = (
    "iss", "pis", "cofins", "inss", "ir", "csll", "deduction", "discount_conditioning", "unconditioned_discount",
    "other_retentions",
)  # fmt: skip
_LIMITS: Final = ("ir_limit", "inss_limit", "retained_iss_limit", "pcc_limit")


def remote_template(found: Template) -> RemoteTemplate:
    """Convert a template into one of the issuer port; without values if one of them is unreadable."""
    template: ServiceTemplate | None
    try:
        template = service_template(found.body)
    except (KeyError, TypeError, ValueError):
        template = None
    return RemoteTemplate(found.id, found.emitter_id, found.name, template)


def service_template(body: Mapping[str, Any]) -> ServiceTemplate:
    """Read a template's answer. Raises `KeyError` without a name, `ValueError` for an unreadable value."""
    return ServiceTemplate(
        name=str(body["name"]),
        profile=tax_profile(body),
        service_cents=_decimal(body.get("service_amount")),
        service_item_code=_text(body.get("service_item_code")),
        city_tax_code=_text(body.get("city_tax_code")),
        cnae_code=_text(body.get("cnae_code")),
        description=_text(body.get("description")),
        city_code=_text(body.get("city_code")),
        tax_burden_cents=_decimal(body.get("tax_burden_amount")),
        tax_burden_bp=_decimal(body.get("tax_burden_percentage")),
        tax_burden_source=_text(body.get("tax_burden_source")),
        highlight_retentions=tuple(
            name.removesuffix(RETENTION_SUFFIX) for name in body.get("highlight_retentions") or ()
        ),
    )


def tax_profile(body: Mapping[str, Any]) -> TaxProfile:
    """Read rates and minimums; absent and null mean none. Raises `ValueError` for a value that is no decimal."""
    rates: dict[str, Any] = {f"{name}_bp": _decimal(body.get(f"{name}_percentage")) or 0 for name in _RATES}
    limits: dict[str, Any] = {f"{name}_cents": _decimal(body.get(name)) for name in _LIMITS}
    return TaxProfile(
        **rates,
        **limits,
        retained_iss=bool(body.get("retained_iss")),
        retained_iss_bp=_decimal(body.get("retained_iss_percentage")),
    )


def _decimal(value: str | float | None) -> int | None:
    return None if value is None or value == "" else money.from_wire(value)


def _text(value: str | int | None) -> str | None:
    return (str(value).strip() or None) if value is not None else None
