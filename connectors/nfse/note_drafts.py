"""Request models of a note: complete by city, incomplete, or any part of one (document 000, NFSe).

The pipeline composes its own requests (`issuing/invoices.py`, `NoteCalls.body`); these models are for people and tools.
"""

from datetime import date, datetime
from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import AwareDatetime, field_serializer, model_validator

from connectors.nfse.drafts import Code, Identity, RequestModel, Words, decimal, digits, optional_text, required_text
from connectors.nfse.service_values import Retention
from connectors.nfse.shapes import emission_text
from connectors.nfse.takers import NoteTakerDraft
from domain.problems import FieldFault

_EARLIEST: Final = 1900
_RIO_TYPES = Literal[1, 2, 3]
_RIO_NATURES = Literal[1, 2, 3, 4, 5, 6]
_PAULISTA_SITUATIONS = Literal["T", "F", "A", "B", "M", "N", "X", "V", "P", "C"]
_PAULISTA_TYPES = Literal["RPS", "RPS-M", "RPS-C"]


class ServiceValuesDraft(RequestModel):
    """The values of a note. With `id`, a template supplies missing values; missing amounts are computed [A 1.23]."""

    needs: ClassVar[tuple[str, ...]] = ()

    id: Identity | None = None
    service_amount: Annotated[str, decimal(16)] | None = None
    calculation_base: Annotated[str, decimal(16)] | None = None
    deduction_amount: Annotated[str, decimal(16)] | None = None
    retained_iss: bool | None = None
    iss_percentage: Annotated[str, decimal(6)] | None = None
    iss_amount: Annotated[str, decimal(16)] | None = None
    pis_amount: Annotated[str, decimal(16)] | None = None
    cofins_amount: Annotated[str, decimal(16)] | None = None
    inss_amount: Annotated[str, decimal(16)] | None = None
    ir_amount: Annotated[str, decimal(16)] | None = None
    csll_amount: Annotated[str, decimal(16)] | None = None
    discount_conditioning_amount: Annotated[str, decimal(16)] | None = None
    service_item_code: Annotated[Words, optional_text(5)] | None = None
    city_tax_code: Annotated[Words, optional_text(20)] | None = None
    cnae_code: Code | None = None
    description: Words | None = None
    city_code: Code | None = None
    nfse_liquid_amount: Annotated[str, decimal(16)] | None = None
    other_retentions_amount: Annotated[str, decimal(16)] | None = None
    retained_iss_amount: Annotated[str, decimal(16)] | None = None
    unconditioned_discount_amount: Annotated[str, decimal(16)] | None = None
    highlight_retentions: tuple[Retention, ...] | None = None
    inss_percentage: Annotated[str, decimal(5)] | None = None
    ir_percentage: Annotated[str, decimal(5)] | None = None
    cofins_percentage: Annotated[str, decimal(5)] | None = None
    csll_percentage: Annotated[str, decimal(5)] | None = None
    pis_percentage: Annotated[str, decimal(5)] | None = None
    retained_iss_percentage: Annotated[str, decimal(5)] | None = None
    tax_burden_percentage: Annotated[str, decimal(5)] | None = None
    tax_burden_amount: Annotated[str, decimal(15)] | None = None
    tax_burden_source: Annotated[Words, optional_text(10)] | None = None
    tax_burden_highlight: bool | None = None

    @model_validator(mode="after")
    def _require_values(self) -> Self:
        lacking = [name for name in self.needs if self.id is None and getattr(self, name) in (None, "")]
        if lacking:
            raise FieldFault("record_field.without_template", names=", ".join(lacking))
        return self


class PaulistaValues(ServiceValuesDraft):
    """The values that São Paulo requires."""

    needs = ("service_amount", "iss_percentage", "service_item_code", "description")


class RioValues(ServiceValuesDraft):
    """The values that Rio de Janeiro requires."""

    needs = (*PaulistaValues.needs, "city_tax_code")


class SubstituteRpsDraft(RequestModel):
    """Names the issued note that the new one replaces [A 1.30]."""

    number: Annotated[int, digits(10)]
    serie: Annotated[Words, required_text(5)]
    rps_type: Annotated[int, digits(1)]


class NoteChanges(RequestModel):
    """Any part of an incomplete note. `batch_id` joins a batch at creation [A 1.1]."""

    batch_id: Identity | None = None
    taker: NoteTakerDraft | None = None
    taker_id: Identity | None = None
    rps_situation: Annotated[Words, optional_text(1)] | Annotated[int, digits(1)] | None = None
    serie: Annotated[Words, required_text(5)] | None = None
    number: Annotated[int, digits(10)] | None = None
    rps_type: Annotated[Words, optional_text(5)] | Annotated[int, digits(1)] | None = None
    emission_date: AwareDatetime | None = None
    operation_nature: _RIO_NATURES | None = None
    other_informations: Annotated[Words, optional_text(255)] | None = None
    competence: date | None = None
    special_regime: _RIO_NATURES | None = None
    send_nfse_taker: bool | None = None
    allow_incomplete: bool | None = None
    service_values: ServiceValuesDraft | None = None
    substitute_rps: SubstituteRpsDraft | None = None

    @field_serializer("emission_date")
    def _with_an_offset(self, instant: datetime | None) -> str | None:
        return None if instant is None else emission_text(instant)

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> Self:
        if self.taker is not None and self.taker_id is not None:
            raise FieldFault("record_field.two_takers", field="taker_id")
        for name, when in (("emission_date", self.emission_date), ("competence", self.competence)):
            if when is not None and when.year < _EARLIEST:
                raise FieldFault("record_field.too_early", field=name, year=_EARLIEST)
        return self


class IncompleteNote(NoteChanges):
    """A note that may have only its emitter; the provider does not issue it before it is complete [A 1.3]."""

    emitter_id: Identity
    allow_incomplete: Literal[True] = True


class NoteDraft(NoteChanges):
    """A complete note. Without `batch_id` it is issued at once; without a number the provider gives the next one."""

    emitter_id: Identity
    serie: Annotated[Words, required_text(5)]
    emission_date: AwareDatetime


class RioNote(NoteDraft):
    """A note of an emitter in Rio de Janeiro."""

    rps_situation: Literal[1, 2] = 1
    rps_type: _RIO_TYPES = 1
    operation_nature: _RIO_NATURES = 1
    service_values: RioValues


class PaulistaNote(NoteDraft):
    """A note of an emitter in São Paulo: its taker's address has city and state; it has no nature and no regime."""

    rps_situation: _PAULISTA_SITUATIONS = "T"
    rps_type: _PAULISTA_TYPES = "RPS"
    operation_nature: None = None
    special_regime: None = None
    service_values: PaulistaValues

    @model_validator(mode="after")
    def _require_taker_address(self) -> Self:
        address = self.taker.address if self.taker else None
        if self.taker and not (address and address.city and address.state):
            raise FieldFault("record_field.taker_address", field="taker.address")
        return self
