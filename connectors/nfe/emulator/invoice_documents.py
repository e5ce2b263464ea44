"""DANFE and XML of an issued invoice at URLs outside the API; anybody who knows the URL can open them."""

import json
import re
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from connectors.emulation.invoice_documents import MEDIA, Fact, pdf_of, xml_of
from connectors.emulation.messages import Json
from connectors.nfe.emulator.state import EmulatorState

PREFIX: Final = "/danfe/"
_PATH: Final = re.compile(rf"{PREFIX}([0-9]{{1,18}})-([0-9A-Z]{{44}})\.(xml|pdf)")


def address_of(row: Json) -> str:
    """Return the path of an issued invoice's documents without suffix; it contains the access key."""
    return f"{PREFIX}{row['id']}-{row['access_key']}"


class DocumentMiddleware:
    """Sends documents to anybody who knows their URL, without a token; passes other requests to `dispatcher`."""

    def __init__(self, world: EmulatorState, dispatcher: ASGIApp) -> None:
        self._world, self._dispatcher = world, dispatcher

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not scope["path"].startswith(PREFIX):
            await self._dispatcher(scope, receive, send)
            return
        body, media = self._found(scope["path"]) or (b"", "text/plain")
        headers = [(b"Content-Type", media.encode()), (b"Content-Length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200 if body else 404, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _found(self, path: str) -> tuple[bytes, str] | None:
        found = _PATH.fullmatch(path)
        if found is None:
            return None
        key = (int(found[1]), found[2])
        rows = self._world.store.records("SELECT * FROM product_invoices WHERE id = ? AND access_key = ?", key)
        if not rows or rows[0]["protocol"] is None:
            return None
        facts = _facts(rows[0])
        return (xml_of("nfeProc", facts) if found[3] == "xml" else pdf_of("DANFE (sandbox)", facts)), MEDIA[found[3]]


def _facts(row: Json) -> list[Fact]:
    body = json.loads(row["body"])
    customer = body.get("cliente") or {}
    shown = [
        ("chNFe", "Chave de acesso", row["access_key"]),
        ("nProt", "Protocolo", row["protocol"]),
        ("serie", "Série", row["serie"]),
        ("nNF", "Número", row["number"]),
        ("xNome", "Destinatário", customer.get("nome")),
        ("situacao", "Situação", "cancelada" if row["status"] == "cancelled" else "autorizada"),
    ]
    return [(name, label, str(text)) for name, label, text in shown if text not in (None, "")]
