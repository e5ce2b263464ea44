"""Canonical service invoices and the national service's JSON."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from domain import money
from domain.competence import BRASILIA
from domain.issuing import EmitterRef, InvoiceKey, RemoteEmitter, RemoteInvoice
from domain.states import InvoiceState

_AMOUNTS: Final[Mapping[str, str]] = {
    "service_cents": "vServ",
    "calculation_base_cents": "vBC",
    "deduction_cents": "vDedRed",
    "iss_cents": "vISSQN",
    "pis_cents": "vPis",
    "cofins_cents": "vCofins",
    "inss_cents": "vRetCP",
    "ir_cents": "vRetIRRF",
    "csll_cents": "vRetCSLL",
    "discount_conditioning_cents": "vDescCond",
    "unconditioned_discount_cents": "vDescIncond",
    "other_retentions_cents": "vOutRet",
    "retained_iss_cents": "vISSRet",
    "liquid_cents": "vLiq",
}
_STATES: Final = {"emitida": InvoiceState.ACCEPTED, "cancelada": InvoiceState.CANCELLED}
_FIELDS: Final = {"E0202": "document", "E0300": "description", "E0400": "service_cents"}
"""Our field for each error code."""
DUPLICATE: Final = "E0014"
"""The code of a key that is taken already: the row is right, so look the declaration up."""


def declaration_id(city_code: str, key: InvoiceKey) -> str:
    """Return our own key of an invoice: `DPS`, city, kind of inscription, CNPJ, serie and number."""
    return f"DPS{city_code}2{key.emitter.cnpj}{key.serie:0>5}{key.number:015}"


def declaration(content: Mapping[str, Any], key: InvoiceKey, *, city_code: str, at: datetime) -> dict[str, Any]:
    """Return the declaration (DPS) of a canonical invoice under its number."""
    return {
        "id": declaration_id(city_code, key),
        "dhEmi": at.astimezone(BRASILIA).isoformat(timespec="seconds"),
        "dCompet": content["competence"],
        "serie": key.serie,
        "nDPS": key.number,
        "cLocEmi": city_code,
        "prest": {"CNPJ": key.emitter.cnpj},
        "toma": {"documento": content["taker_document"]},
        "serv": {"cTribNac": content["service_item_code"], "xDescServ": content["description"]},
        "valores": {wire: money.to_wire(content["amounts"][ours]) for ours, wire in _AMOUNTS.items()},
    }


def signed(document: Mapping[str, Any], signing_key: str) -> bytes:
    """Return the body of a post: the document, and its signature over the exact text."""
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    signature = hmac.new(signing_key.encode(), text.encode(), hashlib.sha256).hexdigest()
    return json.dumps({"dps": text, "assinatura": signature}, ensure_ascii=False).encode()


def remote_invoice(data: Mapping[str, Any], emitter: EmitterRef) -> RemoteInvoice:
    """Read an NFS-e. Raises `KeyError`, `TypeError` or `ValueError` for an unexpected shape."""
    document = data["dps"]
    cnpj = str(document["prest"]["CNPJ"])
    return RemoteInvoice(
        id=int(data["nsu"]),
        state=_STATES.get(data["situacao"]),
        status=str(data["situacao"]),
        emitter_id=emitter.remote_id if cnpj == emitter.cnpj else None,
        emitter_cnpj=cnpj,
        kind="service",
        serie=str(document["serie"]),
        number=int(document["nDPS"]),
        customer_document=str(document["toma"]["documento"]),
        amounts={ours: money.from_wire(document["valores"][wire]) for ours, wire in _AMOUNTS.items()},
        total_cents=money.from_wire(document["valores"]["vServ"]),
        issued_at=datetime.fromisoformat(data["dhProc"]),
        document_number=str(data["nNFSe"]),
        access_key=str(data["chave"]),
    )


def remote_emitter(data: Mapping[str, Any]) -> RemoteEmitter:
    """Read a taxpayer who may issue."""
    return RemoteEmitter(
        id=int(data["inscricao"]), cnpj=str(data["CNPJ"]), name=str(data["xNome"]), city_code=str(data["cMun"])
    )


def our_messages(messages: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the service's messages by our fields; messages about unknown fields are under the empty name."""
    found: dict[str, list[str]] = {}
    for code, text in zip(messages.get("erros.codigo", ()), messages.get("erros.descricao", ()), strict=False):
        found.setdefault(_FIELDS.get(code, ""), []).append(f"{code}: {text}")
    return found
