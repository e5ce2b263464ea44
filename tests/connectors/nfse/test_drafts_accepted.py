"""The emulator accepts each request that the client's model accepts, and refuses each that the model refuses.

The requests come from the field tables, at their limits and just beyond; types are the documented ones. (The emulator
is more liberal with types: it reads numbers that come as text, and text that comes as a number.)
"""

import itertools
import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

import connectors.nfse
from connectors.nfse.emitters import EmitterChanges, EmitterDraft
from connectors.nfse.note_drafts import IncompleteNote, PaulistaNote, RioNote
from connectors.nfse.service_values import TemplateChanges, TemplateDraft
from connectors.nfse.takers import TakerChanges, TakerDraft
from tests.connectors.nfse import requests
from tests.sandboxes import note_body

TABLES = tomllib.loads(Path(connectors.nfse.__file__).with_name("fields.toml").read_text(encoding="utf-8"))
SETTINGS = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
_numbers = itertools.count(1_000)

# Fields whose content counts, or about which the tables say too little: drawn separately.
SPECIAL = {
    "phone": st.sampled_from(["32272144", "(21) 9999-0000", "21999990000", "", "liga", "1234567", "1" * 16]),
    "state_inscription": st.sampled_from(["ISENTO", "isenta", "P-0110/002", "", "a confirmar", "1" * 21]),
    "street_type": st.sampled_from(["RUA", "AVN", "AVENIDA", "rua"]),
    "neighborhood_type": st.sampled_from(["RED", "COM", "res"]),
    "cpf": st.sampled_from([requests.CPF, "990.000.001-30", "99000000131", "11111111111", ""]),
    "cnae_code": st.sampled_from(["6201-5/00", 6201500]),
    "city_code": st.sampled_from([3304557, 9_999_999]),
    "country_code": st.sampled_from(["01058", "1058"]),
    "certificate": st.sampled_from(["UEZY"]),
    "zip_code": st.sampled_from([1310100, 99_999_999, 10**8]),
}
SPECIAL_OF = {
    "emitter": {
        **SPECIAL,
        "zip_code": st.sampled_from(["20010-000", "x" * 10, ""]),
        "phone": st.sampled_from(["2132272144", "21999990000", "32272144", "liga", "2" * 12, ""]),
        "state_inscription": st.sampled_from(["ISENTO", "110.042.490", "", "a confirmar", "1" * 256]),
        "street_type": st.sampled_from(["RUA", "AVENIDA", "x" * 126]),
    }
}


def cnpj(number):
    """Return a fictional CNPJ that no other request has."""
    digits = [int(digit) for digit in f"99{number:06d}0001"]
    for weights in ((5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2), (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)):
        rest = sum(digit * weight for digit, weight in zip(digits, weights, strict=True)) % 11
        digits.append(0 if rest < 2 else 11 - rest)
    return "".join(map(str, digits))


def drawn(entry):
    """Return values of the documented type, up to the limit and just beyond it."""
    if "allowed" in entry:
        return st.sampled_from([*entry["allowed"], max(entry["allowed"]) + 1])
    if "precision" in entry:
        whole, part = entry["precision"][0] - entry["precision"][1], entry["precision"][1]
        most = "9" * whole
        return st.sampled_from(
            [
                "0",
                "0.01",
                "7.5",
                f"{most}.99",
                f"1{'0' * whole}",
                f"0.{'0' * part}1",
                "-1.00",
                "1,00",
                "1e2",
                ".5",
                "5.",
            ]
        )
    if "items" in entry:
        return st.sampled_from([[], entry["items"][:2], entry["items"], ["x"]])
    size = entry.get("max", 40)
    return {
        "string": st.one_of(st.text(max_size=min(size, 6)), st.sampled_from(["", "x" * size, "ç" * (size + 1), "a\0b"]))
        if "max" in entry
        else st.sampled_from(["x", "Obra em São Paulo", "x" * 3_000]),
        "integer": st.sampled_from([0, 1, 10 ** entry.get("digits", 9) - 1, 10 ** entry.get("digits", 18), -1]),
        "boolean": st.booleans(),
        "date": st.sampled_from(["2026-11-01", "2026-13-01", "x"]),
        "date-time": st.sampled_from(["2026-11-20T10:00:00Z", "2026-11-20T10:00:00-03:00", "2026-11-31T10:00:00Z"]),
    }[entry["type"]]


