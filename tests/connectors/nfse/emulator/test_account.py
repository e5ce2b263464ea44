"""The account, its credentials, and what every path answers in addition to its data."""

from tests.sandboxes import RIO


def test_the_account_shows_its_owner_and_its_quota(provider):
    account = provider.get("")
    assert set(account) >= {"id", "uuid", "name", "expiration_date", "emission_count", "max_emissions", "plan"}
    assert (account["emission_count"], account["max_emissions"], len(account["emitters"])) == (0, "Ilimitado", 2)
    assert "token" not in account
    provider.post_note(1)
    provider.post_note(2, batch=provider.open_batch(RIO))
    assert provider.get("")["emission_count"] == 1


def test_every_password_opens_with_the_right_token_only(provider):
    status, body, headers = provider.call("GET", "/api/v1", token="wrong")
    assert (status, body) == (401, {"detail": "Bad credentials"})
    assert headers["www-authenticate"] == 'Basic realm="api"'
    assert provider.call("GET", "/api/v1/nowhere", token="wrong")[0] == 401


def test_unknown_paths_and_methods_are_refused(provider):
    assert provider.call("GET", "/api/v1/nowhere")[:2] == (404, {"detail": "Not found"})
    assert provider.call("GET", "/api/v1/nfse/1/status")[0] == 404
    status, body, headers = provider.call("POST", "/api/v1/nfse/1", {})
    assert (status, list(body)) == (405, ["detail"])
    assert headers["allow"] == "GET, PUT, PATCH, DELETE, HEAD, OPTIONS"


def test_every_path_answers_options_and_head(provider):
    for path, allow in {
        "/api/v1": "GET, HEAD, OPTIONS",
        "/api/v1/takers": "GET, POST, HEAD, OPTIONS",
        "/api/v1/takers/7": "GET, PUT, PATCH, DELETE, HEAD, OPTIONS",
        "/api/v1/batches/7/history": "GET, HEAD, OPTIONS",
        "/api/v1/service-values/7/calculation-liquid-amount": "POST, OPTIONS",
    }.items():
        status, body, headers = provider.call("OPTIONS", path)
        assert (status, headers["allow"]) == (200, allow)
        assert set(body) == {"name", "description", "renders", "parses"}
    status, body, headers = provider.call("HEAD", "/api/v1/emitters")
    assert (status, body) == (200, None)
    assert int(headers["content-length"]) > 0
