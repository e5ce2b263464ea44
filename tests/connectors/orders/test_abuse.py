"""Every route of the order service under abuse, generated from the field tables: a documented answer each time."""

import itertools
import tomllib
from base64 import b64encode
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import connectors.orders
from connectors.orders.adjustments import NewAdjustment
from connectors.orders.discounts import NewDiscount
from connectors.orders.orders import Client, NewOrder
from domain.money import from_wire
from tests.connectors import abusing
from tests.connectors.orders.samples import company, new_order

TABLES = tomllib.loads(Path(connectors.orders.__file__).with_name("fields.toml").read_text(encoding="utf-8"))
OPERATIONS = TABLES["operations"]
PAIR = f"Basic {b64encode(b'sandbox-consumer:sandbox-secret').decode()}"
ADJUSTED = {"amount": "1.00", "description": "x", "valid_from": "2026-01-01", "valid_until": "2026-02-01"}
# Operation → an acceptable body and its table.
BODIES = {
    "orders.create": (new_order(active_until="2026-12-31").model_dump(mode="json", exclude_none=True), "order"),
    "orders.change": (company().model_dump(mode="json"), "order_change"),
    "discounts.create": (ADJUSTED, "discount"),
    "adjustments.create": (ADJUSTED, "adjustment"),
}
MODELS = {
    "orders.create": NewOrder,
    "orders.change": Client,
    "discounts.create": NewDiscount,
    "adjustments.create": NewAdjustment,
}
OTHER = "5F0C7A52-99A1-4B0E-8C3E-0000000000AB"


@pytest.fixture
def line(sandbox):
    opened = abusing.Line(sandbox.base_url, PAIR)
    yield opened
    opened.close()


@pytest.fixture
def place(line):
    """Return an operation's path, for the first order of the plan and its adjustment."""
    number = line.ask("GET", "/api/orders/essencial")[1][0]["number"]
    made = line.send("POST", f"/api/orders/essencial/{number}/adjustments", ADJUSTED)[1]
    adjustment = made["url"].rstrip("/").rpartition("/")[2]

    def path(operation):
        address = OPERATIONS[operation]["path"].replace("{slug}", "essencial").replace("{account_uuid}", "x")
        if "{order_id}" not in address:
            return address.replace("{id}", str(number))
        last = adjustment if operation.startswith("adjustments.") else "1"
        return address.replace("{order_id}", str(number)).replace("{id}", last)

    return path


def is_documented(answer, operation=None):
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
    if status == 404:
        return body == "" and media.startswith("application/json")
    if status == 409:
        return abusing.is_words(body["errors"])
    if status in (401, 403, 405):
        return list(body) == ["detail"]
    return operation is not None and status == OPERATIONS[operation]["success"]


@pytest.mark.parametrize("operation", BODIES)
def test_each_abused_field_gets_a_documented_answer(line, place, operation):
    base, table = BODIES[operation]
    method, path = OPERATIONS[operation]["method"], place(operation)
    statuses = set()
    for body in abusing.bodies(base, TABLES[table]["fields"]):
        answer = line.send(method, path, body)
        assert is_documented(answer, operation), (body, answer)
        statuses.add(answer[0])
        if operation == "orders.create" and answer[0] == 201:
            line.ask("DELETE", f"/api/orders/essencial/{answer[1]['number']}")
    assert statuses == {400, 201}


@pytest.mark.parametrize(("operation", "model"), MODELS.items())
def test_the_service_accepts_what_the_client_accepts(line, place, operation, model):
    """The models take amounts in cents, so try each field with the values that are mistaken most easily."""
    base = BODIES[operation][0] | ({"amount": 100} if "amount" in model.model_fields else {})
    tried = [*abusing.ALWAYS, *(value for values in abusing.BY_TYPE.values() for value in values)]
    tried += [1, 10**10, 10**10 - 1, "x@y", "2026-11-20", OTHER, date(2026, 11, 20), "99A00010000148", 99000000130]
    taken = 0
    for name, value in itertools.product(model.model_fields, tried):
        try:
            body = model.model_validate({**base, name: value}).to_wire()
        except ValidationError:
            continue
        answer = line.ask(OPERATIONS[operation]["method"], place(operation), body)
        assert answer[0] == 201, (name, value, answer)
        taken += 1
        if operation == "orders.create":
            line.ask("DELETE", f"/api/orders/essencial/{answer[1]['number']}")
    assert taken > len(model.model_fields)


@pytest.mark.parametrize(("operation", "model"), MODELS.items())
def test_the_client_accepts_what_the_service_accepts(line, place, operation, model):
    base, table = BODIES[operation]
    fields = TABLES[table]["fields"]
    taken = set()
    for name, entry in fields.items():
        for value in abusing.within(entry):
            body = {**base, name: value}
            answer = line.send(OPERATIONS[operation]["method"], place(operation), body)
            if answer[0] != OPERATIONS[operation]["success"]:
                continue
            taken.add(name)
            model.model_validate({key: _cents(each, fields[key]) for key, each in body.items() if each is not None})
            if operation == "orders.create":
                line.ask("DELETE", f"/api/orders/essencial/{answer[1]['number']}")
    # A discount needs both of its parts, so both refuse one alone.
    assert taken >= fields.keys() - {"discount_amount", "discount_description"}


def _cents(value, entry):
    """Convert decimals of the wire to the models' cents."""
    return from_wire(value) if entry["type"] == "number" else value


@pytest.mark.parametrize("operation", OPERATIONS)
def test_any_bytes_get_a_documented_answer(line, place, operation):
    for raw in abusing.RAW:
        for media in abusing.MEDIA[:2] if raw else abusing.MEDIA:
            answer = line.ask(OPERATIONS[operation]["method"], place(operation), raw, media=media)
            assert is_documented(answer, operation), (raw[:40], answer)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_any_path_and_query_get_a_documented_answer(line, place, operation):
    row = OPERATIONS[operation]
    base: dict[str, Any] = BODIES.get(operation, ({},))[0]
    for path in abusing.paths(row["path"]):
        answer = line.send(row["method"], path, base)
        assert is_documented(answer, operation), (path, answer)
    for name in (*row.get("filters", ()), "unknown"):
        for word in abusing.WORDS:
            answer = line.ask("GET", f"{place(operation)}?{name}={word}")
            assert is_documented(answer, operation if row["method"] == "GET" else "orders.of_plan"), (
                name,
                word,
                answer,
            )


@pytest.mark.parametrize("header", abusing.HEADERS)
def test_wrong_credentials_are_refused(line, header):
    status, body, _ = line.ask("GET", "/api/orders/essencial", header=header)
    assert (status in (401, 403), list(body)) == (True, ["detail"])
