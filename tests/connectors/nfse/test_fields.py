"""Compare the client with the transcribed field tables: what it reads, asks and sends.

The models and `fields.toml` were written separately from the same document. A name, type, path or filter in only one of
them is a mistake in one of them, or an assumption that has to be listed here.
"""

import json
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from pydantic import BaseModel

import connectors.nfse
from connectors.nfse.account import Account
from connectors.nfse.batches import Batch, Counters
from connectors.nfse.cities import City
from connectors.nfse.emitters import Emitter, EmitterChanges, _serie_record
from connectors.nfse.issuing.invoices import note_body
from connectors.nfse.issuing.parties import customer_body
from connectors.nfse.note_drafts import IncompleteNote, NoteChanges
from connectors.nfse.notes import AMOUNTS, NoteCalls, read_note
from connectors.nfse.service_values import Template, TemplateChanges
from connectors.nfse.takers import Address, Contact, NoteContact, Taker, TakerChanges
from connectors.nfse.webhooks import Delivery, Webhook, WebhookDraft
from connectors.nfse.whole_notes import HistoryEntry, NoteStatus, ServiceValues, SubstituteRps, WholeNote
from domain.cities import CITY_RULES
from domain.documents import Document
from domain.issuing import ServiceInvoice
from domain.parties import TakerData
from domain.services.invoices import compose_invoice
from domain.services.lines import ServiceLine
from domain.states import InvoiceState
from domain.templates import ServiceTemplate, TaxProfile
from tests.connectors.nfse import requests
from tests.connectors.nfse.receivers import receiving
from tests.connectors.nfse.samples import EMITTED_AT, RIO, staged

TABLES = tomllib.loads(Path(connectors.nfse.__file__).with_name("fields.toml").read_text(encoding="utf-8"))

# Sent although the document's tables do not name it there: an assumption of the README.
UNDOCUMENTED_REQUEST = {"batch_id"}  # [A 1.1]

ANSWERS: dict[type[BaseModel], tuple[str, ...]] = {
    Account: ("account",),
    Emitter: ("emitter",),
    Template: ("service_value",),
    Taker: ("taker",),
    Address: ("taker_address",),
    Contact: ("taker_contact",),
    NoteContact: ("nfse_contact",),
    Batch: ("batch",),
    Counters: ("batch_properties",),
    HistoryEntry: ("batch_history", "note_history"),
    WholeNote: ("nfse",),
    ServiceValues: ("nfse_service_values", "nfse_service_values_city"),
    SubstituteRps: ("substitute_rps",),
    NoteStatus: ("note_status",),
    City: ("city",),
    Webhook: ("webhook",),
    Delivery: ("webhook_delivery",),
}
# The client reads them as `links`, or drops them before any other code sees them.
UNTYPED = {"_links", "token"}
JSON_OF = {
    "string": "x",
    "integer": 7,
    "number": 7.25,
    "boolean": True,
    "date": "2026-11-01",
    "date-time": "2026-11-20T12:00:00Z",
}


def answered(resource):
    """Return field → its table entry, for every field that an answer of this resource may contain."""
    table = TABLES[resource]
    fields = {name: entry for name, entry in table.get("fields", {}).items() if entry.get("answered", True)}
    return {**fields, **table.get("answer", {})}


def example(*resources, **more):
    """Return an answer that the tables allow, every plain field filled by its type."""
    fields = {name: entry for resource in resources for name, entry in answered(resource).items()}
    plain = {name: JSON_OF[entry["type"]] for name, entry in fields.items() if entry["type"] in JSON_OF}
    return {**plain, **more}


NESTED = {
    Batch: {"properties": example("batch_properties")},
    Taker: {"address": example("taker_address"), "contact": example("taker_contact")},
    WholeNote: {
        "taker": example("taker", address=example("taker_address"), contact=example("nfse_contact")),
        "service_values": example("nfse_service_values", "nfse_service_values_city"),
        "substitute_rps": example("substitute_rps"),
        "errors": [{"code": "E1", "description": "x", "tip": "y"}],
    },
}


