"""Check a posted note: references, documented fields, and the city's requirements.

One answer names all wrong fields. `service_values` errors nest as an object, those of a taker's address and contact as
a list with one object [A notes 1.15, 1.16].
"""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from connectors.emulation.field_tables import REQUIRED, Errors, check
from connectors.emulation.instants import in_utc
from connectors.emulation.messages import Json, Refusal, invalid
from connectors.nfse.emulator.amounts import with_amounts
from connectors.nfse.emulator.state import City, EmulatorState
from connectors.nfse.emulator.takers import checked_taker

_BY_CITY: Final = ("rps_situation", "rps_type", "operation_nature", "special_regime")
_NOT_KEPT: Final = (
    "emitter_id",
    "taker",
    "taker_id",
    "service_values",
    "serie",
    "number",
    "allow_incomplete",
    "is_complete",
)
# The document marks amounts and city as required, but the provider fills them in if they are absent [A notes 1.23]
_REQUIRED_VALUES: Final = ("service_amount", "iss_percentage", "service_item_code", "description")
NOT_AN_OBJECT: Final = "Objeto inválido."
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
_TEXTS_CEILING: Final = 2_000
_ISSUED: Final = (
    "SELECT 1 FROM notes WHERE emitter_id = ? AND serie = ? AND number = ? AND status = 'accepted'"
    " AND deleted_at IS NULL"
)
_ALWAYS_ZERO: Final = ("deduction_amount", "discount_conditioning_amount", "unconditioned_discount_amount")


@dataclass(frozen=True, slots=True)
class CheckedNote:
    """A valid note, its three larger parts also as JSON texts.

    `digest` covers all its content except the batch: equal content has an equal digest.
    """

    emitter: Json
    serie: str | None
    number: int | None
    taker_id: int | None
    taker: Json | None
    service_values: Json
    body: Json
    is_complete: bool
    texts: tuple[str | None, str, str]
    digest: str


def check_note(world: EmulatorState, payload: Json) -> CheckedNote:
    """Return the normalised note, or refuse it with every error at once."""
    may_lack = payload.get("allow_incomplete") is True
    emitter, city, errors = _emitter(world, payload)
    required = () if may_lack else ("serie", "emission_date")
    clean, wrong = check(
        world.tables["nfse"], payload, required=required, skip=("emitter_id", "taker", "taker_id", *_BY_CITY)
    )
    errors.update(wrong)
    by_city, wrong = _city_fields(city, payload)
    errors.update(wrong)
    taker_id, taker, wrong = _taker(world, payload, city)
    errors.update(wrong)
    values, wrong = _service_values(world, payload, city, emitter, may_lack=may_lack)
    errors.update(wrong)
    replaced, wrong = _substitute(world, payload, emitter)
    errors.update(wrong)
    if errors:
        raise invalid(errors)
    is_complete = not may_lack or all(values.get(name) not in (None, "") for name in _REQUIRED_VALUES)
    is_complete = is_complete and bool(clean.get("serie") and clean.get("emission_date"))
    body = {name: value for name, value in clean.items() if name not in _NOT_KEPT} | by_city
    if clean.get("emission_date"):
        body["emission_date"] = in_utc(clean["emission_date"])
    body["substitute_rps"] = replaced
    values = with_amounts(values) if is_complete else _blank_values(world, values)
    texts = (_taker_text(world, taker_id, taker), _text(values), _text(body))
    rps = (emitter["id"], clean.get("serie"), clean.get("number"))
    return CheckedNote(
        emitter=emitter,
        serie=clean.get("serie"),
        number=clean.get("number"),
        taker_id=taker_id,
        taker=taker,
        service_values=values,
        body=body,
        is_complete=is_complete,
        texts=texts,
        digest=sha256(repr((rps, texts)).encode()).hexdigest(),
    )


