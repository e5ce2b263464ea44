"""Emitters, their RPS series and their constants (document 000, Emitter)."""

from typing import Annotated, Any, Final, Literal
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field

from connectors.http.calls import require_same, understand
from connectors.http.errors import NotFound
from connectors.http.redact import without_secrets
from connectors.http.session import HttpSession
from connectors.http.wire_values import CityName, Integer, Text, bare_document, read_integer, read_list, read_object
from connectors.nfse.constants import Constants, read_constants, read_constants_html
from connectors.nfse.drafts import (
    Base64,
    Cnpj,
    RequestModel,
    StateInscription,
    Words,
    digits,
    optional_text,
    phone,
    required_text,
)
from connectors.nfse.records import RecordCalls
from connectors.nfse.shapes import AnswerModel, CanonicalDocument, Number

_PATH: Final = "/api/v1/emitters"
_PHONE: Final = phone(10, 11)
_TAX_REGIMES = Literal[1, 2, 3]


class Emitter(AnswerModel):
    """An emitter. `cnpj` is canonical text. `is_active` is False until the provider has verified the certificate.

    The provider never answers certificate and password [A 1.24]; if it did, they would be dropped here.
    """

    id: Integer
    cnpj: CanonicalDocument
    social_reason: str
    account_id: Integer | None = None
    is_active: bool = False
    email: str | None = None
    fancy_name: str | None = None
    state_inscription: Text | None = None
    city_inscription: Text | None = None
    city_code: Text | None = None
    city: CityName = None
    state: str | None = None
    neighborhood: str | None = None
    street_type: str | None = None
    street: str | None = None
    number: Text | None = None
    zip_code: Text | None = None
    complement: str | None = None
    phone: Text | None = None
    ddd: Number | None = None
    environment: str | None = None
    certificate_filename: str | None = None
    latest_serie: Text | None = None
    latest_number: Number | None = None
    code_tax_regime: Number | None = None
    national_simple_optant: bool | None = None
    cultural_promoter: bool | None = None


class EmitterChanges(RequestModel):
    """The changeable fields of an emitter, all optional. Only production honours city and environment [A 1.35]."""

    email: Annotated[Words, required_text(255)] | None = None
    social_reason: Annotated[Words, required_text(255)] | None = None
    fancy_name: Annotated[Words, required_text(60)] | None = None
    state_inscription: Annotated[StateInscription, optional_text(255)] | None = None
    city_inscription: Annotated[Words, required_text(255)] | None = None
    state: Annotated[Words, required_text(2)] | None = None
    city: Annotated[Words, required_text(255)] | None = None
    neighborhood: Annotated[Words, required_text(60)] | None = None
    street_type: Annotated[Words, optional_text(125)] | None = None
    street: Annotated[Words, required_text(125)] | None = None
    number: Annotated[Words, required_text(10)] | None = None
    zip_code: Annotated[Words, required_text(9)] | None = None
    complement: Annotated[Words, optional_text(60)] | None = None
    phone: Annotated[Words, required_text(11), _PHONE] | None = None
    certificate: Base64 | None = Field(default=None, repr=False)
    password: Annotated[Words, required_text(255)] | None = Field(default=None, repr=False)
    environment: Annotated[Words, optional_text(11)] | None = None
    filename: Annotated[Words, optional_text(100)] | None = None
    code_tax_regime: _TAX_REGIMES | None = None
    national_simple_optant: bool | None = None
    cultural_promoter: bool | None = None


