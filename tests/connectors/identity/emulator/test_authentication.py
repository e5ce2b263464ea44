"""An application may enter; a user's token gets 403, a stranger 401."""

import json

import pytest

from tests.connectors.identity.samples import FIRST, USER


@pytest.mark.parametrize("pair", [("", ""), ("sandbox-application", "x"), ("sandbox-token", "x")])
def test_a_stranger(send, pair):
    status, body, headers = send("GET", f"accounts/{FIRST}/", pair=pair)
    assert (status, list(json.loads(body))) == (401, ["detail"])
    assert headers["www-authenticate"].startswith("Basic")


def test_a_user(send):
    status, body, _ = send("GET", f"accounts/{FIRST}/", pair=USER)
    assert (status, list(json.loads(body))) == (403, ["detail"])
