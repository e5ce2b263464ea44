"""Takers, unique by document in the account (document 000, Taker)."""

import json
from collections.abc import Mapping
from typing import Any, Final

from connectors.http.calls import understand
from connectors.http.pages import collect
from connectors.http.session import HttpSession
from connectors.nfse.shapes import AnswerModel, CanonicalDocument, Text
from domain.documents import Document

_CREATED: Final = frozenset({201})


class Address(AnswerModel):
    """All parts optional; numbers may come back as text [A 1.27]."""

    street: str | None = None
    number: Text | None = None
    complement: str | None = None
    neighborhood: str | None = None
    city_code: Text | None = None
    state: str | None = None
    zip_code: Text | None = None
    city: str | None = None


class Contact(AnswerModel):
    """Both parts optional."""

    phone: Text | None = None
    email: str | None = None


class Taker(AnswerModel):
    """`cpf` and `cnpj` are canonical text. An incomplete taker cannot be used."""

    id: int
    cpf: CanonicalDocument = None
    cnpj: CanonicalDocument = None
    social_reason: str | None = None
    fancy_name: str | None = None
    city_inscription: Text | None = None
    state_inscription: Text | None = None
    is_complete: bool = True
    address: Address | None = None
    contact: Contact | None = None

    @property
    def document_number(self) -> str | None:
        return self.cnpj or self.cpf


class TakerCalls:
    """Calls about takers."""

    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def find(self, document: Document) -> list[Taker]:
        """Takers with exactly this document."""
        query: dict[str, str | int] = {document.kind: document.number}
        found = await collect(self._session, "/api/v1/takers", Taker.model_validate, query=query)
        return [taker for taker in found if getattr(taker, document.kind) == document.number]

    async def create(self, fields: Mapping[str, Any], *, not_after: float | None = None) -> Taker:
        """Store a taker, address and contact with it. `Refused` when the document exists already: look again."""
        body = json.dumps(fields, ensure_ascii=False).encode()
        answer = await self._session.write("POST", "/api/v1/takers", body, expect=_CREATED, not_after=not_after)
        return understand(answer, Taker.model_validate)
