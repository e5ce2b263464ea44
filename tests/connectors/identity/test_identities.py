"""The accounts of a user, and a further one for them."""

from datetime import UTC, date, datetime

import pytest

from connectors.http.errors import Conflict, NotFound, Refused
from connectors.identity.shapes import ERASE_EXPIRATION
from tests.connectors.identity.samples import (
    ANOTHER,
    ELSEWHERE,
    EXPIRED,
    FIRST,
    IN_BOTH,
    NOBODY,
    OWNER,
    STRANGER,
    user,
)


def accounts(ask, number, **how):
    return ask(lambda client: client.identities.accounts(user(number), **how))


def test_expired_accounts_are_hidden_unless_asked_for(ask):
    assert accounts(ask, 3) == []
    (found,) = accounts(ask, 3, with_expired=True)
    assert (found.account_data.uuid, found.roles) == (EXPIRED, ("owner",))
    assert found.expiration < datetime(2026, 11, 20, tzinfo=UTC)


def test_other_services_accounts_are_shortened(ask):
    assert accounts(ask, 7) == []
    (found,) = accounts(ask, 7, with_other_services=True)
    assert (found.account_data.uuid, found.service_data, found.url, found.plan_slug) == (ELSEWHERE, None, None, None)
    (own,) = accounts(ask, 11, with_other_services=True)
    assert (own.account_data.uuid, own.service_data is None) == (IN_BOTH, False)


def test_a_role_chooses(ask):
    assert [found.account_data.uuid for found in accounts(ask, 1, role="owner")] == [FIRST]
    assert accounts(ask, 1, role="admin") == []


def test_a_new_account_has_its_opener_as_the_only_owner(ask):
    async def talk(client):
        opened = {"plan_slug": "essencial", "expiration": date(2027, 12, 31)}
        made = await client.identities.add_account(STRANGER, name="Padaria do Cais", **opened)
        with pytest.raises(Conflict):
            await client.identities.add_account(STRANGER, name="Outra", **opened)
        return made, await client.accounts.read(made.account_data.uuid)

    made, account = ask(talk)
    assert (made.roles, made.account_data.name, made.expiration) == (
        ("owner",), "Padaria do Cais", datetime(2027, 12, 31, 3, tzinfo=UTC),
    )  # fmt: skip
    assert (account.account_data, account.expiration) == (made.account_data, made.expiration)


def test_an_expired_account_is_reactivated_an_active_conflicts(ask):
    async def talk(client):
        again = await client.identities.add_account(
            user(3), account=EXPIRED, plan_slug="empresarial", expiration=ERASE_EXPIRATION
        )
        with pytest.raises(Conflict):
            await client.identities.add_account(
                user(3), account=EXPIRED, plan_slug="empresarial", expiration=ERASE_EXPIRATION
            )
        return again, await client.identities.accounts(user(3))

    again, listed = ask(talk)
    assert (again.account_data.uuid, again.plan_slug, again.expiration) == (EXPIRED, "empresarial", None)
    assert listed == [again]


def test_a_service_is_added_to_its_owners_other_account(ask):
    def join(client, number, account):
        return client.identities.add_account(
            user(number), account=account, plan_slug="agenda", expiration=ERASE_EXPIRATION
        )

    assert ask(lambda client: join(client, 1, FIRST), ANOTHER).service_data.slug == "agenda"
    for number, account in ((2, FIRST), (1, NOBODY)):
        with pytest.raises((Refused, Conflict)) as caught:
            ask(lambda client, number=number, account=account: join(client, number, account), ANOTHER)
        assert caught.value.status in (400, 409)


def test_unknown_users_and_incomplete_requests_are_errors(ask):
    with pytest.raises(NotFound):
        ask(lambda client: client.identities.accounts(NOBODY))
    with pytest.raises(NotFound):
        ask(lambda client: client.identities.add_account(NOBODY, name="x", plan_slug="x", expiration=ERASE_EXPIRATION))
    for names in ({}, {"name": "x", "account": FIRST}):
        with pytest.raises(ValueError, match="by its name or by its uuid"):
            ask(
                lambda client, names=names: client.identities.add_account(
                    OWNER, plan_slug="x", expiration=ERASE_EXPIRATION, **names
                )
            )
