"""Accounts: list, read, change, and their history."""

from datetime import UTC, date, datetime

import pytest

from connectors.http.errors import Denied, NotFound, Unreadable
from connectors.identity.accounts import read_account
from connectors.identity.shapes import ERASE_EXPIRATION
from tests.connectors.identity.samples import ANOTHER, ELSEWHERE, FIRST, NOBODY, OWNER, USER

LONG_AGO = datetime(2025, 1, 1, tzinfo=UTC)


async def everything(client, since=LONG_AGO, **how):
    return [account async for page in client.accounts.all(updated_since=since, **how) for account in page.items]


def test_every_account_comes_once_with_any_page_size(ask):
    whole = ask(everything)
    small = ask(lambda client: everything(client, limit=7, ahead=3))
    assert small == whole
    assert len({account.account_data.uuid for account in whole}) == len(whole) == 49
    assert {account.service_data.slug for account in whole} == {"faturista"}
    assert ELSEWHERE not in {account.account_data.uuid for account in whole}


def test_since_is_always_sent_as_the_services_own_time(ask, sandbox):
    newest = max(account.updated_at for account in ask(everything))
    (last,) = ask(lambda client: everything(client, since=newest))
    assert last.updated_at == newest
    queries = [request["query"] for request in sandbox.record(requests=True)["requests"]]
    assert queries[0] == "updated_since=2024-12-31+21%3A00%3A00&limit=100"
    with pytest.raises(ValueError, match="time zone"):
        ask(lambda client: everything(client, since=datetime.fromisoformat("2025-01-01")))


@pytest.mark.parametrize("shape", ["object", "array"])
def test_an_account_is_read_in_either_shape(ask, sandbox, shape):
    sandbox.switch(identity_account_shape=shape)
    found = ask(lambda client: client.accounts.read(FIRST))
    assert (found.account_data.uuid, found.account_data.name) == (FIRST, "Grupo Boa Vista 1")
    assert found.members_data[0].identity.uuid == OWNER
    assert found.members_data[0].roles == ("owner",)


def test_an_expiration_is_set_extended_and_erased_by_name_only(ask):
    async def talk(client):
        day = await client.accounts.change(FIRST, plan_slug="profissional", expiration=date(2020, 1, 31))
        at = datetime(2027, 1, 31, 12, tzinfo=UTC)
        hour = await client.accounts.change(FIRST, plan_slug="profissional", expiration=at)
        with pytest.raises(TypeError):
            await client.accounts.change(FIRST, plan_slug="essencial")
        kept = await client.accounts.read(FIRST)
        gone = await client.accounts.change(FIRST, plan_slug="essencial", expiration=ERASE_EXPIRATION)
        return day, hour, kept, gone, await client.accounts.history(FIRST)

    day, hour, kept, gone, history = ask(talk)
    assert day.expiration == datetime(2020, 1, 31, 3, tzinfo=UTC)
    assert hour.expiration == kept.expiration == datetime(2027, 1, 31, 12, tzinfo=UTC)
    assert (gone.expiration, gone.plan_slug) == (None, "essencial")
    assert gone.updated_at > history[0].created_at
    assert [item.plan_slug for item in history][1:] == ["profissional", "profissional", "essencial"]
    assert [item.expiration for item in history][1:] == [day.expiration, hour.expiration, None]
    assert {item.solution_slug for item in history} == {"faturista"}


@pytest.mark.parametrize("forbidden", ["html", "json"])
def test_another_services_account_is_denied_unknown_not_found(ask, sandbox, forbidden):
    sandbox.switch(identity_forbidden=forbidden)
    for talk in (lambda client: client.accounts.read(ELSEWHERE), lambda client: client.accounts.history(ELSEWHERE)):
        with pytest.raises(Denied) as caught:
            ask(talk)
        assert caught.value.status == 403
    assert ask(lambda client: client.accounts.read(ELSEWHERE), ANOTHER).account_data.uuid == ELSEWHERE
    for talk in (
        lambda client: client.accounts.read(NOBODY),
        lambda client: client.accounts.history(NOBODY),
        lambda client: client.accounts.change("a/../b", plan_slug="x", expiration=ERASE_EXPIRATION),
    ):
        with pytest.raises(NotFound):
            ask(talk)


@pytest.mark.parametrize(("pair", "status"), [(USER, 403), (("sandbox-application", "wrong"), 401)])
def test_users_and_strangers_are_refused(ask, pair, status):
    with pytest.raises(Denied) as caught:
        ask(lambda client: client.accounts.read(FIRST), pair)
    assert caught.value.status == status


def test_no_bad_plan_is_sent_and_a_bad_account_is_unreadable(ask, sandbox):
    with pytest.raises(ValueError, match="AccountChange"):
        ask(lambda client: client.accounts.change(FIRST, plan_slug="", expiration=ERASE_EXPIRATION))
    sandbox.faults({"kind": "altered", "operation": "accounts.read", "fields": {"plan_slug": 5}})
    with pytest.raises(Unreadable):
        ask(lambda client: client.accounts.read(FIRST))


def test_an_answer_with_two_accounts_is_refused():
    with pytest.raises(ValueError, match="values"):
        read_account([{}, {}])