class EmitterDraft(EmitterChanges):
    """All fields of an emitter. PUT ignores the CNPJ and the latest RPS."""

    email: Annotated[Words, required_text(255)]
    social_reason: Annotated[Words, required_text(255)]
    cnpj: Cnpj
    fancy_name: Annotated[Words, required_text(60)]
    city_inscription: Annotated[Words, required_text(255)]
    state: Annotated[Words, required_text(2)]
    city: Annotated[Words, required_text(255)]
    neighborhood: Annotated[Words, required_text(60)]
    street: Annotated[Words, required_text(125)]
    number: Annotated[Words, required_text(10)]
    zip_code: Annotated[Words, required_text(9)]
    phone: Annotated[Words, required_text(11), _PHONE]
    certificate: Base64 = Field(repr=False)
    password: Annotated[Words, required_text(255)] = Field(repr=False)
    latest_serie: Annotated[Words, optional_text(5)] | None = None
    latest_number: Annotated[int, digits(10)] | None = None


class SerieRecord(BaseModel):
    """The provider's record of one series. Whether `latest_number` counts created or only issued notes is unknown.

    Only the list of all emitters has `emitter_id`.
    """

    model_config = ConfigDict(frozen=True, defer_build=True)

    serie: str
    latest_number: int | None
    latest_note_id: int | None
    emitter_id: int | None = None


class EmitterCalls(RecordCalls[Emitter, EmitterDraft, EmitterChanges]):
    """Calls about emitters. The pipeline only reads them: people register emitters."""

    def __init__(self, session: HttpSession) -> None:
        super().__init__(session, _PATH, read_emitter, names=("cnpj",))

    async def all(self, *, cnpj: str | None = None, social_reason: str | None = None) -> list[Emitter]:
        """Return all emitters, or those that match the filters; the provider may ignore the filters [A 1.14]."""
        return await self._collect_matching(cnpj=cnpj, social_reason=social_reason)

    async def find(self, cnpj: str) -> list[Emitter]:
        """Return emitters with exactly this CNPJ (canonical text), even if the provider ignores the filter."""
        return [emitter for emitter in await self.all(cnpj=cnpj) if emitter.cnpj == bare_document(cnpj)]

    async def all_series(self) -> list[SerieRecord]:
        return understand(await self._session.read("GET", f"{_PATH}/series"), _serie_records)

    async def series(self, emitter_id: int) -> list[SerieRecord]:
        return understand(await self._session.read("GET", f"{_PATH}/{emitter_id}/series"), _serie_records)

    async def serie(self, emitter_id: int, serie: str) -> SerieRecord | None:
        """Return the series record, or None if the provider answers that the serie does not exist."""
        try:
            answer = await self._session.read("GET", f"{_PATH}/{emitter_id}/series/{quote(serie, safe='')}")
        except NotFound:
            return None
        return understand(answer, lambda data: _require_same_serie(_serie_record(data), serie))

    async def constants(self, *names: Literal["code_tax_regime", "emission_kind"]) -> Constants:
        """Return the labels of these constants, by constant and code."""
        return await read_constants(self._session, f"{_PATH}/constants", names)

    async def constants_html(self, *names: Literal["code_tax_regime", "emission_kind"]) -> dict[str, str]:
        """Return the constants as pieces of HTML."""
        return dict(await read_constants_html(self._session, f"{_PATH}/constants", names))


def read_emitter(data: Any) -> Emitter:
    """Return an emitter from any answer, without the fields that must not be in one."""
    return Emitter.model_validate(without_secrets(data))


def _require_same_serie(found: SerieRecord, serie: str) -> SerieRecord:
    return require_same(found, "serie", asked=serie, answered=found.serie)


def _serie_records(data: Any) -> list[SerieRecord]:
    return [_serie_record(item) for item in read_list(data)]


def _serie_record(data: Any) -> SerieRecord:
    numbers = read_object(read_object(data)["serie_number"])
    latest, emitter = data.get("latest_nfse"), data.get("emitter_id")
    number, note = numbers.get("latest_number"), read_object(latest).get("id") if latest else None
    return SerieRecord(
        serie=str(numbers["serie"]),
        latest_number=None if number is None else read_integer(number),
        latest_note_id=None if note is None else read_integer(note),
        emitter_id=None if emitter is None else read_integer(emitter),
    )
