"""Our requests, field by field, against the transcribed tables: the same names, needs, sizes and values."""

import tomllib
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

import connectors.nfse
from connectors.nfse.drafts import RequestModel, encode_body
from connectors.nfse.emitters import EmitterChanges, EmitterDraft
from connectors.nfse.note_drafts import (
    IncompleteNote,
    NoteChanges,
    NoteDraft,
    PaulistaNote,
    RioNote,
    RioValues,
    ServiceValuesDraft,
    SubstituteRpsDraft,
)
from connectors.nfse.service_values import TemplateChanges, TemplateDraft
from connectors.nfse.takers import (
    AddressDraft,
    ContactDraft,
    NoteContactDraft,
    NoteTakerDraft,
    TakerChanges,
    TakerDraft,
)
from connectors.nfse.webhooks import WebhookDraft
from tests.connectors.nfse import requests

TABLES = tomllib.loads(Path(connectors.nfse.__file__).with_name("fields.toml").read_text(encoding="utf-8"))

DRAFTS: dict[type[BaseModel], tuple[str, ...]] = {
    EmitterDraft: ("emitter",),
    EmitterChanges: ("emitter",),
    TemplateDraft: ("service_value",),
    TemplateChanges: ("service_value",),
    TakerDraft: ("taker",),
    TakerChanges: ("taker",),
    NoteTakerDraft: ("taker",),
    AddressDraft: ("taker_address",),
    ContactDraft: ("taker_contact",),
    NoteContactDraft: ("nfse_contact",),
    NoteDraft: ("nfse",),
    NoteChanges: ("nfse",),
    IncompleteNote: ("nfse",),
    ServiceValuesDraft: ("nfse_service_values", "nfse_service_values_city"),
    SubstituteRpsDraft: ("substitute_rps",),
    WebhookDraft: ("webhook",),
}
# The provider decides these and ignores a request that names them.
READ_ONLY = {"is_complete"}
# Sent although the tables do not name them there: assumptions of the README.
ASSUMED = {NoteChanges: {"batch_id", "substitute_rps"}, ServiceValuesDraft: {"id"}}  # [A 1.1, 1.30], templates
# Fields that a change may not contain, because they stay as they were.
FIXED_IN_CHANGES = {EmitterChanges: {"cnpj", "latest_serie", "latest_number"}, NoteChanges: {"emitter_id"}}
# Required by the tables, yet computed or by city [A 1.22, 1.23]; the city's variants say more about a note's parts.
COMPUTED = {"operation_nature"}


def documented(model):
    """Return field → table entry of the fields that this request may contain."""
    return {name: entry for table in DRAFTS[model] for name, entry in TABLES[table]["fields"].items()}


def own(mapping, model):
    """Return the entry for this model or the nearest of its bases."""
    return next((found for kind in model.__mro__ if (found := mapping.get(kind)) is not None), set())


@pytest.mark.parametrize("model", DRAFTS)
def test_a_request_has_every_field_of_the_document_and_no_other(model):
    fixed = FIXED_IN_CHANGES.get(model, set())
    expected = (set(documented(model)) | own(ASSUMED, model)) - READ_ONLY - fixed
    assert set(model.model_fields) == expected


WHOLE = [model for model in DRAFTS if model not in (ServiceValuesDraft, NoteTakerDraft, IncompleteNote)]


@pytest.mark.parametrize("model", [model for model in WHOLE if not model.__name__.endswith("Changes")])
def test_a_whole_request_needs_what_the_document_requires(model):
    required = {name for name, entry in documented(model).items() if entry.get("required") and "default" not in entry}
    assert {name for name, field in model.model_fields.items() if field.is_required()} == required - COMPUTED


