"""Credentials as prepared headers. They never appear in a repr, and so in no traceback."""

import base64
from typing import Protocol


class Auth(Protocol):
    """Credentials that consist of headers alone."""

    def headers(self) -> dict[str, str]: ...

    def secrets(self) -> tuple[str, ...]: ...


def _require_printable(secret: str, *, what: str) -> str:
    """Return the secret. Raises `ValueError` if it is empty or has a line break or another unprintable character.

    Such a character usually comes from a file or a copied text. The error never quotes the secret.
    """
    if not secret.strip():
        raise ValueError(f"the {what} is empty")
    if not secret.isprintable():
        raise ValueError(f"the {what} holds a line break or another character that cannot be printed")
    return secret


class BasicToken:
    """HTTP Basic: the user name is the account's access token, the password any text (document 000, Authentication)."""

    __slots__ = ("_encoded", "_token")

    def __init__(self, token: str) -> None:
        self._token = _require_printable(token, what="access token")
        # Not empty, because some intermediaries drop an empty password.
        self._encoded = base64.b64encode(f"{token}:x".encode()).decode("ascii")

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Basic {self._encoded}"}

    def secrets(self) -> tuple[str, ...]:
        """Return the texts that must never be shown: the token, plain and as sent."""
        return (self._token, self._encoded)

    def __repr__(self) -> str:
        return "BasicToken(***)"


class BasicPair:
    """HTTP Basic with a user name and a password: the consumer credentials of document 002."""

    __slots__ = ("_encoded", "_password")

    def __init__(self, user: str, password: str) -> None:
        if not user.strip() or not password.strip() or ":" in user:
            raise ValueError("a user name without a colon and a password, neither empty")
        _require_printable(user, what="user name")
        self._password = _require_printable(password, what="password")
        self._encoded = base64.b64encode(f"{user}:{password}".encode()).decode("ascii")

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Basic {self._encoded}"}

    def secrets(self) -> tuple[str, ...]:
        """Return the texts that must never be shown: the password, plain and as sent."""
        return (self._password, self._encoded)

    def __repr__(self) -> str:
        return "BasicPair(***)"


class TokenHeader:
    """The header of document 001, Authentication: `Token token=` and the account's token."""

    __slots__ = ("_token",)

    def __init__(self, token: str) -> None:
        self._token = _require_printable(token, what="access token")
        if not token.isascii():
            raise ValueError("the access token holds a letter that no header can carry")

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Token token={self._token}"}

    def secrets(self) -> tuple[str, ...]:
        """Return the text that must never be shown."""
        return (self._token,)

    def __repr__(self) -> str:
        return "TokenHeader(***)"
