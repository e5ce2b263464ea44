"""Find a product invoice again: by our own id, or by the tax authority's access key."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

_ACCESS_KEY: Final = re.compile(r"(\d{2})(\d{2})(\d{2})([0-9A-Z]{12}\d{2})(\d{2})(\d{3})(\d{9})(\d)(\d{8})(\d)")
_KINDS: Final = {"55": "nfe", "65": "nfce"}
_DIGEST_LENGTH: Final = 12


@dataclass(frozen=True, slots=True)
class AccessKey:
    """The content of the 44 characters: state code, month of issue, issuer, kind (`nfe`, `nfce`), serie and number."""

    state_code: str
    month: date
    cnpj: str
    kind: str
    serie: int
    number: int


def parse_access_key(text: str) -> AccessKey | None:
    """Parse an access key. None when the text is no access key or its check digit is wrong."""
    found = _ACCESS_KEY.fullmatch(text)
    if found is None or _check_digit(text[:-1]) != text[-1] or found[5] not in _KINDS or not 1 <= int(found[3]) <= 12:
        return None
    month = date(2000 + int(found[2]), int(found[3]), 1)
    return AccessKey(found[1], month, found[4], _KINDS[found[5]], int(found[6]), int(found[7]))


def remote_id(*, cnpj: str, kind: str, serie: int, number: int, content_digest: str) -> str:
    """Return the id that we put into the post of one invoice: its number and the start of its content digest.

    It never consists of digits alone.
    """
    return f"{kind}-{cnpj}-{serie}-{number}-{content_digest[:_DIGEST_LENGTH]}"


def sale_of(content: Mapping[str, Any]) -> tuple[str, int]:
    """Return the customer's document (empty for an unnamed one) and the cents paid, from a canonical invoice's JSON."""
    customer = content.get("customer")
    document = "" if customer is None else customer["document"]["number"]
    return document, sum(each["cents"] for each in content["payments"])


def _check_digit(head: str) -> str:
    weights = (2 + place % 8 for place in range(len(head)))
    rest = sum((ord(sign) - 48) * weight for sign, weight in zip(reversed(head), weights, strict=False)) % 11
    return "0" if rest < 2 else str(11 - rest)
