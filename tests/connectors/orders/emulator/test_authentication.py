"""Missing credentials are 401, wrong ones 403, and a missing resource is an empty 404 that is called JSON."""


def test_wrong_credentials_are_refused(get):
    assert get("orders/essencial/", pair=None)[0] == 401
    for pair in ("sandbox-consumer:x", "x:sandbox-secret", "sandbox-token:x"):
        status, body, _ = get("orders/essencial/", pair=pair)
        assert (status, list(body)) == (403, ["detail"])


def test_each_service_refuses_the_others_token(get):
    assert get("v1")[0] == 401


def test_a_missing_resource_is_an_empty_404(get):
    for path in ("orders/nenhum/", "orders/essencial/999/", "nenhum/invoices/paid/", "orders/essencial/" + "9" * 30):
        status, body, headers = get(path)
        assert (status, body) == (404, None)
        assert headers["content-type"].startswith("application/json")


def test_with_and_without_a_slash_at_the_end(get):
    assert get("orders/essencial/?limit=1")[1] == get("orders/essencial?limit=1")[1]
