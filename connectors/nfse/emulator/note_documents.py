"""Mirror, XML and PDF of an issued note. The API redirects there; anybody who knows the URL can open them.

They resemble no city's documents; they exist to be opened in a rehearsal.
"""

import json
import re
from html import escape
from typing import Final

from connectors.emulation.invoice_documents import MEDIA, pdf_of, xml_of
from connectors.emulation.messages import Json
from connectors.nfse.emulator.state import EmulatorState

PREFIX: Final = "/documents/"
_PATH: Final = re.compile(rf"{PREFIX}([0-9]{{1,18}})-([0-9A-Z]{{1,40}})\.(mirror|xml|pdf)")


def address_of(note: Json, kind: str) -> str:
    """Return the path of a document; it contains the note's secret key."""
    return f"{PREFIX}{note['id']}-{note['nfse_key']}.{kind}"


def document_at(world: EmulatorState, path: str) -> tuple[bytes, str] | None:
    """Return content and media type of the document at this path, or None. The path is its only protection."""
    found = _PATH.fullmatch(path)
    if found is None:
        return None
    rows = world.store.records("SELECT * FROM notes WHERE id = ? AND nfse_key = ?", (int(found[1]), found[2]))
    if not rows:
        return None
    kind, lines = found[3], _lines(world, rows[0])
    if kind == "mirror":
        return _mirror(lines), MEDIA[kind]
    return (xml_of("nfse", lines) if kind == "xml" else pdf_of("NFS-e (sandbox)", lines)), MEDIA[kind]


def _lines(world: EmulatorState, note: Json) -> list[tuple[str, str, str]]:
    """Return (name, label, text) of each fact in a document."""
    values, body = json.loads(note["service_values"]), json.loads(note["body"])
    taker: Json = json.loads(note["taker"]) if note["taker"] else {}
    emitter = world.emitters.get(note["emitter_id"]) or {}
    shown = [
        ("numero", "NFS-e", note["nfse_number"]),
        ("codigo", "Código de verificação", note["nfse_key"]),
        ("rps", "RPS", f"{note['serie']}/{note['number']}"),
        ("situacao", "Situação", "cancelada" if note["status"] == "cancelled" else "emitida"),
        ("emissao", "Emissão", body.get("emission_date")),
        ("competencia", "Competência", body.get("competence")),
        ("prestador", "Prestador", emitter.get("social_reason")),
        ("tomador", "Tomador", taker.get("social_reason")),
        ("descricao", "Serviço", values.get("description")),
        ("valor", "Valor do serviço", values.get("service_amount")),
        ("iss", "ISS", values.get("iss_amount")),
        ("liquido", "Valor líquido", values.get("nfse_liquid_amount")),
    ]
    return [(name, label, str(text)) for name, label, text in shown if text not in (None, "")]


def _mirror(lines: list[tuple[str, str, str]]) -> bytes:
    rows = "".join(f"<tr><th>{escape(label)}</th><td>{escape(text)}</td></tr>" for _, label, text in lines)
    head = '<!doctype html><html lang="pt-BR"><meta charset="utf-8"><title>NFS-e</title>'
    return f"{head}<h1>NFS-e (sandbox)</h1><table>{rows}</table></html>".encode()
