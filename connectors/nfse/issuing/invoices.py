"""Convert service invoices and batches to and from the provider's JSON (document 000, NFSe, Batch and city table)."""

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from connectors.nfse.issuing.templates import RETENTION_SUFFIX
from domain import money
from domain.issuing import BatchCounters, BatchProgress, Rejection, RemoteBatch, RemoteInvoice
from domain.states import InvoiceState

if TYPE_CHECKING:
    # The models load only with the module that reads a note or a batch: see `connectors.nfse.client`.
    from connectors.nfse.batches import Batch
    from connectors.nfse.notes import Note

AMOUNTS: Final[Mapping[str, str]] = {
    "service_cents": "service_amount",
    "calculation_base_cents": "calculation_base",
    "deduction_cents": "deduction_amount",
    "iss_cents": "iss_amount",
    "pis_cents": "pis_amount",
    "cofins_cents": "cofins_amount",
    "inss_cents": "inss_amount",
    "ir_cents": "ir_amount",
    "csll_cents": "csll_amount",
    "discount_conditioning_cents": "discount_conditioning_amount",
    "unconditioned_discount_cents": "unconditioned_discount_amount",
    "other_retentions_cents": "other_retentions_amount",
    "retained_iss_cents": "retained_iss_amount",
    "liquid_cents": "nfse_liquid_amount",
}
"""Every amount of `service_values` by our name."""
_OURS: Final = {wire: ours for ours, wire in AMOUNTS.items()}
_RATES: Final = {
    f"{name}_bp": f"{name}_percentage" for name in ("iss", "pis", "cofins", "csll", "ir", "inss", "retained_iss")
}
"""The percentages that a note accepts in the city variants [A notes 1.25]."""
_PLACE: Final = ("rps_type", "rps_situation", "operation_nature", "special_regime")
_TEXTS: Final = ("description", "service_item_code", "city_tax_code", "cnae_code", "tax_burden_source")
_REPLACED: Final = ("number", "serie", "rps_type")
_SHOWN: Final = {
    "send_nfse_taker": "send_to_taker",
    "other_informations": "observations",
    "iss_percentage": "iss_bp",
}
"""Our name of a value that an answer shows, if it is not the wire's."""
_STATES: Final = {
    str(state): state
    for state in (
        InvoiceState.CREATED,
        InvoiceState.SCHEDULED,
        InvoiceState.PROCESSING,
        InvoiceState.ACCEPTED,
        InvoiceState.REJECTED,
        InvoiceState.CANCELLING,
        InvoiceState.CANCELLED,
    )
}
"""Our state by the provider's status (document 000, NFSe)."""
_PROGRESS: Final = {
    "created": BatchProgress.WAITING,
    "processing": BatchProgress.PROCESSING,
    "processed": BatchProgress.PROCESSED,
}
# Cached, because most amounts of an invoice are zero.
_decimal: Final = functools.lru_cache(maxsize=10_000)(money.to_wire)


def invoice_state(status: str) -> InvoiceState | None:
    """Return our state for the provider's status, or None for an undocumented one."""
    return _STATES.get(status)


def note_body(content: Mapping[str, Any], *, emitter_id: int) -> dict[str, Any]:
    """Return the wire body of a canonical invoice: without batch, serie, number and the batch's emission instant."""
    body: dict[str, Any] = {"emitter_id": emitter_id, "taker_id": content["taker_id"]}
    body |= {name: value for name in _PLACE if (value := content.get(name)) is not None}
    body["competence"] = content["competence"]
    body["send_nfse_taker"] = content["send_to_taker"]
    body["service_values"] = _service_values(content)
    if (emission := content.get("emission_at")) is not None:
        body["emission_date"] = emission
    if (observations := content.get("observations")) is not None:
        body["other_informations"] = observations
    if (replaced := content.get("replaces")) is not None:
        body["substitute_rps"] = {name: replaced[name] for name in _REPLACED}
    return body


def _service_values(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return `service_values` in full: every amount, every percentage, no template id."""
    amounts, rates = content["amounts"], content["rates"]
    values: dict[str, Any] = {wire: _decimal(amounts[ours]) for ours, wire in AMOUNTS.items()}
    values |= {wire: _decimal(rates[ours]) for ours, wire in _RATES.items() if ours in rates}
    values |= {name: text for name in _TEXTS if (text := content.get(name)) is not None}
    values["retained_iss"] = content["retained_iss"]
    values["city_code"] = int(content["city_code"])
    if (burden_bp := content.get("tax_burden_bp")) is not None:
        values["tax_burden_percentage"] = money.to_wire(burden_bp)
    if (burden_cents := content.get("tax_burden_cents")) is not None:
        values["tax_burden_amount"] = money.to_wire(burden_cents)
    if highlights := content.get("highlight_retentions"):
        values["highlight_retentions"] = [f"{name}{RETENTION_SUFFIX}" for name in highlights]
    return values


def remote_invoice(note: "Note") -> RemoteInvoice:
    """Convert a note into an invoice of the issuer port; an undocumented status has no state."""
    return RemoteInvoice(
        id=note.id,
        state=invoice_state(note.status),
        status=note.status,
        batch_id=note.batch_id,
        emitter_id=note.emitter_id,
        is_complete=note.is_complete,
        serie=note.serie,
        number=note.number,
        customer_document=note.taker_document,
        customer_name=note.taker_name,
        amounts={_OURS[wire]: cents for wire, cents in note.amounts.items()},
        total_cents=note.amounts.get("service_amount"),
        competence=note.competence,
        issued_at=note.emission_at,
        document_number=note.nfse_number,
        access_key=note.nfse_key,
        replaces=note.replaces,
        shown=_shown(note.shown),
        errors=tuple(Rejection(error.code, error.description, error.tip) for error in note.errors),
    )


def _shown(values: Mapping[str, Any]) -> dict[str, Any]:
    shown = {_SHOWN.get(wire, wire): value for wire, value in values.items()}
    if isinstance(highlights := shown.get("highlight_retentions"), list):
        shown["highlight_retentions"] = [str(name).removesuffix(RETENTION_SUFFIX) for name in highlights]
    return shown


def remote_batch(batch: "Batch") -> RemoteBatch:
    """Convert a batch into one of the issuer port; `scheduled` and any undocumented status count as sent."""
    found = batch.counters
    return RemoteBatch(
        id=batch.id,
        emitter_id=batch.emitter_id,
        name=batch.name,
        progress=_PROGRESS.get(batch.status, BatchProgress.SENT),
        status=batch.status,
        counters=BatchCounters(**{name: getattr(found, name) for name in BatchCounters.__slots__}),
    )
