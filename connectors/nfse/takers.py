"""Takers, unique by document in the account (document 000, Taker)."""

from collections.abc import AsyncGenerator
from typing import Annotated, Any, Final, Self

from pydantic import Field, model_validator

from connectors.http.envelope_pages import Page, pages
from connectors.http.session import HttpSession
from connectors.http.wire_values import CityName, Integer, Text
from connectors.nfse.drafts import (
    Cnpj,
    Cpf,
    NeighborhoodType,
    RequestModel,
    StateInscription,
    StreetType,
    Words,
    digit_text,
    digits,
    optional_text,
    phone,
    required_text,
)
from connectors.nfse.records import RecordCalls
from connectors.nfse.shapes import AnswerModel, CanonicalDocument, Number
from domain.documents import Document
from domain.problems import FieldFault

_PATH: Final = "/api/v1/takers"
_PHONE: Final = phone(8, 13)

ZipCode = Annotated[int, digits(8)] | Annotated[str, digit_text(8, 8)]
"""The document's integer, or its eight digits: as an integer it would lose a leading zero."""


class Address(AnswerModel):
    """An address. All parts are optional; numbers may arrive as text [A 1.27]."""

    street: str | None = None
    number: Text | None = None
    complement: str | None = None
    neighborhood: str | None = None
    city_code: Text | None = None
    state: str | None = None
    zip_code: Text | None = None
    street_type: str | None = None
    neighborhood_type: str | None = None
    city: CityName = None
    reference_point: str | None = None
    country: str | None = None
    country_code: Text | None = None
    country_abbreviation: str | None = None


class Contact(AnswerModel):
    """A contact. Both parts are optional."""

    phone: Text | None = None
    email: str | None = None


class NoteContact(Contact):
    ddd: Number | None = None
    ddd_comercial_phone: Number | None = None
    comercial_phone: Text | None = None
    ddd_fax: Number | None = None
    fax_phone: Text | None = None


class Taker(AnswerModel):
    """A taker. `cpf` and `cnpj` are canonical text. An incomplete taker cannot be used."""

    id: Integer
    account_id: Integer | None = None
    cpf: CanonicalDocument = None
    cnpj: CanonicalDocument = None
    social_reason: str | None = None
    fancy_name: str | None = None
    city_inscription: Text | None = None
    state_inscription: Text | None = None
    substitute_state_inscription: Text | None = None
    special_situation: Number | None = None
    foreign_taker: bool | None = None
    is_complete: bool = True
    address: Address | None = None
    contact: Contact | None = None

    @property
    def document_number(self) -> str | None:
        return self.cnpj or self.cpf


class NoteTaker(Taker):
    """A taker in a note: without an id if it was given with the note."""

    id: Integer | None = None  # type: ignore[assignment]
    contact: NoteContact | None = None


class AddressDraft(RequestModel):
    """An address in a request, sent only with its taker."""

    street: Annotated[Words, optional_text(200)] | None = None
    number: Annotated[Words, optional_text(10)] | None = None
    complement: Annotated[Words, optional_text(100)] | None = None
    neighborhood: Annotated[Words, optional_text(60)] | None = None
    city_code: Annotated[int, digits(7)] | None = None
    state: Annotated[Words, optional_text(2)] | None = None
    zip_code: ZipCode | None = None
    street_type: StreetType | None = None
    neighborhood_type: NeighborhoodType | None = None
    city: Annotated[Words, optional_text(60)] | None = None
    reference_point: Annotated[Words, optional_text(100)] | None = None
    country: Annotated[Words, optional_text(100)] | None = None
    country_code: Annotated[str, digit_text(4, 5)] | None = None
    country_abbreviation: Annotated[Words, optional_text(2)] | None = None


class ContactDraft(RequestModel):
    """A contact in a request, sent only with its taker."""

    phone: Annotated[Words, optional_text(15), _PHONE] | None = None
    email: Annotated[Words, optional_text(100)] | None = None


class NoteContactDraft(ContactDraft):
    ddd: Annotated[int, digits(10)] | None = None


class TakerChanges(RequestModel):
    """Any part of a taker; address and contact are changed field by field."""

    cpf: Cpf | None = None
    cnpj: Cnpj | None = None
    social_reason: Annotated[Words, required_text(120)] | None = None
    fancy_name: Annotated[Words, optional_text(100)] | None = None
    city_inscription: Annotated[Words, optional_text(25)] | None = None
    state_inscription: Annotated[StateInscription, optional_text(20)] | None = None
    substitute_state_inscription: Annotated[Words, optional_text(15)] | None = None
    special_situation: Annotated[int, Field(ge=0, le=5)] | None = None
    foreign_taker: bool | None = None
    allow_incomplete: bool | None = None
    address: AddressDraft | None = None
    contact: ContactDraft | None = None


class TakerDraft(TakerChanges):
    """A whole taker with a CPF or a CNPJ; neither only if it is foreign [A 1.34] or may be incomplete."""

    social_reason: Annotated[Words, required_text(120)]

    @model_validator(mode="after")
    def _has_one_document(self) -> Self:
        if self.cpf and self.cnpj:
            raise FieldFault("record_field.two_documents", field="cnpj")
        if not (self.cpf or self.cnpj or self.foreign_taker or self.allow_incomplete):
            raise FieldFault("record_field.no_document", field="cnpj")
        return self


class NoteTakerDraft(TakerDraft):
    contact: NoteContactDraft | None = None


class TakerCalls(RecordCalls[Taker, TakerDraft, TakerChanges]):
    """Calls about takers. `create` is `Refused` when the document exists already: look it up again."""

    def __init__(self, session: HttpSession) -> None:
        super().__init__(session, _PATH, Taker.model_validate, names=("cpf", "cnpj"))

    async def all(
        self, *, cnpj: str | None = None, cpf: str | None = None, social_reason: str | None = None
    ) -> list[Taker]:
        """Return all takers, or those that match the filters; the provider may ignore the filters [A 1.14]."""
        return await self._collect_matching(cnpj=cnpj, cpf=cpf, social_reason=social_reason)

    def listed(self) -> AsyncGenerator[Page[Taker], None]:
        """Yield all takers page by page. Pages shift, so a taker that is missing here may still exist."""
        return pages(self._session, _PATH, Taker.model_validate)

    async def find(self, document: Document) -> list[Taker]:
        """Return takers with exactly this document."""
        asked: dict[str, Any] = {document.kind: document.number}
        return [taker for taker in await self.all(**asked) if getattr(taker, document.kind) == document.number]