def _taker_text(world: EmulatorState, taker_id: int | None, taker: Json | None) -> str | None:
    if taker is None:
        return None
    known = world.taker_texts.get(taker_id or 0)
    if known is not None and known[0] is taker:
        return known[1]
    text = _text(taker)
    if taker_id is not None:
        if len(world.taker_texts) >= _TEXTS_CEILING:
            world.taker_texts.clear()
        world.taker_texts[taker_id] = (taker, text)
    return text


def is_id(value: Any) -> bool:
    """Return whether a request's value can be an id: a number that a database can hold, or its digits."""
    text = str(value)
    return text.isascii() and text.isdigit() and len(text) < 19


def number_of(world: EmulatorState, checked: CheckedNote) -> int | None:
    """Return the requested number, or the next one of the emitter's serie [A notes 1.28]."""
    if checked.number is not None or checked.serie is None:
        return checked.number
    return (_highest(world, checked) or 0) + 1


def judge_number(world: EmulatorState, checked: CheckedNote, number: int | None, *, besides: int = 0) -> None:
    """Record a violation for a reused number; switches decide whether it, or a gap, is refused [A notes 1.29].

    A deleted note's number counts as used, too. `besides` is the id of the stored note that has this number itself.
    """
    if number is None:
        return
    emitter_id, serie = checked.emitter["id"], checked.serie
    same = world.store.records(
        "SELECT id, digest, status, deleted_at FROM notes"
        " WHERE emitter_id = ? AND serie = ? AND number = ? AND id != ?",
        (emitter_id, serie, number, besides),
    )
    if same:
        is_refused = world.switches["duplicate_rps"] == "refuse" and any(note["deleted_at"] is None for note in same)
        world.store.violate(
            world.now(),
            "duplicate_rps",
            emitter_id=emitter_id,
            serie=serie,
            number=number,
            has_same_content=all(note["digest"] == checked.digest for note in same),
            was_refused=is_refused,
            earlier=[{"id": n["id"], "status": n["status"], "is_deleted": n["deleted_at"] is not None} for n in same],
        )
        if is_refused:
            raise invalid({"number": ["Já existe uma nota com este número e série."]})
    highest = _highest(world, checked) if world.switches["gap"] == "refuse" else None
    if highest is not None and number > highest + 1:
        raise invalid({"number": [f"O próximo número da série é {highest + 1}."]})


def _highest(world: EmulatorState, checked: CheckedNote) -> int | None:
    emitter = checked.emitter
    elsewhere = emitter.get("latest_number") if emitter.get("latest_serie") == checked.serie else None
    highest = world.store.one(
        "SELECT MAX(number) FROM notes WHERE emitter_id = ? AND serie = ?", (emitter["id"], checked.serie)
    )[0]
    return max((number for number in (highest, elsewhere) if number is not None), default=None)


def _emitter(world: EmulatorState, payload: Json) -> tuple[Json, City | None, Errors]:
    asked = payload.get("emitter_id")
    if asked is None:
        return {}, None, {"emitter_id": [REQUIRED]}
    emitter = world.emitters.get(int(asked)) if is_id(asked) else None
    if emitter is None:
        return {}, None, {"emitter_id": ["Emitente não encontrado."]}
    city = world.cities.get(emitter.get("city_code") or 0)
    if city is None or not emitter.get("is_active"):
        return emitter, city, {"emitter_id": ["O emitente não pode emitir notas."]}
    return emitter, city, {}


def _city_fields(city: City | None, payload: Json) -> tuple[Json, Errors]:
    """Return the codes that depend on the city, with the city's default where missing [A notes 1.22]."""
    if city is None:
        return {}, {}
    kept: Json = {}
    errors: Errors = {}
    for name in _BY_CITY:
        value = payload.get(name)
        if value in (None, ""):
            kept[name] = city.defaults[name]
        elif not city.rules[name]:
            kept[name] = None  # this city does not use it
        elif str(value) in city.rules[name]:
            kept[name] = int(value) if str(value).isdigit() else value
        else:
            errors[name] = [f"Valor não permitido: {value}."]
    return kept, errors


