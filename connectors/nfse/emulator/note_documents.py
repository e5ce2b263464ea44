"""Mirror, XML and PDF of an issued note, where the API redirects to: outside the API, for whoever knows the address.

They look like no city's; they are there to be opened while rehearsing.
"""

import json
import re
from html import escape
from typing import Any, Final

from connectors.emulation.messages import Json
from connectors.nfse.emulator.state import World

PREFIX: Final = "/papers/"
_PATH: Final = re.compile(rf"{PREFIX}([0-9]{{1,18}})-([0-9A-Z]{{1,40}})\.(mirror|xml|pdf)")
_MEDIA: Final = {"mirror": "text/html; charset=utf-8", "xml": "application/xml", "pdf": "application/pdf"}
_TOP, _LEADING = 780, 22


def address_of(note: Json, kind: str) -> str:
    """Return the path of a document; only the note's key leads to it."""
    return f"{PREFIX}{note['id']}-{note['nfse_key']}.{kind}"


def paper_at(world: World, path: str) -> tuple[bytes, str] | None:
    """Return content and media type of the document at this path, or None. The path is its only protection."""
    found = _PATH.fullmatch(path)
    if found is None:
        return None
    rows = world.store.records("SELECT * FROM notes WHERE id = ? AND nfse_key = ?", (int(found[1]), found[2]))
    if not rows:
        return None
    kind, lines = found[3], _lines(world, rows[0])
    make: Any = {"mirror": _mirror, "xml": _xml, "pdf": _pdf}[kind]
    return make(lines), _MEDIA[kind]


def _lines(world: World, note: Json) -> list[tuple[str, str, str]]:
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


def _xml(lines: list[tuple[str, str, str]]) -> bytes:
    fields = "".join(f"<{name}>{escape(_plain(text))}</{name}>" for name, _, text in lines)
    return f'<?xml version="1.0" encoding="UTF-8"?><nfse>{fields}</nfse>'.encode()


def _plain(text: str) -> str:
    """Return the text without the characters that XML cannot have."""
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", " ", text)


def _pdf(lines: list[tuple[str, str, str]]) -> bytes:
    """Return one page with one line for each fact, written by hand: six objects and their positions."""
    texts = [("NFS-e (sandbox)", 16), *((f"{label}: {text}"[:90], 11) for _, label, text in lines)]
    drawn = b"".join(
        f"BT /F1 {size} Tf 50 {_TOP - row * _LEADING} Td (".encode() + _pdf_text(text) + b") Tj ET\n"
        for row, (text, size) in enumerate(texts)
    )
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 4 0 R>>>>/Contents 5 0 R>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Length %d>>\nstream\n%sendstream" % (len(drawn), drawn),
    ]
    written, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    tail = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (count, len(written))
    return written + b"xref\n0 %d\n0000000000 65535 f \n" % count + table + tail


def _pdf_text(text: str) -> bytes:
    return re.sub(rb"([\\()])", rb"\\\1", text.encode("cp1252", "replace"))
