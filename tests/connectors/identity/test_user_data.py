"""The user data record, as an application gets it after sign-on."""

import pytest

from connectors.identity.user_data import UserData
from tests.connectors.identity.samples import EXPIRED, FIRST, NOBODY, user


def signed_on(sandbox, number, **more):
    return UserData.model_validate(sandbox.control("act", {"do": "sign_on", "identity": user(number), **more}))


def test_a_user_is_read_with_their_accounts(sandbox):
    found = signed_on(sandbox, 1)
    assert (found.uuid, found.first_name, found.nickname, found.notifications.count) == (user(1), "Bruno", None, 0)
    assert [(account.uuid, account.roles) for account in found.accounts] == [(FIRST, ("owner",))]
    assert list(found.services) == ["faturista"]


def test_expired_accounts_only_where_they_are_asked_for(sandbox):
    assert signed_on(sandbox, 3).accounts == ()
    assert signed_on(sandbox, 7).accounts == ()
    (account,) = signed_on(sandbox, 3, include_expired_accounts=True).accounts
    assert (account.uuid, account.expiration.year) == (EXPIRED, 2025)


def test_unknown_fields_are_kept_and_personal_data_hidden(sandbox):
    record = sandbox.control("act", {"do": "sign_on", "identity": user(1)}) | {"shoe_size": 41}
    found = UserData.model_validate(record)
    assert found.model_extra == {"shoe_size": 41}
    assert repr(found) == str(found).join(["UserData(", ")"]) == f"UserData(uuid='{user(1)}')"
    with pytest.raises(ValueError, match="is_active") as caught:
        UserData.model_validate(record | {"is_active": record["email"]})
    assert record["email"] not in str(caught.value)


def test_nobody_signs_on_who_is_not_there(sandbox):
    status, body, _ = sandbox.call("POST", "/_sandbox/act", {"do": "sign_on", "identity": NOBODY})
    assert (status, list(body)) == (400, ["detail"])