def test_a_complete_note_needs_what_its_city_requires():
    for model, city in ((RioNote, "rio_de_janeiro"), (PaulistaNote, "sao_paulo")):
        table = TABLES["cities"][city]
        given = {name for name, field in model.model_fields.items() if field.is_required() or field.default is not None}
        assert set(table["required"]) <= given
        values: Any = model.model_fields["service_values"].annotation
        # iss_percentage is optional in the cities' table, and refused where it is missing [A 1.23]
        assert set(values.needs) == {*table["required_service_values"], "iss_percentage"}
        for name in ("rps_situation", "rps_type", "operation_nature", "special_regime"):
            allowed = getattr(model.model_fields[name].annotation, "__args__", ())
            allowed = [str(value) for value in _flat(allowed)]
            assert allowed == table[name], name


def _flat(values):
    for value in values:
        if value is type(None):
            continue
        yield from _flat(value.__args__) if hasattr(value, "__args__") else [value]


def at_the_limit(entry: Any) -> Any:
    """Return the largest values that a table allows for a field."""
    if "allowed" in entry:
        return entry["allowed"]
    if "precision" in entry:
        whole, part = entry["precision"][0] - entry["precision"][1], entry["precision"][1]
        return ["0", "0.01", f"{'9' * whole}.{'9' * part}", Decimal("1.10")]
    if "items" in entry:
        return [tuple(entry["items"]), ()]
    return {
        "string": ["x" * entry.get("max", 300)],
        "integer": [0, 10 ** entry.get("digits", 10) - 1],
        "boolean": [True, False],
        "number": ["6201-5/00", 6201500],
        "date": [date(2026, 11, 1)],
        "date-time": [datetime(2026, 11, 1, tzinfo=UTC)],
    }.get(entry["type"], [])


def beyond_the_limit(entry) -> list[Any]:
    """Return values that a table does not allow, of the right and of the wrong type."""
    if "allowed" in entry:
        return [max(entry["allowed"]) + 1, "x"]
    if "precision" in entry:
        whole, part = entry["precision"][0] - entry["precision"][1], entry["precision"][1]
        return [f"1{'0' * whole}", f"0.{'0' * part}1", "-1", "1,0", "", "1e2", "NaN", 1, 1.5, True]
    if "items" in entry:
        return [("x",), "ir_amount"]
    return {
        "string": [*(["x" * (entry["max"] + 1)] if "max" in entry else []), 1, True, "\ud800", "\0"],
        "integer": [*([10 ** entry["digits"]] if "digits" in entry else []), -1, "x", 1.0, True],
        "boolean": ["true", 1],
        "number": [1.5, True, ""],
        "date": ["2026-11-01", datetime(2026, 11, 1, tzinfo=UTC)],
        "date-time": [datetime(2026, 11, 1, tzinfo=UTC).replace(tzinfo=None), "2026-11-01T00:00:00Z"],
    }.get(entry["type"], [])


# The content of these counts, not the size: documents, base64, and codes of a fixed length.
BY_CONTENT = {"cpf", "cnpj", "certificate", "country_code", "zip_code", "phone", "state_inscription"}
CODES = {(AddressDraft, "street_type"), (AddressDraft, "neighborhood_type")}
# Ids have no size in the tables: at least 1. Codes that depend on the city are text or integer [A 1.22].
OTHERWISE = {
    "emitter_id",
    "taker_id",
    "batch_id",
    "id",
    "rps_situation",
    "rps_type",
    "operation_nature",
    "service_values",
}
OTHERWISE |= {"special_regime", "allow_incomplete"}
FIELDS = [
    (model, name)
    for model in DRAFTS
    for name in model.model_fields
    if name in documented(model) and name not in BY_CONTENT | OTHERWISE and (model, name) not in CODES
]


def adapter(model, name):
    field = model.model_fields[name]
    return TypeAdapter(field.rebuild_annotation(), config={"strict": True})


@pytest.mark.parametrize(("model", "name"), FIELDS, ids=lambda value: getattr(value, "__name__", value))
def test_a_field_has_the_documents_size(model, name):
    entry, field = documented(model)[name], adapter(model, name)
    for value in at_the_limit(entry):
        field.validate_python(value)
    for value in beyond_the_limit(entry):
        with pytest.raises(ValidationError):
            field.validate_python(value)


