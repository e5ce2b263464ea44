"""The token travels in one header and appears nowhere else."""

import base64

import pytest

from connectors.http.auth import BasicPair, BasicToken, TokenHeader


def test_the_token_is_the_user_name_with_a_nonempty_password():
    header = BasicToken("abc").headers()["Authorization"]
    assert base64.b64decode(header.removeprefix("Basic ")) == b"abc:x"


def test_a_token_is_not_in_its_repr():
    auth = BasicToken("abc")
    assert "abc" not in repr(auth)
    assert all(secret not in repr(auth) for secret in auth.secrets())


def test_an_empty_token_is_refused_before_anything_is_sent():
    with pytest.raises(ValueError, match="empty"):
        BasicToken(" ")


def test_a_pair_travels_whole_and_does_not_show():
    auth = BasicPair("consumer", "s3cret:with colon")
    header = auth.headers()["Authorization"]
    assert base64.b64decode(header.removeprefix("Basic ")) == b"consumer:s3cret:with colon"
    assert all(secret not in repr(auth) for secret in (*auth.secrets(), "consumer"))


@pytest.mark.parametrize("pair", [("", "x"), ("x", " "), ("a:b", "x")])
def test_half_a_pair_or_a_splittable_pair_is_refused(pair):
    with pytest.raises(ValueError, match="neither empty"):
        BasicPair(*pair)


def test_a_token_header_is_the_documented_one_and_does_not_show():
    auth = TokenHeader("abc")
    assert auth.headers() == {"Authorization": "Token token=abc"}
    assert auth.secrets() == ("abc",)
    assert "abc" not in repr(auth)
    with pytest.raises(ValueError, match="empty"):
        TokenHeader(" ")


@pytest.mark.parametrize("secret", ["abc\n", "\ufeffabc", "a\tbc", "abc\r\n", "a\u200bbc", "abc\0"])
def test_a_secret_with_an_invisible_character_is_refused(secret):
    makers = (BasicToken, TokenHeader, lambda each: BasicPair("user", each), lambda each: BasicPair(each, "password"))
    for make in makers:
        with pytest.raises(ValueError, match="cannot be printed") as caught:
            make(secret)
        assert "abc" not in str(caught.value)


def test_a_token_that_no_header_carries_is_refused():
    with pytest.raises(ValueError, match="no header"):
        TokenHeader("cão")
