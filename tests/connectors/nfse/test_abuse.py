"""Every route under abuse, generated from the field tables: always a documented answer, and never a broken one."""

import json
import tomllib
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import connectors.nfse
from tests.connectors import abusing
from tests.connectors.nfse import requests
from tests.connectors.nfse.receivers import receiving
from tests.sandboxes import TOKEN, RunningSandbox

TABLES = tomllib.loads(Path(connectors.nfse.__file__).with_name("fields.toml").read_text(encoding="utf-8"))
OPERATIONS = TABLES["operations"]
WITHOUT_RESET = settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
AUTHORIZATION = f"Basic {b64encode(f'{TOKEN}:x'.encode()).decode()}"
HORRORS = [*abusing.ALWAYS, *(value for values in abusing.BY_TYPE.values() for value in values)]
HOSTILE = st.one_of(
    st.sampled_from(HORRORS),
    st.integers(-(10**30), 10**30),
    st.floats(),
    st.text(max_size=12),
    st.lists(st.one_of(st.integers(), st.text(max_size=3), st.none()), max_size=3),
    st.dictionaries(st.text(max_size=6), st.one_of(st.integers(), st.text(max_size=3)), max_size=3),
)


def parts(table: str) -> list[str]:
    return list(TABLES[table]["fields"])


# Operation → an acceptable body, and those of its parts that are objects with a separate table.
NOTE = requests.rio(number=None).wire()
INCOMPLETE = b'{"emitter_id": 1, "allow_incomplete": true}'
BODIES: dict[str, tuple[dict[str, Any], str, dict[str, tuple[str, ...]]]] = {
    "emitters.create": (requests.emitter().wire(), "emitter", {}),
    "emitters.replace": (requests.emitter().wire(), "emitter", {}),
    "emitters.update": ({}, "emitter", {}),
    "service_values.create": (requests.template().wire(), "service_value", {}),
    "service_values.replace": (requests.template().wire(), "service_value", {}),
    "service_values.update": ({}, "service_value", {}),
    "service_values.calculate": ({"service_amount": "10.00"}, "calculation", {}),
    "takers.create": (requests.taker().wire(), "taker", {"address": ("taker_address",), "contact": ("taker_contact",)}),
    "takers.replace": (
        requests.taker().wire(),
        "taker",
        {"address": ("taker_address",), "contact": ("taker_contact",)},
    ),
    "takers.update": ({}, "taker", {"address": ("taker_address",), "contact": ("taker_contact",)}),
    "batches.create": ({"emitter_id": 1, "name": "Lote"}, "batch", {}),
    "notes.create": (NOTE, "nfse", {"service_values": ("nfse_service_values", "nfse_service_values_city")}),
    "notes.replace": (NOTE, "nfse", {"service_values": ("nfse_service_values", "nfse_service_values_city")}),
    "notes.update": ({}, "nfse", {"service_values": ("nfse_service_values", "nfse_service_values_city")}),
    "webhooks.create": ({"name": "n", "url": "http://127.0.0.1:9/"}, "webhook", {}),
}
IN_NOTES = {"taker": ("taker",), "substitute_rps": ("substitute_rps",)}


@st.composite
def abused(draw, operation):
    """Return the acceptable body with missing, wrong or unknown fields; the same for its parts."""
    base, table, objects = BODIES[operation]
    objects = {**objects, **(IN_NOTES if table == "nfse" else {})}
    body = json.loads(json.dumps(base))
    for name in draw(st.lists(st.sampled_from([*body, "x"]), max_size=2)):
        body.pop(name, None)
    names = st.sampled_from([*parts(table), "id", "_links", "batch_id", "substitute_rps", "unknown"])
    body.update(draw(st.dictionaries(names, HOSTILE, max_size=3)))
    for name, tables in objects.items():
        if draw(st.booleans()):
            inner = st.sampled_from([*(field for one in tables for field in parts(one)), "id", "address", "unknown"])
            known = body.get(name) if isinstance(body.get(name), dict) else {}
            body[name] = {**known, **draw(st.dictionaries(inner, HOSTILE, max_size=3))}
    return body


@pytest.fixture
def line(sandbox: RunningSandbox):
    sandbox.switch(advance="at_once", webhook_retry_seconds=0)
    opened = abusing.Line(sandbox.base_url, AUTHORIZATION)
    # Objects to abuse, with the id 1 of each noun.
    opened.ask("POST", "/api/v1/takers", json.dumps(requests.taker(cnpj=requests.OTHER_CNPJ).wire()).encode())
    opened.ask("POST", "/api/v1/nfse", INCOMPLETE)
    opened.ask("POST", "/api/v1/batches", b'{"emitter_id": 1, "name": "Lote"}')
    yield opened
    opened.close()


