"""The sandbox, as good as new for each test, asked with plain means."""

import base64
import json
import urllib.error
import urllib.request

import pytest

PAIR = "sandbox-consumer:sandbox-secret"
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@pytest.fixture
def get(sandbox):
    """Return a function: status, body and lower-case headers of a GET below /api; `pair` None sends no credentials."""
    return asker(sandbox, "GET")


@pytest.fixture
def post(sandbox):
    """Return the same for a POST below /api/orders."""
    ask = asker(sandbox, "POST")
    return lambda path, body: ask(f"orders/{path}", body=body)


def asker(sandbox, method):
    def ask(path, *, pair=PAIR, body=None):
        headers = {} if pair is None else {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
        raw = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(f"{sandbox.base_url}/api/{path}", raw, headers, method=method)
        try:
            with _OPENER.open(asked, timeout=300) as answer:
                return answer.status, json.loads(answer.read()), {k.lower(): v for k, v in answer.headers.items()}
        except urllib.error.HTTPError as refused:
            with refused:
                text = refused.read()
                return (
                    refused.code,
                    json.loads(text) if text else None,
                    {k.lower(): v for k, v in refused.headers.items()},
                )

    return ask
