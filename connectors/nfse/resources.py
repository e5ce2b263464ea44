"""Describe each kind of record at the service-invoice provider (document 000, Resources)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from connectors.http.resource_fields import number_of, values_of, write_of
from connectors.nfse.client import NfseClient
from connectors.nfse.drafts import RequestModel, Words, required_text
from connectors.nfse.emitters import EmitterChanges, EmitterDraft, SerieRecord
from connectors.nfse.note_drafts import NoteChanges, NoteDraft
from connectors.nfse.records import RecordCalls
from connectors.nfse.service_values import TemplateChanges, TemplateDraft
from connectors.nfse.takers import TakerChanges, TakerDraft
from connectors.nfse.webhooks import WebhookDraft
from connectors.nfse.whole_notes import HistoryEntry
from domain.resources import Draft, Path, Record, Resource, Values, Verb, Write

SYSTEM: Final = "nfse"
_IS_COMPLETE: Final = "is_complete"
_NUMBERS: Final = frozenset({"emitter_id", "number"})
_LISTED_NOTES: Final = 1_000
_STEP: Final = ("date", "from_status", "to_status")


class _WebhookName(RequestModel):
    name: Annotated[Words, required_text()]


def resources(client: NfseClient) -> list[Resource]:
    """Return all resources of the provider, for an open client."""
    return [*_masters(client), _webhooks(client), *_notes(client), *_batches(client), *_reference(client)]


def _masters(client: NfseClient) -> list[Resource]:
    return [
        Resource(
            kind="emitter",
            system=SYSTEM,
            parts=("emitter",),
            columns=("cnpj", "social_reason", "city", "is_active"),
            filters=("cnpj", "social_reason"),
            key=(("cnpj",),),
            secrets=frozenset({"certificate", "password"}),
            unseen=frozenset({"filename"}),
            **_record_calls(client.emitters, "emitter", "social_reason"),
            writes=_writes(client.emitters, "emitter", EmitterDraft, EmitterChanges),
        ),
        Resource(
            kind="template",
            system=SYSTEM,
            parts=("template",),
            columns=("emitter_id", "name", "service_item_code", "iss_percentage"),
            filters=("emitter_id", "name"),
            key=(("emitter_id", "name"),),
            **_record_calls(client.service_values, "template", "name"),
            writes=_writes(client.service_values, "template", TemplateDraft, TemplateChanges),
        ),
        Resource(
            kind="taker",
            system=SYSTEM,
            parts=("taker",),
            columns=("cnpj", "cpf", "social_reason", "is_complete"),
            filters=("cnpj", "cpf", "social_reason", _IS_COMPLETE),
            key=(("cnpj",), ("cpf",)),
            unseen=frozenset({"allow_incomplete"}),
            **_record_calls(client.takers, "taker", "social_reason"),
            writes=_writes(client.takers, "taker", TakerDraft, TakerChanges),
        ),
    ]


def _record_calls(calls: Any, kind: str, name: str) -> dict[str, Any]:
    async def find(_place: Path, filters: Values) -> Sequence[Record]:
        found = [_record(each, name) for each in await calls.all(**_filters(filters))]
        return [each for each in found if _is_wanted(each, filters)]

    async def read(path: Path) -> Record:
        return _record(await calls.read(number_of(path[-1], kind)), name)

    return {"all": find, "read": read}


def _writes(
    calls: RecordCalls[Any, Any, Any], kind: str, draft: type[RequestModel], changes: type[RequestModel]
) -> Mapping[Verb, Write]:
    async def create(_place: Path, asked: Draft) -> Record:
        return _record(await calls.create(asked.body))

    async def change(path: Path, asked: Draft) -> Record:
        return _record(await calls.update(number_of(path[-1], kind), asked.body))

    async def replace(path: Path, asked: Draft) -> Record:
        return _record(await calls.replace(number_of(path[-1], kind), asked.body))

    async def remove(path: Path, _asked: Draft) -> None:
        await calls.delete(number_of(path[-1], kind))

    return {
        "create": write_of(draft, create),
        "change": write_of(changes, change),
        "replace": write_of(draft, replace),
        "remove": write_of(None, remove),
    }


def _webhooks(client: NfseClient) -> Resource:
    calls = client.webhooks

    async def find(_place: Path, _filters: Values) -> Sequence[Record]:
        return [_record(each, "name") for each in await calls.all()]

    async def read(path: Path) -> Record:
        return _record(await calls.read(number_of(path[-1], "webhook")), "name")

    async def create(_place: Path, asked: Draft) -> Record:
        return _record(await calls.create(asked.body), "name")

    async def change(path: Path, asked: Draft) -> Record:
        return _record(await calls.rename(number_of(path[-1], "webhook"), asked.body.name), "name")

    async def remove(path: Path, _asked: Draft) -> None:
        await calls.delete(number_of(path[-1], "webhook"))

    return Resource(
        kind="webhook",
        system=SYSTEM,
        parts=("webhook",),
        columns=("name", "url", "created_at"),
        key=(("url",),),
        all=find,
        read=read,
        writes={
            "create": write_of(WebhookDraft, create),
            "change": write_of(_WebhookName, change),
            "remove": write_of(None, remove),
        },
    )


def _notes(client: NfseClient) -> list[Resource]:
    """Return the resources `note`, which does not change notes of this system, and `note-history`."""
    notes = client.notes

    async def find(_place: Path, filters: Values) -> Sequence[Record]:
        found: list[Record] = []
        async for page in notes.all(**_filters(filters)):
            found += [each for item in page.items if _is_wanted(each := _record(item, "status"), filters)]
            if len(found) >= _LISTED_NOTES:
                break
        return found

    async def read(path: Path) -> Record:
        note_id = number_of(path[-1], "note")
        whole, status, mirror = await notes.whole(note_id), await notes.status(note_id), await notes.mirror(note_id)
        values = values_of(whole.body) | {"status": status.status, "mirror_url": mirror or ""}
        return Record((str(note_id),), status.status, values)

    async def change(path: Path, asked: Draft) -> Record:
        return _record(await notes.update(number_of(path[-1], "note"), asked.body), "status")

    async def replace(path: Path, asked: Draft) -> Record:
        return _record(await notes.replace(number_of(path[-1], "note"), asked.body), "status")

    async def history(path: Path, _filters: Values) -> Sequence[Record]:
        return _entries(path, await notes.history(number_of(path[0], "note")))

    return [
        Resource(
            kind="note",
            system=SYSTEM,
            parts=("note",),
            columns=("status", "serie", "number", "is_complete"),
            filters=("status", "emitter_id", "serie", "number", _IS_COMPLETE),
            unseen=frozenset({"allow_incomplete", "service_values.id", "taker_id"}),
            ours="invoice",
            all=find,
            read=read,
            writes={
                "change": write_of(NoteChanges, change, is_issuing=True),
                "replace": write_of(NoteDraft, replace, is_issuing=True),
            },
        ),
        Resource(kind="note-history", system=SYSTEM, parts=("note", "entry"), columns=_STEP, all=history),
    ]


def _batches(client: NfseClient) -> list[Resource]:
    """Return the resources `batch`, which does not cancel batches of this system, and `batch-history`."""
    batches = client.batches

    async def find(_place: Path, filters: Values) -> Sequence[Record]:
        return [_record(each, "name") for each in await batches.all(**_filters(filters))]

    async def read(path: Path) -> Record:
        return _record(await batches.read(number_of(path[-1], "batch")), "name")

    async def cancel(path: Path, _asked: Draft) -> Record:
        return _record(await batches.cancel(number_of(path[-1], "batch")), "name")

    async def history(path: Path, _filters: Values) -> Sequence[Record]:
        return _entries(path, await batches.history(number_of(path[0], "batch")))

    return [
        Resource(
            kind="batch",
            system=SYSTEM,
            parts=("batch",),
            columns=("name", "emitter_id", "status", "properties.total"),
            filters=("status", "emitter_id", "name"),
            ours="batch",
            all=find,
            read=read,
            is_gone=lambda record: record.values.get("status") != "created",
            writes={"remove": write_of(None, cancel, is_issuing=True)},
        ),
        Resource(kind="batch-history", system=SYSTEM, parts=("batch", "entry"), columns=_STEP, all=history),
    ]


def _reference(client: NfseClient) -> list[Resource]:
    """Return the read-only resources: series, constants, cities."""
    emitters = client.emitters

    async def series(place: Path, _filters: Values) -> Sequence[Record]:
        found = await (emitters.series(number_of(place[0], "emitter")) if place else emitters.all_series())
        return [_serie(place, each) for each in found]

    async def serie(path: Path) -> Record:
        found = await emitters.serie(number_of(path[0], "emitter"), path[-1])
        return Record(path, path[-1], {}) if found is None else _serie(path[:1], found)

    async def constants(_place: Path, filters: Values) -> Sequence[Record]:
        known = {**await emitters.constants(), **await client.notes.constants()}
        return [
            Record((name, code), label, {"name": name, "code": code, "label": label})
            for name, codes in sorted(known.items())
            for code, label in codes.items()
            if filters.get("name") in (None, name)
        ]

    async def cities(_place: Path, filters: Values) -> Sequence[Record]:
        found = await client.cities.all(name=filters.get("name"), state=filters.get("state"))
        return [Record((each.city_code,), each.name, values_of(each.body)) for each in found]

    latest = ("serie", "latest_number", "latest_note_id")
    return [
        Resource(kind="serie", system=SYSTEM, parts=("emitter", "serie"), columns=latest, all=series, read=serie),
        Resource(
            kind="constant",
            system=SYSTEM,
            parts=("name", "code"),
            columns=("name", "code", "label"),
            filters=("name",),
            all=constants,
        ),
        Resource(
            kind="city",
            system=SYSTEM,
            parts=("city",),
            columns=("name", "state", "city_code", "status"),
            filters=("name", "state"),
            all=cities,
        ),
    ]


def _serie(place: Path, found: SerieRecord) -> Record:
    emitter = place[:1] or (str(found.emitter_id or ""),)
    return Record((*emitter, found.serie), found.serie, values_of(found.model_dump()))


def _entries(path: Path, found: Sequence[HistoryEntry]) -> list[Record]:
    return [
        Record((*path, str(place)), each.to_status, values_of(each.body)) for place, each in enumerate(found, start=1)
    ]


def _record(found: Any, name: str = "name") -> Record:
    values = values_of(found.body)
    return Record((str(found.id),), values.get(name, ""), values)


def _filters(filters: Values) -> dict[str, Any]:
    return {
        name: number_of(text, name) if name in _NUMBERS else text
        for name, text in filters.items()
        if name != _IS_COMPLETE
    }


def _is_wanted(record: Record, filters: Values) -> bool:
    """Return whether a record matches the filter `is_complete`.

    We check it here because the provider may ignore this filter [A notes 1.14].
    """
    asked = filters.get(_IS_COMPLETE)
    return asked is None or record.values.get(_IS_COMPLETE) == asked
