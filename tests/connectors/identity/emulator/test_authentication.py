"""An application may enter; a user's token gets 403, a stranger 401."""

import json

import pytest

from tests.connectors.identity.samples import FIRST, USER


@pytest.mark.parametrize("pair", [("", ""), ("sandbox-application", "x"), ("sandbox-token", "x")])
def test_unknown_credentials_are_answered_401(send, pair):
    status, body, headers = send("GET", f"accounts/{FIRST}/", pair=pair)
    assert (status, list(json.loads(body))) == (401, ["detail"])
    assert headers["www-authenticate"].startswith("Basic")


def test_the_credentials_of_a_user_are_answered_403(send):
    status, body, _ = send("GET", f"accounts/{FIRST}/", pair=USER)
    assert (status, list(json.loads(body))) == (403, ["detail"])