def fields(*tables, without=()):
    """Return a few fields of these tables."""
    strategies = {
        name: special[name] if name in special else drawn(entry)
        for table in tables
        for special in [SPECIAL_OF.get(table, SPECIAL)]
        for name, entry in TABLES[table]["fields"].items()
        if entry["type"] != "object" and name not in {"is_complete", "emitter_id", "taker_id", *without}
    }
    return st.lists(st.sampled_from(sorted(strategies)), max_size=3, unique=True).flatmap(
        lambda names: st.fixed_dictionaries({name: strategies[name] for name in names})
    )


def lacking(base, wire):
    """Return `base` with the drawn fields, sometimes without one of its own fields."""
    return st.one_of(st.none(), st.sampled_from(sorted(base))).map(
        lambda name: {key: value for key, value in {**base, **wire}.items() if key != name}
    )


def accepts(model, wire):
    try:
        model.model_validate_json(json.dumps(wire))
    except ValidationError:
        return False
    return True


def agree(sandbox, model, call, wire):
    """Check that both accept it, or both refuse it."""
    method, path = call
    ours = accepts(model, wire)
    status, answer, _ = sandbox.call(method, path, wire)
    assert status in (200, 201, 202, 422), (status, answer)
    assert ours is (status != 422), (ours, status, answer, wire)


def test_taker_drafts_are_accepted_as_the_emulator_does(sandbox):
    base = {"social_reason": "Padaria do Cais Ltda"}
    address, contact = fields("taker_address"), fields("taker_contact")

    @SETTINGS
    @given(st.data())
    def check(data):
        known = {**base, "cnpj": cnpj(next(_numbers))}
        wire = data.draw(fields("taker", without=("cnpj", "cpf")).flatmap(lambda drawn: lacking(known, drawn)))
        if data.draw(st.booleans()):
            wire |= {"address": data.draw(address), "contact": data.draw(contact)}
        agree(sandbox, TakerDraft, ("POST", "/api/v1/takers"), wire)

    check()


def test_changes_of_a_taker(sandbox):
    taker = sandbox.call("POST", "/api/v1/takers", requests.taker().wire())[1]["id"]

    @SETTINGS
    @given(fields("taker", without=("cnpj", "cpf")), fields("taker_address"))
    def check(wire, address):
        wire = {name: value for name, value in wire.items() if value != ""}
        agree(sandbox, TakerChanges, ("PATCH", f"/api/v1/takers/{taker}"), {**wire, "address": address})

    check()


@pytest.mark.parametrize("wrong", ["99000000131", "11111111111"])
def test_documents_are_accepted_as_the_emulator_does(sandbox, wrong):
    for wire in ({"cpf": wrong}, {"cnpj": wrong}, {"cpf": requests.CPF, "cnpj": requests.CNPJ}, {"cpf": requests.CPF}):
        agree(sandbox, TakerDraft, ("POST", "/api/v1/takers"), {"social_reason": "Ana", **wire})


def test_emitter_drafts_are_accepted_as_the_emulator_does(sandbox):
    base = requests.emitter().wire()

    @SETTINGS
    @given(st.data())
    def check(data):
        number = next(_numbers)
        known = {**base, "cnpj": cnpj(number), "social_reason": f"Oficina {number}"}
        without = ("cnpj", "social_reason")
        wire = data.draw(fields("emitter", without=without).flatmap(lambda drawn: lacking(known, drawn)))
        agree(sandbox, EmitterDraft, ("POST", "/api/v1/emitters"), wire)

    check()


