"""Convert the master data that a sheet may change, field by field (document 000, Service value, Emitter)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from connectors.nfse.issuing.templates import RETENTION_SUFFIX
from domain import money
from domain.issuing import MasterRecord, RecordKind
from domain.master_fields import EMITTER, TEMPLATE, Field, Value

_WIRE: Final[Mapping[RecordKind, Mapping[str, str]]] = {
    "template": {
        "service_cents": "service_amount",
        "iss_bp": "iss_percentage",
        "retained_iss": "retained_iss",
        "retained_iss_bp": "retained_iss_percentage",
        "pis_bp": "pis_percentage",
        "cofins_bp": "cofins_percentage",
        "csll_bp": "csll_percentage",
        "ir_bp": "ir_percentage",
        "inss_bp": "inss_percentage",
        "deduction_bp": "deduction_percentage",
        "unconditioned_discount_bp": "unconditioned_discount_percentage",
        "discount_conditioning_bp": "discount_conditioning_percentage",
        "other_retentions_bp": "other_retentions_percentage",
        "ir_limit_cents": "ir_limit",
        "pcc_limit_cents": "pcc_limit",
        "inss_limit_cents": "inss_limit",
        "retained_iss_limit_cents": "retained_iss_limit",
        "service_item_code": "service_item_code",
        "city_tax_code": "city_tax_code",
        "cnae_code": "cnae_code",
        "description": "description",
        "city_code": "city_code",
        "tax_burden_cents": "tax_burden_amount",
        "tax_burden_bp": "tax_burden_percentage",
        "tax_burden_source": "tax_burden_source",
        "highlight_retentions": "highlight_retentions",
    },
    "emitter": {
        "name": "social_reason",
        "fancy_name": "fancy_name",
        "email": "email",
        "phone": "phone",
        "city_inscription": "city_inscription",
        "state_inscription": "state_inscription",
        "street_type": "street_type",
        "street": "street",
        "number": "number",
        "complement": "complement",
        "neighborhood": "neighborhood",
        "zip_code": "zip_code",
        "city": "city",
        "state": "state",
        "code_tax_regime": "code_tax_regime",
        "national_simple_optant": "national_simple_optant",
        "cultural_promoter": "cultural_promoter",
    },
}
_FIELDS: Final[Mapping[RecordKind, Mapping[str, Field]]] = {"template": TEMPLATE, "emitter": EMITTER}


def master_record(kind: RecordKind, record_id: int, name: str, body: Mapping[str, Any]) -> MasterRecord:
    """Convert an answer into a record of the issuer port."""
    values = {
        ours: value
        for ours, field in _FIELDS[kind].items()
        if (value := _value(field, body.get(_WIRE[kind][ours]))) is not None
    }
    cnpj, city_code = str(body.get("cnpj") or ""), str(body.get("city_code") or "")
    return MasterRecord(record_id, name, cnpj, city_code, values)


def record_body(kind: RecordKind, values: Mapping[str, Value]) -> dict[str, Any]:
    """Return the request body that sets these fields."""
    fields = _FIELDS[kind]
    return {wire: _wire(fields[ours].kind, values[ours]) for ours, wire in _WIRE[kind].items() if ours in values}


def our_messages(kind: RecordKind, messages: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Return the provider's messages by our field names; unknown fields keep their names."""
    ours = {wire: name for name, wire in _WIRE[kind].items()}
    return {ours.get(field, field): texts for field, texts in messages.items()}


def _value(field: Field, value: Any) -> Value | None:
    """Read one field; a figure that is not a number stays text."""
    if value is None or value == "":
        return None
    if field.kind in ("rate", "amount"):
        try:
            return money.from_wire(value)
        except ValueError:
            return str(value)
    if field.kind == "yes_no":
        return bool(value)
    if field.kind == "names":
        return tuple(str(name).removesuffix(RETENTION_SUFFIX) for name in value)
    return str(value).strip()


def _wire(kind: str, value: Value) -> Any:
    if kind in ("rate", "amount") and isinstance(value, int):
        return money.to_wire(value)
    if kind == "number":
        return int(str(value))
    return [f"{name}{RETENTION_SUFFIX}" for name in value] if isinstance(value, tuple) else value
