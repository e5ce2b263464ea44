"""Whatever becomes text (an error, a log line, a report) passes here first: no secret, no CPF, no CNPJ, no address."""

import re
from collections.abc import Mapping
from typing import Any, Final

MASK: Final = "***"
SECRET_KEYS: Final = frozenset({"token", "password", "certificate", "authorization", "csc", "id_token"})

_MAX_TEXT: Final = 300
_PERSONAL: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:"
    r"[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}/?[0-9A-Z]{4}-?[0-9]{2}"  # CNPJ, letters included
    r"|[0-9]{3}\.?[0-9]{3}\.?[0-9]{3}-?[0-9]{2}"  # CPF
    r"|[^\s@<>\"'(),;:]{1,64}@[^\s@<>\"'(),;:]{1,255}"  # e-mail address
    r")(?![0-9A-Za-z])"
)


def masked(text: str, *secrets: str) -> str:
    """`text` without `secrets`, documents and e-mail addresses, cut to a length that fits a line."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, MASK)
    text = _PERSONAL.sub(MASK, text)
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"


def without_secrets(data: Any) -> Any:
    """A copy of parsed JSON in which no key of `SECRET_KEYS` is left, at any depth."""
    if isinstance(data, Mapping):
        return {key: without_secrets(value) for key, value in data.items() if str(key).lower() not in SECRET_KEYS}
    return [without_secrets(item) for item in data] if isinstance(data, list) else data
