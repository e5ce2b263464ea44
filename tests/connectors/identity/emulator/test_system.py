"""The identity service within the sandbox: its paths, its shapes of errors, its switches."""

import json

import pytest

from tests.connectors.identity.samples import ELSEWHERE, FIRST, NOBODY, OWNER


def test_with_and_without_a_slash_at_the_end(send):
    assert send("GET", f"accounts/{FIRST}")[1] == send("GET", f"accounts/{FIRST}/")[1]


@pytest.mark.parametrize(
    "path",
    [f"accounts/{NOBODY}/", f"accounts/{FIRST}/members/{NOBODY}/", "nothing/", "accounts/*"],
)
def test_a_missing_resource_is_a_bare_json_string(send, path):
    status, body, headers = send("GET", path)
    assert status == 404
    assert isinstance(json.loads(body), str)
    assert headers["content-type"].startswith("application/json")


def test_a_page_that_a_list_lacks_is_named_in_a_detail(send):
    status, body, _ = send("GET", "accounts/?page=99")
    assert (status, list(json.loads(body))) == (404, ["detail"])


def test_another_services_account_is_an_empty_html_body(send, sandbox):
    status, body, headers = send("GET", f"accounts/{ELSEWHERE}/")
    assert (status, body, headers["content-type"]) == (403, "", "text/html; charset=utf-8")
    sandbox.switch(identity_forbidden="json")
    assert list(json.loads(send("GET", f"accounts/{ELSEWHERE}/")[1])) == ["detail"]


@pytest.mark.parametrize(
    ("path", "fields"),
    [(f"accounts/{FIRST}/", {"plan_slug", "expiration"}), (f"accounts/{FIRST}/members/{OWNER}/", {"roles"})],
)
def test_options_name_what_is_writable(send, path, fields):
    status, body, headers = send("OPTIONS", path)
    assert status == 200
    assert set(json.loads(body)["fields"]) == fields
    assert "PUT" in headers["allow"]


def test_the_owner_stays_and_a_repeated_member_conflicts(send):
    status, body, _ = send("DELETE", f"accounts/{FIRST}/members/{OWNER}/")
    assert (status, type(json.loads(body))) == (406, str)
    status, body, _ = send("POST", f"accounts/{FIRST}/members/", {"identity": OWNER, "roles": []})
    assert (status, type(json.loads(body))) == (409, str)


def test_idle_accounts_are_hidden_without_a_since(send):
    _, shown, _ = send("GET", "accounts/?limit=100")
    _, all_of_them, _ = send("GET", "accounts/?limit=100&updated_since=2025-01-01")
    assert len(json.loads(shown)) < len(json.loads(all_of_them)) == 49


def test_a_list_of_one_page_names_its_last_page(send):
    _, body, headers = send("GET", "accounts/?updated_since=2030-01-01")
    assert json.loads(body) == []
    assert headers["link"].endswith("page=1>; rel=last, " + headers["link"].rpartition(", ")[2])


def test_switches_are_refused_in_words(sandbox):
    status, body, _ = sandbox.call("POST", "/_sandbox/switches", {"identity_forbidden": "maybe"})
    assert (status, body["detail"][:18]) == (400, "identity_forbidden")
    assert sandbox.switch(identity_member_limit=3)["identity_member_limit"] == 3


def test_the_record_counts_accounts_and_users(sandbox):
    assert sandbox.record()["identity"] == {"accounts": 50, "users": 120}
