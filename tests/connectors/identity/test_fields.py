"""Compare the client with the transcribed field tables: what it reads and what it asks.

The models and `fields.toml` were written separately from the same document. A name in only one of them is a mistake in
one of them, or an assumption that the tables mark as observed.
"""

import tomllib
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

import connectors.identity
from connectors.identity.accounts import Account, AccountChange, AccountName, HistoryItem, Service
from connectors.identity.activations import Activation
from connectors.identity.identities import Membership, NewAccount
from connectors.identity.members import Identity, Member, NewMember, NewRoles
from connectors.identity.shapes import ERASE_EXPIRATION
from connectors.identity.user_data import Notifications, UserAccount, UserData
from tests.connectors.identity.samples import FIRST, ORDER_SERVICE, OWNER, STRANGER, user

TABLES = tomllib.loads(Path(connectors.identity.__file__).with_name("fields.toml").read_text(encoding="utf-8"))
ANSWERS = {
    UserData: "user_data",
    Notifications: "notifications",
    UserAccount: "user_account",
    Account: "account",
    Service: "service",
    AccountName: "account_name",
    HistoryItem: "history",
    Membership: "membership",
    Member: "member",
    Identity: "identity",
}
REQUESTS = {
    AccountChange: "account_change",
    NewAccount: "new_account",
    NewMember: "member",
    NewRoles: "member_change",
    Activation: "activation",
}
JSON_OF = {"string": "x", "integer": 7, "boolean": True, "date-time": "2026-11-20 10:00:00", "array": []}
ACCOUNT_PARTS = {"account_data": {"uuid": "x", "name": "x"}, "service_data": {"slug": "x", "name": "x"}}
NESTED: dict[str, dict[str, Any]] = {
    "user_data": {"notifications": {"count": 0, "list": "x"}, "services": {"faturista": "x"}},
    "account": ACCOUNT_PARTS,
    "membership": ACCOUNT_PARTS,
    "member": {"identity": "x"},
}


def example(resource):
    """Return an answer that the tables allow, with every field filled by its type."""
    answer = TABLES[resource]["answer"]
    plain = {name: JSON_OF[entry["type"]] for name, entry in answer.items() if entry["type"] in JSON_OF}
    return plain | NESTED.get(resource, {})


@pytest.mark.parametrize("model", ANSWERS)
def test_an_answers_fields_are_the_documents_and_are_read(model):
    table = TABLES[ANSWERS[model]]["answer"]
    assert set(model.model_fields) == set(table)
    read = model.model_validate(example(ANSWERS[model]))
    for name in model.model_fields:
        if table[name]["type"] == "date-time":
            assert getattr(read, name) == datetime(2026, 11, 20, 13, tzinfo=UTC)


@pytest.mark.parametrize("model", ANSWERS)
def test_nullable_fields_are_read_as_none(model):
    table = TABLES[ANSWERS[model]]["answer"]
    nulls = {name: None for name, entry in table.items() if entry.get("nullable")}
    read = model.model_validate(example(ANSWERS[model]) | nulls)
    assert all(getattr(read, name) is None for name in nulls)


@pytest.mark.parametrize("model", REQUESTS)
def test_a_request_has_the_documents_and_required_fields(model):
    """An expiration is no field of a model: it is an argument that cannot be forgotten."""
    table = TABLES[REQUESTS[model]]["fields"]
    assert set(model.model_fields) == set(table) - {"expiration"}
    required = {name for name, field in model.model_fields.items() if field.is_required()}
    assert required == {name for name, entry in table.items() if entry.get("required")}


def test_every_call_is_a_documented_operation_with_its_filters(ask, sandbox):
    async def everything(client):
        since = datetime(2025, 1, 1, tzinfo=UTC)
        _ = [page async for page in client.accounts.all(updated_since=since, limit=30)]
        account = await client.accounts.read(FIRST)
        await client.accounts.change(FIRST, plan_slug=account.plan_slug, expiration=date(2027, 1, 31))
        await client.accounts.history(FIRST)
        await client.members.add(FIRST, STRANGER)
        await client.members.of_account(FIRST)
        await client.members.read(FIRST, STRANGER)
        await client.members.change(FIRST, STRANGER, roles=["admin"])
        await client.members.remove(FIRST, STRANGER)
        await client.identities.accounts(OWNER, role="owner", with_expired=True, with_other_services=True)
        opened = {"plan_slug": "essencial", "expiration": ERASE_EXPIRATION}
        await client.identities.add_account(user(118), name="Ateliê", **opened)

    ask(everything)
    bought = Activation(
        slug="faturista", identity=OWNER, global_account=FIRST, resource_url="https://pedidos.example/1"
    )
    ask(lambda client: client.activations.activate(bought, expiration=ERASE_EXPIRATION), ORDER_SERVICE)
    requests = sandbox.record(requests=True)["requests"]
    assert {request["operation"] for request in requests} == set(TABLES["operations"])
    for request in requests:
        operation = TABLES["operations"][request["operation"]]
        assert set(parse_qs(request["query"] or "")) <= set(operation.get("filters", ())), request
        assert (request["method"], request["status"]) == (operation["method"], operation["success"])
