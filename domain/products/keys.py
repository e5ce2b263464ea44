"""By what a product invoice is found again: our own id for it, and the access key that the tax authority gives it."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Final

_ACCESS_KEY: Final = re.compile(r"(\d{2})(\d{2})(\d{2})([0-9A-Z]{12}\d{2})(\d{2})(\d{3})(\d{9})(\d)(\d{8})(\d)")
_KINDS: Final = {"55": "nfe", "65": "nfce"}
_DIGEST_LENGTH: Final = 12


@dataclass(frozen=True, slots=True)
class AccessKey:
    """What the 44 characters say: state code, month of issue, issuer, kind (`nfe`, `nfce`), serie and number."""

    state_code: str
    month: date
    cnpj: str
    kind: str
    serie: int
    number: int


def parse_access_key(text: str) -> AccessKey | None:
    """The key taken apart; None for what is none, its check digit included."""
    found = _ACCESS_KEY.fullmatch(text)
    if found is None or _check_digit(text[:-1]) != text[-1] or found[5] not in _KINDS or not 1 <= int(found[3]) <= 12:
        return None
    month = date(2000 + int(found[2]), int(found[3]), 1)
    return AccessKey(found[1], month, found[4], _KINDS[found[5]], int(found[6]), int(found[7]))


def remote_id(*, cnpj: str, kind: str, serie: int, number: int, content_digest: str) -> str:
    """Our own id for one invoice: its number, for ever, and its content. Never digits alone, as the provider asks."""
    return f"{kind}-{cnpj}-{serie}-{number}-{content_digest[:_DIGEST_LENGTH]}"


def _check_digit(head: str) -> str:
    weights = (2 + place % 8 for place in range(len(head)))
    rest = sum((ord(sign) - 48) * weight for sign, weight in zip(reversed(head), weights, strict=False)) % 11
    return "0" if rest < 2 else str(11 - rest)