def test_changes_of_an_emitter(sandbox):
    fixed = ("cnpj", "latest_serie", "latest_number", "social_reason", "city", "environment")

    @SETTINGS
    @given(fields("emitter", without=fixed))
    def check(wire):
        # An empty text leaves a required field unchanged; the model refuses it.
        wire = {name: value for name, value in wire.items() if value != ""}
        agree(sandbox, EmitterChanges, ("PATCH", "/api/v1/emitters/1"), wire)

    check()


def test_template_drafts_are_accepted_as_the_emulator_does(sandbox):
    @SETTINGS
    @given(st.data())
    def check(data):
        base = {"emitter_id": 1, "name": "Obra"}
        wire = data.draw(fields("service_value").flatmap(lambda drawn: lacking(base, drawn)))
        agree(sandbox, TemplateDraft, ("POST", "/api/v1/service-values"), wire)

    check()


def test_changes_of_a_template(sandbox):
    @SETTINGS
    @given(fields("service_value", without=("name",)))
    def check(wire):
        agree(sandbox, TemplateChanges, ("PATCH", "/api/v1/service-values/1"), wire)

    check()


BY_CITY = ("rps_situation", "rps_type", "operation_nature", "special_regime", "allow_incomplete")
VALUES = ("nfse_service_values", "nfse_service_values_city")


def codes(city):
    """Return the city's own codes, at their documented values and others; numbers where they are numbers."""
    found = {}
    for name in BY_CITY[:4]:
        allowed = [int(code) if code.isdigit() else code for code in TABLES["cities"][city][name]]
        if allowed:
            found[name] = st.sampled_from([*allowed, 9 if isinstance(allowed[0], int) else "Z"])
    return st.lists(st.sampled_from(sorted(found)), max_size=2, unique=True).flatmap(
        lambda names: st.fixed_dictionaries({name: found[name] for name in names})
    )


@pytest.mark.parametrize(
    ("model", "city", "base"),
    [(RioNote, "rio_de_janeiro", requests.rio()), (PaulistaNote, "sao_paulo", requests.paulista())],
)
def test_note_drafts_are_accepted_as_the_emulator_does(sandbox, model, city, base):
    known = base.wire()
    inline = {"social_reason": "Ana", "cpf": requests.CPF}
    issued = note_body(1, emitter=known["emitter_id"])
    sandbox.switch(advance="at_once")
    sandbox.call("POST", "/api/v1/nfse", issued)
    # Only the emulator knows whether such a note was issued.
    replaced = st.sampled_from(
        [{"number": number, "serie": "F", "rps_type": 1} for number in (1, -1, 10**10)]
        + [{"number": 1, "serie": serie, "rps_type": kind} for serie, kind in (("", 1), ("F" * 6, 1), ("F", 10))]
    )

    @SETTINGS
    @given(st.data())
    def check(data):
        wire = data.draw(fields("nfse", without=BY_CITY).flatmap(lambda drawn: lacking(known, drawn)))
        wire |= data.draw(codes(city))
        if "service_values" in wire:
            values = fields(*VALUES).flatmap(lambda drawn: lacking(known["service_values"], drawn))
            wire["service_values"] = data.draw(values)
        if data.draw(st.booleans()):
            address, contact = data.draw(fields("taker_address")), data.draw(fields("nfse_contact"))
            wire["taker"] = {**inline, "address": address, "contact": contact}
        if data.draw(st.booleans()):
            wire["substitute_rps"] = data.draw(replaced)
        agree(sandbox, model, ("POST", "/api/v1/nfse"), wire)

    check()


def test_incomplete_notes_are_accepted_as_the_emulator_does(sandbox):
    @SETTINGS
    @given(fields("nfse", without=BY_CITY), fields(*VALUES))
    def check(wire, values):
        wire = {"emitter_id": 1, "allow_incomplete": True, **wire, "service_values": values}
        if wire.get("serie") == "":
            wire.pop("serie")
        agree(sandbox, IncompleteNote, ("POST", "/api/v1/nfse"), wire)

    check()