def _taker(world: EmulatorState, payload: Json, city: City | None) -> tuple[int | None, Json | None, Errors]:
    """Return the taker named by id or given in full; a note may have none."""
    taker_id: int | None = None
    if payload.get("taker_id") not in (None, ""):
        asked = payload["taker_id"]
        stored = world.takers.get(int(asked)) if is_id(asked) else None
        if stored is None:
            return None, None, {"taker": ["Tomador não encontrado."]}
        if not stored.get("is_complete"):
            return None, None, {"taker": ["O cadastro do tomador está incompleto."]}
        taker, taker_id = stored, int(asked)
    elif isinstance(payload.get("taker"), dict):
        try:
            taker = {"id": None, **checked_taker(world, payload["taker"], "nfse_contact")}
        except Refusal as refusal:
            return None, None, {"taker": refusal.answer.body}
    elif payload.get("taker") is not None:
        return None, None, {"taker": [NOT_AN_OBJECT]}
    else:
        return None, None, {}
    address = taker.get("address") or {}
    wanted = city.rules["required_taker_address"] if city else ()
    lacking = {name: [REQUIRED] for name in wanted if not address.get(name)}
    return taker_id, taker, {"taker": {"address": [lacking]}} if lacking else {}


def _service_values(
    world: EmulatorState, payload: Json, city: City | None, emitter: Json, *, may_lack: bool
) -> tuple[Json, Errors]:
    """Return the given values, completed from the template that `id` names."""
    asked = payload.get("service_values")
    if not isinstance(asked, dict):
        return {}, {} if may_lack else {"service_values": {name: [REQUIRED] for name in _REQUIRED_VALUES}}
    template: Json = {}
    # Clients send an empty id instead of none [A notes 1.37].
    if asked.get("id") not in (None, ""):
        found = world.templates.get(int(asked["id"])) if is_id(asked["id"]) else None
        if found is None or found["emitter_id"] != emitter.get("id"):
            return {}, {"service_values": ["Valores de serviço não encontrados."]}
        template = {name: value for name, value in found.items() if name not in ("id", "emitter_id", "name")}
    clean, errors = check(world.value_table, asked, required=())
    values = {**template, **clean}
    wanted = [] if may_lack else [*_REQUIRED_VALUES, *(city.rules["required_service_values"] if city else ())]
    errors.update({name: [REQUIRED] for name in wanted if values.get(name) in (None, "") and name not in errors})
    values.setdefault("city_code", city.code if city else None)
    values["city_code"] = values["city_code"] or (city.code if city else None)
    return values, {"service_values": errors} if errors else {}


def _substitute(world: EmulatorState, payload: Json, emitter: Json) -> tuple[Json | None, Errors]:
    """Return serie and number of the issued note that this one replaces, and the errors about them [A notes 1.30].

    A note that the emitter never issued is an error. None if the request or a switch names no replacement.
    """
    asked = payload.get("substitute_rps")  # the request key is an assumption [A notes 1.30]
    if asked in (None, "") or world.switches["replacement"] == "ignore":
        return None, {}
    if not isinstance(asked, dict):
        return None, {"substitute_rps": [NOT_AN_OBJECT]}
    clean, errors = check(world.tables["substitute_rps"], asked)
    rps = (emitter.get("id"), clean.get("serie"), clean.get("number"))
    if not errors and not world.store.one(_ISSUED, rps):
        errors = {"number": ["Não há nota emitida com este número e série."]}
    return clean, {"substitute_rps": errors} if errors else {}


def _blank_values(world: EmulatorState, values: Json) -> Json:
    """Return the values of an incomplete note: defaults or null, deductions and discounts "0.00" [A notes 1.3]."""
    empty = world.tables["nfse_service_values"].defaults() | dict.fromkeys(_ALWAYS_ZERO, "0.00")
    return {**empty, **{name: value for name, value in values.items() if value is not None}}


def _text(part: Json) -> str:
    return _ENCODER.encode(part)
