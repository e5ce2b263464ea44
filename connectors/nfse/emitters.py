"""Emitters and their RPS series (document 000, Emitter)."""

from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict

from connectors.http.calls import understand
from connectors.http.errors import NotFound
from connectors.http.pages import collect
from connectors.http.session import HttpSession
from connectors.nfse.shapes import AnswerModel, CanonicalDocument, Text, canonical_document, read_integer, read_object


class Emitter(AnswerModel):
    """`cnpj` is canonical text. `is_active` is False until the provider has verified the certificate."""

    id: int
    cnpj: CanonicalDocument
    social_reason: str
    is_active: bool = False
    city_code: Text | None = None
    city: str | None = None
    state: str | None = None
    fancy_name: str | None = None
    city_inscription: Text | None = None
    environment: str | None = None


class SerieRecord(BaseModel):
    """What the provider knows of one series: whether `latest_number` counts created or only issued notes is unknown."""

    model_config = ConfigDict(frozen=True)

    serie: str
    latest_number: int | None
    latest_note_id: int | None


class EmitterCalls:
    """Calls about emitters. None of them writes: emitters are registered by people."""

    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def find(self, cnpj: str) -> list[Emitter]:
        """Emitters with exactly this CNPJ (canonical text), whatever the provider makes of the filter."""
        found = await collect(self._session, "/api/v1/emitters", Emitter.model_validate, query={"cnpj": cnpj})
        return [emitter for emitter in found if emitter.cnpj == canonical_document(cnpj)]

    async def serie(self, emitter_id: int, serie: str) -> SerieRecord | None:
        """The series record, None when the provider has none by that name."""
        try:
            answer = await self._session.read("GET", f"/api/v1/emitters/{emitter_id}/series/{quote(serie, safe='')}")
        except NotFound:
            return None
        return understand(answer, _serie_record)


def _serie_record(data: Any) -> SerieRecord:
    numbers = read_object(read_object(data)["serie_number"])
    latest = data.get("latest_nfse")
    number, note = numbers.get("latest_number"), read_object(latest).get("id") if latest else None
    return SerieRecord(
        serie=str(numbers["serie"]),
        latest_number=None if number is None else read_integer(number),
        latest_note_id=None if note is None else read_integer(note),
    )
