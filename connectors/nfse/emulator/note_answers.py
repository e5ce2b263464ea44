"""The note as the provider shows it, and its status resource."""

import json
from typing import Final, NamedTuple

from connectors.emulation.messages import Json
from connectors.nfse.emulator.links import note_links
from connectors.nfse.emulator.state import EmulatorState

_DESCRIPTIONS: Final = {
    "created": "A nota foi criada.",
    "scheduled": "A nota está agendada para envio.",
    "processing": "A nota está em processamento.",
    "accepted": "A nota foi emitida.",
    "rejected": "A nota foi rejeitada pela prefeitura.",
    "cancelling": "A nota está em cancelamento.",
    "cancelled": "A nota foi cancelada.",
}
_NFSE_CONTACT_EXTRAS: Final = ("ddd", "ddd_comercial_phone", "comercial_phone", "ddd_fax", "fax_phone")
_NOT_SHOWN: Final = ("name", "emitter_id", "inss_limit", "ir_limit", "retained_iss_limit", "pcc_limit")


class Parts(NamedTuple):
    """The JSON columns of a note's row."""

    body: Json
    taker: Json | None
    service_values: Json


class NoteAnswers:
    def __init__(self, world: EmulatorState) -> None:
        self._world = world
        nfse = world.tables["nfse"]
        self._empty: Json = dict.fromkeys([*nfse.answer, *(f.name for f in nfse.fields.values() if f.answered)])
        self._empty_values: Json = {
            field.name: field.default for field in world.tables["nfse_service_values"].fields.values()
        }

    def whole(self, base: str, note: Json, parts: Parts | None = None) -> Json:
        """Return every documented field of the answer, null where absent. `parts` saves parsing them from the row."""
        emitter = self._world.emitters.get(note["emitter_id"]) or {}
        errors = json.loads(note["errors"])
        body, taker, values = parts or _parts(note)
        return {
            **self._empty,
            **body,
            "competence": self._competence(body.get("competence")),
            "_links": note_links(base, note["id"], note["batch_id"], is_complete=bool(note["is_complete"])),
            "taker": self._taker(note, taker),
            "service_values": self._values(values),
            # one array under both documented names [A notes 1.11]
            "errors": errors,
            "nfse_errors": errors,
            "id": note["id"],
            "emitter_id": note["emitter_id"],
            "batch_id": note["batch_id"],
            "status": note["status"],
            "description": _DESCRIPTIONS[note["status"]],
            "nfse_key": note["nfse_key"],
            "nfse_number": note["nfse_number"],
            **_document_links(base, note),
            "send_nfse_taker": bool(body.get("send_nfse_taker")),
            "is_api": True,
            "number": note["number"],
            "serie": note["serie"],
            "national_simple_optant": bool(emitter.get("national_simple_optant")),
            "cultural_promoter": bool(emitter.get("cultural_promoter")),
            "emitter_city_code": emitter.get("city_code"),
            "emitter_national_simple_optant": bool(emitter.get("national_simple_optant")),
            "emitter_cultural_promoter": bool(emitter.get("cultural_promoter")),
            "environment": emitter.get("environment") or "sandbox",
            "is_complete": bool(note["is_complete"]),
        }

    def status(self, base: str, note: Json) -> Json:
        """Return the status resource [A notes 1.8]."""
        errors = json.loads(note["errors"])
        emitter = self._world.emitters.get(note["emitter_id"]) or {}
        return {
            "id": note["id"],
            "status": note["status"],
            "description": _DESCRIPTIONS[note["status"]],
            "nfse_key": note["nfse_key"],
            "nfse_number": note["nfse_number"],
            "number": note["number"],
            **_document_links(base, note),
            "environment": emitter.get("environment") or "sandbox",
            "errors": errors,
            "nfse_errors": errors,
        }

    def _taker(self, note: Json, taker: Json | None) -> Json | None:
        """Return the taker as it was at the note's creation, or as it is now, by a switch [A notes 1.21]."""
        if taker is not None and note["taker_id"] is not None and self._world.switches["taker_copied"] == "no":
            taker = self._world.takers.get(note["taker_id"])
        if taker is not None and taker.get("contact"):
            return {**taker, "contact": {**dict.fromkeys(_NFSE_CONTACT_EXTRAS), **taker["contact"]}}
        return taker

    def _values(self, values: Json) -> Json:
        return {**self._empty_values, **{name: value for name, value in values.items() if name not in _NOT_SHOWN}}

    def _competence(self, text: str | None) -> str | None:
        if text is None or self._world.switches["competence_shape"] == "date":
            return text
        return f"{text}T00:00:00Z"


def _parts(note: Json) -> Parts:
    taker = json.loads(note["taker"]) if note["taker"] else None
    return Parts(json.loads(note["body"]), taker, json.loads(note["service_values"]))


def _document_links(base: str, note: Json) -> Json:
    address = f"{base}/api/v1/nfse/{note['id']}"
    is_there = bool(note["nfse_key"])
    # during a cancellation only the XML exists, as observed
    kinds = () if not is_there else ("xml",) if note["status"] == "cancelling" else ("mirror", "xml", "pdf")
    return {f"{kind}_url": f"{address}/{kind}" if kind in kinds else None for kind in ("mirror", "xml", "pdf")}
