"""Every route of the identity service under abuse, generated from the field tables: a documented answer each time."""

import itertools
import json
import tomllib
from base64 import b64encode
from pathlib import Path

import pytest
from pydantic import ValidationError

import connectors.identity
from connectors.identity.accounts import AccountChange
from connectors.identity.activations import Activation
from connectors.identity.identities import NewAccount
from connectors.identity.members import NewMember, NewRoles
from tests.connectors import abusing
from tests.connectors.identity.samples import APPLICATION, FIRST, ORDER_SERVICE, OWNER, STRANGER, user

TABLES = tomllib.loads(Path(connectors.identity.__file__).with_name("fields.toml").read_text(encoding="utf-8"))
OPERATIONS = TABLES["operations"]
# Operation → an acceptable body and its table.
BODIES = {
    "accounts.change": ({"plan_slug": "x", "expiration": "2027-01-31"}, "account_change"),
    "members.add": ({"identity": STRANGER, "roles": ["user"]}, "member"),
    "members.change": ({"roles": ["owner"]}, "member_change"),
    "identities.add_account": ({"name": "x", "plan_slug": "x", "expiration": "2020-01-31"}, "new_account"),
    "activations.activate": (
        {"slug": "faturista", "identity": OWNER, "global_account": FIRST, "external_id": "x", "resource_url": "x"},
        "activation",
    ),
}
MODELS = {
    "accounts.change": AccountChange,
    "members.add": NewMember,
    "members.change": NewRoles,
    "identities.add_account": NewAccount,
    "activations.activate": Activation,
}
JSON = "application/json"


def basic(pair):
    return f"Basic {b64encode(':'.join(pair).encode()).decode()}"


@pytest.fixture
def line(sandbox):
    sandbox.switch(identity_member_limit=100)
    opened = abusing.Line(sandbox.base_url, basic(APPLICATION))
    yield opened
    opened.close()


def header(operation):
    return basic(ORDER_SERVICE) if operation == "activations.activate" else basic(APPLICATION)


def place(operation):
    """Return the path for the first account and its owner, or for a user without an account to open one."""
    path = OPERATIONS[operation]["path"].replace("{member_uuid}", OWNER)
    identity = user(118) if operation == "identities.add_account" else OWNER
    return path.replace("{uuid}", identity if "/identities/" in path else FIRST)


NO_PAGE = {"detail": "A lista não tem esta página."}


def is_documented(answer, operation):
    status, body, media = answer
    if status == 415:
        return list(body) == ["detail"]
    if status == 400:
        return (
            isinstance(body, dict)
            and bool(body)
            and set(body) <= {"field_errors", "errors"}
            and (
                abusing.is_words(body.get("errors", ["x"]))
                and all(abusing.is_words(texts) for texts in body.get("field_errors", {"x": ["x"]}).values())
            )
        )
    if status == 404 and isinstance(body, dict):
        return body == NO_PAGE and operation == "accounts.list"
    if status in (404, 406, 409):
        return isinstance(body, str) and bool(body) and media.startswith(JSON)
    if status == 403 and not media.startswith(JSON):
        return body == ""
    if status in (401, 403, 405):
        return list(body) == ["detail"]
    return status in (OPERATIONS[operation]["success"], 201 if operation == "activations.activate" else 200)


@pytest.mark.parametrize("operation", BODIES)
def test_each_abused_field_gets_a_documented_answer(line, operation):
    base, table = BODIES[operation]
    statuses = set()
    for body in abusing.bodies(base, TABLES[table]["fields"]):
        raw = json.dumps(body).encode()
        answer = line.ask(OPERATIONS[operation]["method"], place(operation), raw, header=header(operation))
        assert is_documented(answer, operation), (body, answer)
        statuses.add(answer[0])
        if operation == "members.add":
            line.ask("DELETE", f"{place(operation)}/{STRANGER}")
    assert {400, OPERATIONS[operation]["success"]} <= statuses


@pytest.mark.parametrize(("operation", "model"), MODELS.items())
def test_the_service_accepts_what_the_client_accepts(line, operation, model):
    """The service accepts it, or answers that there is no such user or account."""
    base = {name: value for name, value in BODIES[operation][0].items() if name != "expiration"}
    tried = [
        *abusing.ALWAYS,
        *(value for values in abusing.BY_TYPE.values() for value in values),
        STRANGER.upper(),
        ["x"],
    ]
    for name, value in itertools.product(model.model_fields, tried):
        try:
            body = model.model_validate({**base, name: value}).model_dump_json(exclude_none=True).encode()
        except ValidationError:
            continue
        answer = line.ask(OPERATIONS[operation]["method"], place(operation), body, header=header(operation))
        known = answer[0] in (404, 409) or set(answer[1].get("field_errors", {})) <= {
            "slug",
            "identity",
            "global_account",
        }
        assert answer[0] in (200, 201) or known, (name, value, answer)
        line.ask("DELETE", f"{place('members.list')}/{STRANGER}")


@pytest.mark.parametrize(("operation", "model"), MODELS.items())
def test_the_client_accepts_what_the_service_accepts(line, operation, model):
    base, table = BODIES[operation]
    taken = set()
    for name, entry in TABLES[table]["fields"].items():
        for value in (base.get(name), *abusing.within(entry)):
            if value is None:
                continue
            body = {**base, name: value}
            raw = json.dumps(body).encode()
            answer = line.ask(OPERATIONS[operation]["method"], place(operation), raw, header=header(operation))
            if answer[0] in (200, 201, 404, 409):
                taken.add(name)
                # The end of an account is a separate argument, so that nobody erases it by omission.
                model.model_validate({key: each for key, each in body.items() if key != "expiration"})
            line.ask("DELETE", f"{place('members.list')}/{STRANGER}")
    # Nobody can name an account that does not exist.
    assert taken >= TABLES[table]["fields"].keys() - {"uuid"}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_any_bytes_get_a_documented_answer(line, operation):
    for raw in abusing.RAW:
        for media in abusing.MEDIA[:2] if raw else abusing.MEDIA:
            answer = line.ask(
                OPERATIONS[operation]["method"], place(operation), raw, media=media, header=header(operation)
            )
            assert is_documented(answer, operation), (raw[:40], answer)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_any_path_and_query_get_a_documented_answer(line, operation):
    row = OPERATIONS[operation]
    raw = json.dumps(BODIES.get(operation, ({},))[0]).encode()
    for path in abusing.paths(row["path"]):
        answer = line.ask(row["method"], path, raw, header=header(operation))
        assert is_documented(answer, operation), (path, answer)
    for name in (*row.get("filters", ()), "unknown"):
        for word in abusing.WORDS:
            answer = line.ask("GET", f"{place(operation)}?{name}={word}")
            assert is_documented(answer, operation), (name, word, answer)


@pytest.mark.parametrize("header", abusing.HEADERS)
def test_unknown_credentials_get_a_401(line, header):
    status, body, _ = line.ask("GET", place("accounts.read"), header=header)
    assert (status, list(body)) == (401, ["detail"])
