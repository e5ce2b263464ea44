"""A note with all its fields, its status, and its history (document 000, NFSe).

For people and tools; the pipeline reads only the fields that it compares, see `notes.py`.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, TypedDict

from pydantic import AliasChoices, BeforeValidator, ConfigDict, Field, model_validator

from connectors.http.redact import without_secrets
from connectors.http.wire_values import Instant, Integer, Text, read_object
from connectors.nfse.shapes import AnswerModel, Day, DecimalText, Number, NumberText
from connectors.nfse.takers import NoteTaker


def read_error(item: Any) -> Mapping[str, Any]:
    """Return an error of a note; a bare text is its description [A 1.11]. Raises `TypeError` for anything else."""
    return {"description": item} if isinstance(item, str) else read_object(item)


class ErrorEntry(AnswerModel):
    """The city's reason for a rejection, in its words."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    code: str | None = None
    description: str | None = None
    tip: str | None = None


def _read_errors(value: Any) -> Any:
    return tuple(map(read_error, value)) if isinstance(value, list) else value or ()


Errors = Annotated[tuple[ErrorEntry, ...], BeforeValidator(_read_errors)]


def _either(documented: str, observed: str) -> Any:
    """Return a field that is read by its documented or its observed name [A 1.39]."""
    return Field(None, validation_alias=AliasChoices(documented, observed))


def _without_nulls(value: Any) -> Any:
    """Return the values without the nulls: of a field's two names, one may be null."""
    return {name: part for name, part in value.items() if part is not None} if isinstance(value, dict) else value


def _none_as_empty(group: Any) -> Any:
    """Return None for a replacement without a number, as `notes.read_note` takes it."""
    return group if isinstance(group, dict) and group.get("number") not in (None, "") else None


class ServiceValues(AnswerModel):
    """Amounts and rates as the API's texts; null in an incomplete note."""

    service_amount: DecimalText | None = None
    calculation_base: DecimalText | None = None
    deduction_amount: DecimalText | None = None
    retained_iss: bool | None = None
    iss_percentage: DecimalText | None = None
    iss_amount: DecimalText | None = None
    pis_amount: DecimalText | None = None
    cofins_amount: DecimalText | None = None
    inss_amount: DecimalText | None = None
    ir_amount: DecimalText | None = None
    csll_amount: DecimalText | None = None
    discount_conditioning_amount: DecimalText | None = None
    service_item_code: Text | None = None
    city_tax_code: Text | None = None
    cnae_code: NumberText | None = None
    description: str | None = None
    city_code: NumberText | None = None
    nfse_liquid_amount: DecimalText | None = None
    other_retentions_amount: DecimalText | None = _either("other_retentions_amount", "other_retentions")
    retained_iss_amount: DecimalText | None = None
    unconditioned_discount_amount: DecimalText | None = _either(
        "unconditioned_discount_amount", "unconditioned_discount"
    )
    highlight_retentions: tuple[str, ...] | None = None
    inss_percentage: DecimalText | None = None
    ir_percentage: DecimalText | None = None
    cofins_percentage: DecimalText | None = None
    csll_percentage: DecimalText | None = None
    pis_percentage: DecimalText | None = None
    retained_iss_percentage: DecimalText | None = None
    tax_burden_percentage: DecimalText | None = None
    tax_burden_amount: DecimalText | None = None
    tax_burden_source: str | None = None
    tax_burden_highlight: bool | None = None


class SubstituteRps(AnswerModel):
    """The issued note that this one replaces [A 1.30]."""

    number: Number
    serie: Text
    rps_type: Text


class _Rejectable(AnswerModel):
    errors: Errors = ()
    nfse_errors: Errors = ()

    @model_validator(mode="before")
    @classmethod
    def _one_list_under_both_names(cls, data: Any) -> Any:
        if isinstance(data, dict):
            found = data.get("errors") or data.get("nfse_errors")
            return {**data, "errors": found, "nfse_errors": found}
        return data


class WholeNote(_Rejectable):
    """A whole note. Codes that depend on the city are text. `errors` and `nfse_errors` are one list [A 1.11]."""

    id: Integer
    emitter_id: Integer | None = None
    batch_id: Integer | None = None
    status: str
    description: str | None = None
    is_complete: bool | None = None
    serie: Text | None = None
    number: Number | None = None
    rps_type: Text | None = None
    rps_situation: Text | None = None
    operation_nature: Text | None = None
    special_regime: Text | None = None
    emission_date: Instant | None = None
    competence: Day | None = None
    other_informations: str | None = None
    send_nfse_taker: bool | None = None
    taker: NoteTaker | None = None
    service_values: Annotated[ServiceValues | None, BeforeValidator(_without_nulls)] = None
    substitute_rps: Annotated[SubstituteRps | None, BeforeValidator(_none_as_empty)] = None
    nfse_key: Text | None = None
    nfse_number: Text | None = None
    nfse_xml: str | None = None
    xml: str | None = None
    xml_url: str | None = None
    pdf_url: str | None = None
    mirror_url: str | None = None
    protocol: Text | None = None
    is_api: bool | None = None
    user_id: Number | None = None
    national_simple_optant: bool | None = None
    cultural_promoter: bool | None = None
    emitter_city_code: NumberText | None = None
    emitter_national_simple_optant: bool | None = None
    emitter_cultural_promoter: bool | None = None
    environment: str | None = None


class NoteStatus(_Rejectable):
    """The status resource [A 1.8]. `description` may be outdated: never decide on it [A 1.12]."""

    id: Integer
    status: str
    description: str | None = None
    nfse_key: Text | None = None
    nfse_number: Text | None = None
    number: Number | None = None
    mirror_url: str | None = None
    xml_url: str | None = None
    pdf_url: str | None = None
    environment: str | None = None


class NoteFilters(TypedDict, total=False):
    """The filters of the list of notes [A 1.14]; instants are aware."""

    status: str
    emitter_id: Integer
    number: Integer
    serie: str
    nfse_number: str
    nfse_key: str
    emission_date_gte: datetime
    emission_date_lte: datetime
    taker_cnpj: str
    taker_cpf: str
    is_complete: bool


class Named(AnswerModel):
    """The subject of a history entry: an emitter, an account, a batch or an RPS."""

    id: Integer | None = None
    name: str | None = None
    social_reason: str | None = None
    number: Number | None = None


class HistoryEntry(AnswerModel):
    """One step and its author, without `token`: a real token was observed there [A 1.9]."""

    id: Integer | None = None
    from_status: str | None = None
    to_status: str
    date: str
    emitter: Named | None = None
    account: Named | None = None
    batch: Named | None = None
    rps: Named | None = None


def read_history_entry(data: Any) -> HistoryEntry:
    """Return an entry of a batch's or a note's history, without its token."""
    return HistoryEntry.model_validate(without_secrets(data))