def is_refusal(errors: Any) -> bool:
    """Return field → list of messages; parts nest as an object, or as a list with one object [A 1.15, 1.16]."""
    if not isinstance(errors, dict) or not errors:
        return False
    return all(
        is_refusal(found)
        or (isinstance(found, list) and found and all(isinstance(text, str) and text for text in found))
        or (isinstance(found, list) and len(found) == 1 and is_refusal(found[0]))
        for found in errors.values()
    )


def is_documented(answer: tuple[int, Any, str], operation: str) -> bool:
    """Return whether the answer is the operation's success, or a refusal of a known shape."""
    status, body, media = answer
    if status == 422:
        return is_refusal(body)
    if status == 404 and operation in ("notes.mirror", "notes.xml", "notes.pdf") and media == "text/html":
        return bool(body == "")
    if status in (400, 401, 404, 405, 415):
        return isinstance(body, dict) and list(body) == ["detail"] and isinstance(body["detail"], str)
    success: int = OPERATIONS[operation]["success"]
    return status == success or (operation == "notes.create" and status == 201)


def path_of(operation: str, number: Any = 1) -> str:
    path: str = OPERATIONS[operation]["path"]
    return path.replace("{id}", str(number)).replace("{serie}", "F")


def worst(tables: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Yield each field of these tables with each value that breaks it most easily."""
    fields = {name: entry["type"] for table in tables for name, entry in TABLES[table]["fields"].items()}
    for name, kind in {**fields, "id": "integer", "batch_id": "integer", "substitute_rps": "object"}.items():
        yield from ((name, horror) for horror in (*abusing.ALWAYS, *abusing.BY_TYPE[kind]))


def with_horrors(operation: str) -> Iterator[dict[str, Any]]:
    """Yield the acceptable body with the worst value in one field, or in one field of a part."""
    base, table, objects = BODIES[operation]
    yield from ({**base, name: horror} for name, horror in worst((table,)))
    for part, tables in {**objects, **(IN_NOTES if table == "nfse" else {})}.items():
        yield from ({**base, part: {**(base.get(part) or {}), name: horror}} for name, horror in worst(tables))


@pytest.mark.parametrize("operation", BODIES)
def test_each_field_at_its_worst_gets_a_documented_answer(line, operation):
    row = OPERATIONS[operation]
    number = 1
    for body in with_horrors(operation):
        answer = line.ask(row["method"], path_of(operation, number), json.dumps(body).encode())
        assert is_documented(answer, operation), (body, answer)
        assert answer[0] != 405
        if answer[0] == 200 and operation.startswith("notes.") and answer[1]["is_complete"]:
            number = line.ask("POST", "/api/v1/nfse", INCOMPLETE)[1]["id"]


@pytest.mark.parametrize("operation", BODIES)
def test_any_fields_get_a_documented_answer(line, operation):
    row = OPERATIONS[operation]

    @WITHOUT_RESET
    @given(body=abused(operation))
    def abuse(body):
        answer = line.ask(row["method"], path_of(operation), json.dumps(body).encode())
        assert is_documented(answer, operation), answer
        if answer[0] in (201, 202):
            noun = row["path"].split("/")[3]
            status, read, _ = line.ask("GET", f"/api/v1/{noun}/{answer[1]['id']}")
            assert (status, read["id"]) == (200, answer[1]["id"])

    abuse()


def test_a_webhook_at_its_worst_gets_a_documented_answer(line):
    with receiving() as receiver:
        body = {"name": "n", "url": receiver.url}
        number = line.ask("POST", "/api/v1/webhooks", json.dumps(body).encode())[1]["id"]
        for name, horror in worst(("webhook",)):
            answer = line.ask("PUT", f"/api/v1/webhooks/{number}", json.dumps({"name": "n", name: horror}).encode())
            assert is_documented(answer, "webhooks.replace"), (name, horror, answer)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_any_bytes_get_a_documented_answer(line, operation):
    method = OPERATIONS[operation]["method"]
    for raw in (*abusing.RAW, *(json.dumps(horror).encode() for horror in abusing.ALWAYS)):
        for media in abusing.MEDIA[:2] if raw else abusing.MEDIA:
            answer = line.ask(method, path_of(operation), raw, media=media)
            assert is_documented(answer, operation), (raw[:40], answer)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_any_path_and_query_get_a_documented_answer(line, operation):
    row = OPERATIONS[operation]
    for path in abusing.paths(row["path"].replace("{serie}", "{id}")):
        answer = line.send(row["method"], path, BODIES.get(operation, ({},))[0])
        assert is_documented(answer, operation), (path, answer)
    if row["method"] == "GET":
        for name in (*row.get("filters", ()), "page", "limit", "unknown"):
            for word in abusing.WORDS:
                answer = line.ask("GET", f"{path_of(operation)}?{name}={word}")
                assert is_documented(answer, operation), (name, word, answer)


@pytest.mark.parametrize("header", abusing.HEADERS)
def test_a_missing_token_is_reported(line, header):
    status, body, _ = line.ask("GET", "/api/v1", header=header)
    assert (status, body) == (401, {"detail": "Bad credentials"})