@pytest.mark.parametrize(
    ("model", "name", "right", "wrong"),
    [
        (TakerDraft, "cpf", ["990.000.001-30", "99000000130"], ["99000000131", "11111111111", 99000000130]),
        (TakerDraft, "cnpj", ["99.abc.001/0001-57", "99000010000194"], ["99000010000195", "٩٩٠٠٠٠١٠٠٠٠١٩٤"]),
        (EmitterDraft, "certificate", ["UEZY"], ["", "P F Y", "é"]),
        (AddressDraft, "country_code", ["01058", "1058"], ["105", "010580", "x"]),
        (AddressDraft, "zip_code", [1310100, "01310100"], [10**8, "1310100", "01310-100"]),
        (EmitterDraft, "phone", ["2199999000", "21999990000"], ["999990000", "219999900001", "x" * 10, "", 21]),
        (ContactDraft, "phone", ["32272144", "(21) 9999-0000", ""], ["1234567", "liga", "(21)  99999-0000", 21]),
        (EmitterDraft, "state_inscription", ["ISENTO", "1" * 255, ""], ["1" * 256, "a confirmar", 1]),
        (TakerDraft, "state_inscription", ["isenta", "P-0110/002", "1" * 20], ["1" * 21, "x", 1]),
        (AddressDraft, "street_type", TABLES["constants"]["street_type"], ["AVENIDA", "rua", ""]),
        (AddressDraft, "neighborhood_type", TABLES["constants"]["neighborhood_type"], ["res", ""]),
        (NoteDraft, "emitter_id", [1], [0, "1", 10**18, True]),
    ],
)
def test_a_field_whose_content_counts(model, name, right, wrong):
    for value in right:
        adapter(model, name).validate_python(value)
    for value in wrong:
        with pytest.raises(ValidationError):
            adapter(model, name).validate_python(value)


def test_an_amount_is_made_the_text_of_the_api():
    fields: dict[str, Any] = {**requests.VALUES, "service_item_code": "1", "city_tax_code": "2"}
    values = RioValues(**fields | {"service_amount": "007.5"})
    assert values.service_amount == "7.50"
    assert ServiceValuesDraft.model_validate({"service_amount": Decimal("1E+2")}).service_amount == "100.00"


@pytest.mark.parametrize("name", ["service_amount", "iss_percentage", "service_item_code", "city_tax_code"])
def test_without_a_template_a_note_says_enough(name):
    values: dict[str, Any] = {**requests.VALUES, "service_item_code": "1701", "city_tax_code": "170101"}
    values.pop(name)
    with pytest.raises(ValidationError, match=name):
        RioValues(**values)
    assert RioValues(**values, id=4).id == 4


def test_a_taker_is_named_by_id_or_inline_not_both():
    with pytest.raises(ValidationError, match="two_takers"):
        requests.rio(taker_id=1, taker=NoteTakerDraft(cpf=requests.CPF, social_reason="Ana"))


def test_requests_omit_none_and_write_offsets():
    raw = encode_body(requests.rio(number=None))
    assert b"null" not in raw
    assert b'"emission_date":"2026-11-20T12:30:00-03:00"' in raw
    assert b'"competence":"2026-11-01"' in raw


def test_no_error_quotes_what_it_was_given():
    with pytest.raises(ValidationError) as caught:
        requests.taker(social_reason="Ana Souza de Andrade" * 20, surprise="99000000130")
    assert "Ana Souza" not in str(caught.value)
    assert "99000000130" not in str(caught.value)


def test_every_request_model_is_held_against_a_table():
    def below(kind):
        return {kind, *(found for sub in kind.__subclasses__() for found in below(sub))}

    flavours = {RioNote, PaulistaNote, *below(ServiceValuesDraft)}
    # Other systems' models and the texts of commands (`resources`) may be loaded already.
    modules = {kind.__module__ for kind in DRAFTS} | {ServiceValuesDraft.__module__, RioNote.__module__}
    ours = {kind for kind in below(RequestModel) - {RequestModel} if kind.__module__ in modules}
    assert ours <= set(DRAFTS) | flavours
