"""Mask secrets, CPF, CNPJ and e-mail addresses before they become text: an error, a log line, a report."""

import json
import logging
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

MASK: Final = "***"
SECRET_KEYS: Final = frozenset({"token", "password", "certificate", "authorization", "csc", "id_token"})

_MAX_TEXT: Final = 300
# shorter secrets occur in too many other words
_SHORTEST_SECRET: Final = 4
_PERSONAL: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:"
    r"[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}/?[0-9A-Z]{4}-?[0-9]{2}"  # CNPJ, letters included
    r"|[0-9]{3}\.?[0-9]{3}\.?[0-9]{3}-?[0-9]{2}"  # CPF
    r"|[^\s@<>\"'(),;:]{1,64}@[^\s@<>\"'(),;:]{1,255}"  # e-mail address
    r")(?![0-9A-Za-z])"
)


def hide_headers_in_logs() -> None:
    """Keep response headers out of httpcore's log, which has them at debug level.

    A redirect's URL may carry a token. The log still says which step of a request failed.
    """
    for name in ("httpcore.http11", "httpcore.http2"):
        logging.getLogger(name).addFilter(_hides_headers)


def _hides_headers(record: logging.LogRecord) -> bool:
    return "return_value=" not in record.getMessage()


def mask_text(text: str, *secrets: str) -> str:
    """Return `text`, at most 300 characters, with `secrets`, CPF, CNPJ and e-mail addresses masked."""
    for secret in secrets:
        for form in _forms(secret):
            text = text.replace(form, MASK)
    text = _PERSONAL.sub(MASK, text)
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"


def _forms(secret: str) -> tuple[str, ...]:
    """Return the spellings of a secret in a text, longest first: whole, as Python quotes it, without outer spaces."""
    forms = {secret, secret.strip(), repr(secret)[1:-1], repr(secret.strip())[1:-1]}
    return tuple(sorted(filter(None, forms), key=len, reverse=True))


def secrets_in(body: bytes | None) -> tuple[str, ...]:
    """Return the secrets of four or more characters in a request body: a provider's error may quote them."""
    try:
        data = json.loads(body) if body else None
    except (ValueError, RecursionError):
        return ()
    return tuple(_secret_texts(data, is_secret=False))


def _secret_texts(data: Any, *, is_secret: bool) -> Iterator[str]:
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _secret_texts(value, is_secret=is_secret or str(key).lower() in SECRET_KEYS)
    elif isinstance(data, list):
        for item in data:
            yield from _secret_texts(item, is_secret=is_secret)
    elif is_secret and isinstance(data, str) and len(data) >= _SHORTEST_SECRET:
        yield data


def without_secrets(data: Any) -> Any:
    """Return a copy of parsed JSON without the keys in `SECRET_KEYS`, at any depth."""
    if isinstance(data, Mapping):
        return {key: without_secrets(value) for key, value in data.items() if str(key).lower() not in SECRET_KEYS}
    return [without_secrets(item) for item in data] if isinstance(data, list) else data