@pytest.mark.parametrize("model", ANSWERS)
def test_a_model_types_every_field_of_the_document_and_no_other(model):
    documented = {name for resource in ANSWERS[model] for name in answered(resource)}
    assert set(model.model_fields) == documented - UNTYPED


@pytest.mark.parametrize("model", ANSWERS)
def test_a_model_reads_what_the_tables_allow(model):
    raw = example(*ANSWERS[model], **NESTED.get(model, {}), future_field={"kept": True})
    read = model.model_validate(raw)
    entries = {name: entry for resource in ANSWERS[model] for name, entry in answered(resource).items()}
    for name, entry in entries.items():
        if name in model.model_fields and entry["type"] in {"integer", "boolean", "number"}:
            assert str(getattr(read, name)) == str(raw[name])
    assert read.model_extra["future_field"] == {"kept": True}


@pytest.mark.parametrize("model", ANSWERS)
def test_a_model_reads_nulls_where_nothing_is_known(model):
    """Every field may be null, except those that identify the resource or say that it can be used."""
    raw = example(*ANSWERS[model], **NESTED.get(model, {}))
    optional = {name for name, field in model.model_fields.items() if not field.is_required() and not field.default}
    optional -= {"is_active", "emitters"}
    read = model.model_validate({name: None if name in optional else value for name, value in raw.items()})
    assert all(not getattr(read, name) for name in optional)


def test_the_counters_are_all_of_the_documents():
    assert set(Counters.model_fields) == set(answered("batch_properties"))


