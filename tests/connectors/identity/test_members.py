"""Members of an account and their roles."""

import pytest

from connectors.http.errors import Conflict, NotFound, Refused
from domain.problems import Problem
from tests.connectors.identity.samples import EXPIRED, FIRST, NOBODY, OWNER, STRANGER, user


@pytest.mark.parametrize("added", ["created", "ok"])
def test_a_member_joins_gets_roles_and_leaves(ask, sandbox, added):
    sandbox.switch(identity_member_added=added)

    async def talk(client):
        before = await client.members.of_account(FIRST)
        made = await client.members.add(FIRST, STRANGER, roles=["admin", "financeiro"])
        alone = await client.members.read(FIRST, STRANGER)
        changed = await client.members.change(FIRST, STRANGER, roles=[])
        with pytest.raises(Conflict):
            await client.members.add(FIRST, STRANGER)
        await client.members.remove(FIRST, STRANGER)
        with pytest.raises(NotFound):
            await client.members.read(FIRST, STRANGER)
        return before, made, alone, changed, await client.members.of_account(FIRST)

    before, made, alone, changed, after = ask(talk)
    assert (made.roles, made.identity.uuid, made.identity.email) == (
        ("admin", "financeiro"), STRANGER, "pessoa119@cliente.example",
    )  # fmt: skip
    assert made.membership_details_url.endswith(f"{FIRST}/members/{STRANGER}/")
    assert alone == made.model_copy(update={"membership_details_url": None})
    assert changed.roles == ("user",)
    assert after == before
    assert before[0].membership_details_url.endswith(f"{FIRST}/members/{OWNER}/")


def test_the_owner_stays(ask):
    with pytest.raises(Refused) as caught:
        ask(lambda client: client.members.remove(FIRST, OWNER))
    assert (caught.value.status, caught.value.messages) == (406, {"": ["O responsável não pode ser removido."]})


def test_the_only_owner_cannot_become_something_else(ask):
    async def talk(client):
        with pytest.raises(Refused):
            await client.members.change(FIRST, OWNER, roles=["admin"])
        kept = await client.members.change(FIRST, OWNER, roles=["owner", "admin"])
        await client.members.add(FIRST, STRANGER, roles=["owner"])
        return kept, await client.members.change(FIRST, OWNER, roles=["admin"])

    kept, changed = ask(talk)
    assert (kept.roles, changed.roles) == (("owner", "admin"), ("admin",))


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.members.of_account(EXPIRED),
        lambda client: client.members.read(EXPIRED, user(3)),
        lambda client: client.members.add(EXPIRED, STRANGER),
        lambda client: client.members.change(EXPIRED, user(3), roles=["owner", "x"]),
        lambda client: client.members.remove(EXPIRED, user(3)),
    ],
)
def test_an_expired_account_has_no_members(ask, call):
    with pytest.raises(NotFound):
        ask(call)


def test_excess_and_unknown_members_get_the_same_message(ask, sandbox):
    sandbox.switch(identity_member_limit=len(ask(lambda client: client.members.of_account(FIRST))))
    for identity in (STRANGER, NOBODY):
        with pytest.raises(NotFound) as caught:
            ask(lambda client, identity=identity: client.members.add(FIRST, identity))
        assert caught.value.details == (Problem("record.not_added"),)


def test_an_unknown_account_or_member_is_not_found(ask):
    for talk in (
        lambda client: client.members.of_account(NOBODY),
        lambda client: client.members.read(FIRST, NOBODY),
        lambda client: client.members.change(FIRST, NOBODY, roles=["user"]),
        lambda client: client.members.remove(NOBODY, OWNER),
    ):
        with pytest.raises(NotFound):
            ask(talk)


@pytest.mark.parametrize(("identity", "roles"), [("x", ["user"]), (user(5), [""]), (user(5), ["\ud800"])])
def test_a_bad_member_is_refused_before_it_is_sent(ask, identity, roles):
    with pytest.raises(ValueError, match="NewMember"):
        ask(lambda client: client.members.add(FIRST, identity, roles=roles))


def test_a_person_shows_only_as_a_uuid(ask):
    found = ask(lambda client: client.members.read(FIRST, OWNER))
    assert OWNER in repr(found)
    assert not {part for part in ("cliente.example", "Bruno") if part in f"{found!r} {found}"}
