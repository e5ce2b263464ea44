"""An answer about another account or member than the one asked for is never taken for it."""

from datetime import UTC, date, datetime

import pytest

from connectors.http.errors import Doubtful, Unreadable
from connectors.identity.accounts import Account, HistoryItem
from connectors.identity.activations import Activation
from connectors.identity.shapes import ERASE_EXPIRATION
from tests.connectors.identity.samples import APPLICATION, ELSEWHERE, FIRST, NOBODY, ORDER_SERVICE, OWNER, user

OTHER_ACCOUNT = {"account_data": {"uuid": NOBODY}}
OTHER_MEMBER = {"identity": {"uuid": NOBODY}}


def change(client):
    return client.accounts.change(FIRST, plan_slug="essencial", expiration=END)


def activate(client):
    return client.activations.activate(ACTIVATION, expiration=END)


def add_account(client):
    return client.identities.add_account(user(7), plan_slug="essencial", expiration=END, account=ELSEWHERE)


ACTIVATION = Activation(slug="faturista", identity=OWNER, global_account=FIRST)
END = date(2027, 1, 1)


@pytest.mark.parametrize(
    ("operation", "fields", "call", "application", "named"),
    [
        ("accounts.change", {"plan_slug": "empresarial"}, change, APPLICATION, "plan"),
        ("accounts.change", {"expiration": None}, change, APPLICATION, "expiration"),
        ("accounts.change", {"expiration": "2026-12-31 00:00:00"}, change, APPLICATION, "expiration"),
        ("activations.activate", OTHER_ACCOUNT, activate, ORDER_SERVICE, "uuid"),
        ("activations.activate", {"expiration": "2027-01-02 00:00:00"}, activate, ORDER_SERVICE, "expiration"),
        ("identities.add_account", OTHER_ACCOUNT, add_account, APPLICATION, "uuid"),
        ("identities.add_account", {"plan_slug": "empresarial"}, add_account, APPLICATION, "plan"),
        ("identities.add_account", {"expiration": None}, add_account, APPLICATION, "expiration"),
    ],
)
def test_a_write_that_did_something_else_is_in_doubt(ask, sandbox, operation, fields, call, application, named):
    sandbox.faults({"operation": operation, "kind": "altered", "fields": fields})
    with pytest.raises(Doubtful) as caught:
        ask(call, application)
    assert caught.value.detail.endswith(f"another {named}")


@pytest.mark.parametrize("expiration", [END, datetime(2027, 1, 1, 2, tzinfo=UTC), ERASE_EXPIRATION])
def test_the_answer_has_the_day_that_was_asked_for(ask, expiration):
    found = ask(lambda client: client.accounts.change(FIRST, plan_slug="essencial", expiration=expiration))
    assert found.plan_slug == "essencial"


@pytest.mark.parametrize(
    ("operation", "fields", "call", "kind"),
    [
        ("accounts.read", OTHER_ACCOUNT, lambda client: client.accounts.read(FIRST), Unreadable),
        (
            "accounts.change",
            OTHER_ACCOUNT,
            lambda client: client.accounts.change(FIRST, plan_slug="essencial", expiration=date(2027, 1, 1)),
            Doubtful,
        ),
        ("members.read", OTHER_MEMBER, lambda client: client.members.read(FIRST, OWNER), Unreadable),
        (
            "members.change",
            OTHER_MEMBER,
            lambda client: client.members.change(FIRST, OWNER, roles=["owner", "admin"]),
            Doubtful,
        ),
    ],
)
def test_another_resource_is_no_answer(ask, sandbox, operation, fields, call, kind):
    sandbox.faults({"operation": operation, "kind": "altered", "fields": fields, "count": 9})

    async def talk(client):
        with pytest.raises(kind) as caught:
            await call(client)
        return caught.value

    assert ask(talk).detail.endswith("another uuid")


def test_a_uuid_is_the_same_in_capitals(ask):
    async def talk(client):
        return await client.accounts.read(FIRST.upper().lower()), await client.accounts.read(FIRST)

    assert len({account.account_data.uuid for account in ask(talk)}) == 1


def test_an_account_that_was_never_changed_is_read(ask, sandbox):
    sandbox.faults({"operation": "accounts.read", "kind": "altered", "fields": {"updated_at": None}})
    found = ask(lambda client: client.accounts.read(FIRST))
    assert isinstance(found, Account)
    assert found.updated_at is None


def test_a_history_item_without_a_solution_is_read():
    item = HistoryItem.model_validate(
        {"created_at": "2026-11-20 10:00:00", "plan_slug": "essencial", "solution_slug": None, "external_id": 77}
    )
    assert (item.solution_slug, item.external_id) == (None, "77")
