"""The sandbox, as good as new for each test, asked with plain means."""

import base64
import json
import urllib.error
import urllib.request

import pytest

from tests.connectors.identity.samples import APPLICATION

_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@pytest.fixture
def send(sandbox):
    """Return a function: status, raw body and lower-case headers of a request below /organizations/api."""

    def ask(method, path, body=None, *, pair=APPLICATION):
        basic = base64.b64encode(":".join(pair).encode()).decode()
        headers = {"Authorization": f"Basic {basic}"} if pair[0] else {}
        raw = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(f"{sandbox.base_url}/organizations/api/{path}", raw, headers, method=method)
        try:
            with _OPENER.open(asked, timeout=300) as answer:
                return answer.status, answer.read().decode(), {k.lower(): v for k, v in answer.headers.items()}
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.read().decode(), {k.lower(): v for k, v in refused.headers.items()}

    return ask
