"""Registration of a webhook: the address is tried, and later only its name can change."""

import socket

import pytest


def register(provider, receiver, **more):
    return provider.post("webhooks", {"name": "Campainha", "url": receiver.url, **more})


def test_the_address_is_tried_with_post_and_get(provider, receiver):
    status, webhook, headers = provider.call("POST", "/api/v1/webhooks", {"name": "Campainha", "url": receiver.url})
    assert status == 201
    assert headers["location"] == f"{provider.base_url}/api/v1/webhooks/{webhook['id']}"
    assert set(webhook) == {"id", "name", "url", "created_at", "_links"}
    assert receiver.calls == [("POST", {"test": True}), ("GET", None)]


@pytest.mark.parametrize("statuses", [[500], [200, 404], [302], [204]])
def test_an_address_that_does_not_answer_200_is_refused(provider, receiver, statuses):
    receiver.statuses = statuses
    status, errors = register(provider, receiver)
    assert (status, list(errors)) == (422, ["url"])
    assert provider.get("webhooks")["count"] == 0


def test_an_address_where_nobody_listens_is_refused(provider):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        assert list(provider.post("webhooks", {"name": "n", "url": url})[1]) == ["url"]


@pytest.mark.parametrize(
    "url",
    [
        "http://provider.example/x", "https://127.0.0.1:1/", "http://127.0.0.1@10.1.2.3/", "ftp://127.0.0.1/", "x",
        "http://0.0.0.0:1/", "http://[::2]/", "http://127.0.0.1:99999/", "http://127.0.0.1:0/", "http://127.0.0.1 /a",
        "http://127.0.0.1:1/\r\nHost: x", "http://localhost.example/", "http://127.0.0.1:1/é", "http://" + "a" * 5000,
    ],
)  # fmt: skip
def test_nothing_outside_this_machine_is_ever_rung(provider, url):
    status, errors = provider.post("webhooks", {"name": "n", "url": url})
    assert (status, list(errors)) == (422, ["url"])


def test_nobody_is_rung_without_a_url_or_a_name(provider, receiver):
    assert set(provider.post("webhooks", {})[1]) == {"name", "url"}
    assert list(provider.post("webhooks", {"url": receiver.url})[1]) == ["name"]
    assert list(provider.post("webhooks", {"name": "n", "url": 7})[1]) == ["url"]
    assert provider.post("webhooks", [receiver.url])[0] == 422


def test_only_the_name_can_be_changed(provider, receiver):
    webhook = register(provider, receiver)[1]
    path = f"/api/v1/webhooks/{webhook['id']}"
    changed = provider.call("PUT", path, {**webhook, "name": "Outra", "url": "http://127.0.0.1:1/"})[1]
    assert changed == {**webhook, "name": "Outra"}
    assert provider.call("PUT", path, {})[0] == 422
    assert provider.call("PATCH", path, {"name": "x"})[0] == 405
    assert provider.call("GET", path)[1] == changed
    assert provider.get("webhooks")["collection"] == [changed]


def test_a_removed_one_is_gone(provider, receiver):
    path = f"/api/v1/webhooks/{register(provider, receiver)[1]['id']}"
    assert provider.call("DELETE", path)[0] == 204
    assert [provider.call(method, path)[0] for method in ("GET", "DELETE")] == [404, 404]
    assert provider.call("PUT", path, {"name": "x"})[0] == 404


def test_on_the_word_of_who_may_not_enter_nobody_is_rung(provider, receiver):
    assert provider.call("POST", "/api/v1/webhooks", {"name": "n", "url": receiver.url}, token="x")[0] == 401
    assert receiver.calls == []
