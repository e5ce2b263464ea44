"""Refusals of a request, by field."""

import json

import pytest

from tests.connectors.identity.samples import FIRST, OWNER, STRANGER

ACCOUNT, MEMBERS, THEIRS = f"accounts/{FIRST}/", f"accounts/{FIRST}/members/", f"identities/{OWNER}/accounts/"


@pytest.mark.parametrize(
    ("method", "path", "body", "fields"),
    [
        ("PUT", ACCOUNT, {}, {"plan_slug"}),
        ("PUT", ACCOUNT, {"plan_slug": [], "expiration": "amanha"}, {"plan_slug", "expiration"}),
        ("PUT", ACCOUNT, {"plan_slug": "x", "expiration": "0001-01-01T00:00:00+14:00"}, {"expiration"}),
        ("PUT", ACCOUNT, {"plan_slug": "x", "expiration": 20270101}, {"expiration"}),
        ("POST", MEMBERS, {"identity": "x", "roles": [1]}, {"identity", "roles"}),
        ("POST", MEMBERS, {"identity": STRANGER, "roles": "owner"}, {"roles"}),
        ("PUT", f"{MEMBERS}{OWNER}/", {}, {"roles"}),
        ("POST", THEIRS, {"uuid": 5}, {"uuid", "plan_slug"}),
        ("GET", "accounts/?updated_since=ontem", None, {"updated_since"}),
        ("GET", "accounts/?limit=0", None, {"limit"}),
        ("GET", f"{THEIRS}?include_expired_accounts=talvez", None, {"include_expired_accounts"}),
    ],
)
def test_every_wrong_field_is_named_at_once(send, method, path, body, fields):
    status, answer, _ = send(method, path, body)
    assert (status, set(json.loads(answer)["field_errors"])) == (400, fields)


@pytest.mark.parametrize(("path", "body"), [(THEIRS, {"plan_slug": "x"}), (MEMBERS, []), (MEMBERS, "x")])
def test_a_fault_of_the_whole_file_is_explained_in_words(send, path, body):
    status, answer, _ = send("POST", path, body)
    assert (status, list(json.loads(answer))) == (400, ["errors"])


def test_an_empty_expiration_is_none_and_capitals_are_the_same_id(send):
    body = {"plan_slug": "essencial", "expiration": ""}
    assert send("PUT", ACCOUNT.replace(FIRST, FIRST.upper()), body)[0] == 200
    assert send("GET", f"{MEMBERS}{OWNER.upper()}/")[0] == 200
    assert send("POST", MEMBERS, {"identity": OWNER.upper(), "roles": ["user"]})[0] == 409
    assert send("GET", "accounts/?updated_since=&limit=")[0] == 200


def test_a_date_comes_back_with_its_first_second(send):
    _, answer, _ = send("PUT", ACCOUNT, {"plan_slug": "x", "expiration": "2020-02-29"})
    assert json.loads(answer)["expiration"] == "2020-02-29 00:00:00"
    _, answer, _ = send("PUT", ACCOUNT, {"plan_slug": "x"})
    assert json.loads(answer)["expiration"] is None
