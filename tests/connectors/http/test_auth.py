"""The token travels in one header and shows nowhere else."""

import base64

import pytest

from connectors.http.auth import BasicToken


def test_the_token_is_the_user_name_and_the_password_is_not_empty():
    header = BasicToken("abc").headers()["Authorization"]
    assert base64.b64decode(header.removeprefix("Basic ")) == b"abc:x"


def test_it_does_not_show():
    auth = BasicToken("abc")
    assert "abc" not in repr(auth)
    assert all(secret not in repr(auth) for secret in auth.secrets())


def test_an_empty_token_is_refused_before_anything_is_sent():
    with pytest.raises(ValueError, match="empty"):
        BasicToken(" ")
