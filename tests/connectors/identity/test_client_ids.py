"""An answer about another account or member than the one asked for is never taken for it."""

from datetime import date

import pytest

from connectors.http.errors import Doubtful, Unreadable
from connectors.identity.accounts import Account, HistoryItem
from tests.connectors.identity.samples import FIRST, NOBODY, OWNER

OTHER_ACCOUNT = {"account_data": {"uuid": NOBODY}}
OTHER_MEMBER = {"identity": {"uuid": NOBODY}}


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
        {"created_at": "2026-11-20 10:00:00", "plan_slug": "essencial", "solution_slug": None}
    )
    assert item.solution_slug is None