class Asked(dict[str, Any]):
    """A mapping that records the requested keys."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.keys_asked = set()

    def get(self, key, default=None):
        self.keys_asked.add(key)
        return super().get(key, default)

    def __getitem__(self, key):
        self.keys_asked.add(key)
        return super().__getitem__(key)


def test_a_note_is_read_by_the_documents_names():
    values, taker = Asked(example("nfse_service_values")), Asked(example("taker", cnpj=None))
    error = Asked(code="E1")
    note = Asked(example("nfse", service_values=values, taker=taker, errors=[error], serie="F", number=7))
    found = read_note(note)
    assert note.keys_asked <= set(answered("nfse")) | {"nfse_errors"}
    assert values.keys_asked <= set(answered("nfse_service_values"))
    assert taker.keys_asked <= set(answered("taker"))
    assert error.keys_asked == {"code", "description", "tip"}
    assert (found.id, found.number, found.batch_id, found.emitter_id) == (7, 7, 7, 7)


def test_a_series_record_is_read_by_the_documents_names():
    numbers = Asked(example("serie_number"))
    record = Asked(serie_number=numbers, latest_nfse={"id": 5})
    found = _serie_record(record)
    assert record.keys_asked <= set(answered("serie"))
    assert numbers.keys_asked == set(answered("serie_number"))
    assert (found.latest_number, found.latest_note_id) == (7, 5)


def test_every_amount_of_a_note_is_compared():
    """Compare exactly the fields that the tables call amounts of a note."""
    documented = {
        name
        for name, entry in answered("nfse_service_values").items()
        if name.endswith("_amount") or name == "calculation_base"
    }
    assert set(AMOUNTS) == documented


def test_statuses_of_a_note_are_the_documents():
    assert set(TABLES["constants"]["status"]) == set(answered("nfse")["status"]["allowed"])
    assert set(TABLES["constants"]["status"]) <= {state.value for state in InvoiceState}


# --- requests ------------------------------------------------------------------------------------------------------


async def all_of_master_data(client):
    await client.account.read()
    await client.emitters.find(RIO)
    made = await client.emitters.create(requests.emitter())
    await client.emitters.read(made.id)
    await client.emitters.replace(made.id, requests.emitter())
    await client.emitters.update(made.id, EmitterChanges(fancy_name="Oficina"))
    await client.emitters.delete(made.id)
    await client.emitters.constants("emission_kind")
    await client.emitters.constants_html()
    template = await client.service_values.create(requests.template())
    await client.service_values.find(1, "Obra")
    await client.service_values.read(template.id)
    await client.service_values.replace(template.id, requests.template())
    await client.service_values.update(template.id, TemplateChanges(iss_percentage="2.00"))
    await client.service_values.calculate(template.id, 100)
    await client.service_values.delete(template.id)
    taker = await client.takers.create(requests.taker())
    await client.takers.find(Document("cnpj", requests.CNPJ))
    await client.takers.find(Document("cpf", requests.CPF))
    await client.takers.all(social_reason="x")
    await client.takers.read(taker.id)
    await client.takers.replace(taker.id, requests.taker())
    await client.takers.update(taker.id, TakerChanges(fancy_name="Cais"))
    await client.takers.delete(taker.id)
    await client.cities.all(state="SP")
    await client.cities.all(name="Niterói")


async def all_of_notes(client):
    batch, notes = await staged(client, 12)
    await client.emitters.all_series()
    await client.emitters.series(1)
    await client.emitters.serie(1, "F")
    await client.batches.find("lote", 1)
    await client.batches.all(status="created")
    await client.batches.read(batch)
    _ = [page async for page in client.batches.notes(batch)]
    _ = [page async for page in client.batches.notes(batch, "created")]
    await client.notes.read(notes[0].note.id)
    await client.notes.delete(notes[0].note.id)
    await client.batches.send(batch)
    await client.batches.history(batch)
    await client.batches.cancel((await staged(client, 1, "outro", "G"))[0])
    incomplete = await client.notes.create(IncompleteNote(emitter_id=1))
    await client.notes.update(incomplete.note.id, NoteChanges(other_informations="x"))
    await client.notes.replace(incomplete.note.id, requests.rio())
    await client.notes.constants("status")
    await client.notes.constants_html()
    issued = notes[1].note.id
    await client.notes.whole(issued)
    await client.notes.status(issued)
    await client.notes.history(issued)
    for document in (client.notes.mirror, client.notes.xml, client.notes.pdf):
        await document(issued)
    _ = [page async for page in client.notes.all(**EVERY_FILTER)]
    await client.notes.cancel(issued)


async def all_of_webhooks(client, receiver):
    webhook = await client.webhooks.create(WebhookDraft(name="n", url=receiver.url))
    await client.webhooks.all()
    await client.webhooks.read(webhook.id)
    await client.webhooks.rename(webhook.id, "m")
    await client.webhooks.delete(webhook.id)


EVERY_FILTER = {
    "status": "accepted",
    "emitter_id": 1,
    "number": 2,
    "serie": "F",
    "nfse_number": "1",
    "nfse_key": "K",
    "emission_date_gte": EMITTED_AT,
    "emission_date_lte": EMITTED_AT,
    "taker_cnpj": requests.CNPJ,
    "taker_cpf": requests.CPF,
    "is_complete": True,
}
# The document names 202 for each creation of a note: one that joins a batch or is incomplete is a 201 [A 1.1, 1.3].
OTHER_SUCCESSES = {"notes.create": {201}}


def test_every_operation_is_asked_as_the_document_says(ask, sandbox):
    """Make every call of the client once, as the sandbox recorded them: nothing is missing, nothing else is sent."""
    sandbox.switch(advance="at_once")

    async def everything(client):
        await all_of_master_data(client)
        await all_of_notes(client)
        with receiving() as receiver:
            await all_of_webhooks(client, receiver)

    ask(everything)
    asked = sandbox.record(requests=True)["requests"]
    assert {request["operation"] for request in asked} == set(TABLES["operations"])
    for request in asked:
        operation = TABLES["operations"][request["operation"]]
        filters = set(parse_qs(request["query"] or "", keep_blank_values=True)) - {"page"}
        assert filters <= set(operation.get("filters", ())), request
        allowed = OTHER_SUCCESSES.get(request["operation"], {operation["success"]})
        assert request["status"] in allowed, request
    filters = {name for request in asked for name in parse_qs(request["query"] or "")}
    assert filters >= {name for operation in TABLES["operations"].values() for name in operation.get("filters", ())}


def composed(code):
    """Return a request of this city with every field that a sheet and a template can give."""
    city = CITY_RULES[code]
    profile = TaxProfile(iss_bp=500, pis_bp=65, cofins_bp=300, inss_bp=1_100, ir_bp=150, csll_bp=100)
    template = ServiceTemplate(
        name="Consultoria",
        profile=profile,
        service_item_code="1701"[: city.item_code_digits].zfill(city.item_code_digits),
        city_tax_code="170101",
        cnae_code="6201-5/00",
        description="Consultoria",
        tax_burden_bp=1_345,
        tax_burden_source="IBPT",
        highlight_retentions=("ir", "pis"),
    )
    line = ServiceLine(
        service_cents=100_000,
        taker=TakerData(document=Document("cnpj", "99000010000194"), name="Padaria do Cais"),
        competence=EMITTED_AT.date().replace(day=1),
        observations="Contrato 12",
        reference="12",
        send_to_taker=True,
    )
    found = compose_invoice(line, emitter_cnpj=RIO, city=city, taker_remote_id=9, template=template)
    assert isinstance(found, ServiceInvoice), found
    raw = NoteCalls.body(
        note_body(found.content, emitter_id=1), batch_id=3, serie="F", number=77, emission_at=EMITTED_AT
    )
    return json.loads(raw)


CITY_TABLES = {"3304557": "rio_de_janeiro", "3550308": "sao_paulo"}


@pytest.mark.parametrize("code", CITY_TABLES)
def test_a_note_has_the_documents_fields_and_one_assumption(code):
    request = composed(code)
    assert set(request) - set(TABLES["nfse"]["fields"]) == UNDOCUMENTED_REQUEST
    known = set(TABLES["nfse_service_values"]["fields"]) | set(TABLES["nfse_service_values_city"]["fields"])
    assert set(request["service_values"]) <= known


@pytest.mark.parametrize("code", CITY_TABLES)
def test_a_notes_body_holds_all_that_the_city_requires(code):
    request, city = composed(code), TABLES["cities"][CITY_TABLES[code]]
    assert set(city["required"]) <= set(request)
    assert set(city["required_service_values"]) <= set(request["service_values"])
    for name in ("rps_situation", "rps_type", "operation_nature", "special_regime"):
        assert (str(request[name]) in city[name]) if city[name] and name in request else name not in request


@pytest.mark.parametrize("code", CITY_TABLES)
def test_a_notes_texts_and_amounts_have_the_documents_sizes(code):
    request = composed(code)
    table = {**TABLES["nfse_service_values_city"]["fields"], **TABLES["nfse_service_values"]["fields"]}
    sized = [(request, TABLES["nfse"]["fields"]), (request["service_values"], table)]
    for values, fields in sized:
        for name, value in values.items():
            entry = fields.get(name, {})
            if isinstance(value, str) and "max" in entry:
                assert len(value) <= entry["max"], name
            if "precision" in entry:
                whole, _, part = value.partition(".")
                digits, decimals = entry["precision"]
                assert len(whole) <= digits - decimals, name
                assert len(part) == decimals, name


def test_a_takers_body_holds_the_documents_fields():
    data = TakerData(
        document=Document("cnpj", "99000010000194"),
        name="Padaria do Cais",
        fancy_name="Cais",
        city_inscription="1",
        state_inscription="2",
        emails=("contas@cais.example",),
        phone="2133334444",
        street="Rua do Cais",
        number="1",
        complement="A",
        neighborhood="Centro",
        city_code="3304557",
        city="Rio de Janeiro",
        state="RJ",
        zip_code="20010000",
    )
    taker = customer_body(data)
    assert set(taker) <= set(TABLES["taker"]["fields"])
    assert set(taker["address"]) <= set(TABLES["taker_address"]["fields"])
    assert set(taker["contact"]) <= set(TABLES["taker_contact"]["fields"])
    sized = ((taker, "taker"), (taker["address"], "taker_address"), (taker["contact"], "taker_contact"))
    for part, table in sized:
        for name, value in part.items():
            entry = TABLES[table]["fields"][name]
            assert isinstance(value, {"string": str, "integer": int | str, "object": dict}.get(entry["type"], object))
            assert not isinstance(value, str) or len(value) <= entry.get("max", entry.get("digits", 255)), name
