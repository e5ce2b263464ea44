"""By what a product invoice is found again: our own id for it, and the access key that the tax authority gives it."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from domain import money
from domain.keys import canonical_json, content_digest

_ACCESS_KEY: Final = re.compile(r"(\d{2})(\d{2})(\d{2})([0-9A-Z]{12}\d{2})(\d{2})(\d{3})(\d{9})(\d)(\d{8})(\d)")
_KINDS: Final = {"55": "nfe", "65": "nfce"}
_DIGEST_LENGTH: Final = 12
_NOT_DOCUMENT: Final = re.compile(r"[^0-9A-Z]")


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


def sale_of(content: Any) -> tuple[str, int] | None:
    """Whom a wire body sells to, as a bare document, and for how many cents; None where it does not tell.

    `content` is what we would post, or what the provider repeats of it [A 2.5].
    """
    try:
        document = _NOT_DOCUMENT.sub("", str(content["cliente"]["cpf_cnpj"]).upper())
        cents = sum(money.from_wire(each["valor_do_pagamento"]) for each in content["forma_de_pagamento"])
    except (KeyError, TypeError, ValueError):
        return None
    return (document, cents) if document and cents else None


def sale_key(cnpj: str, month: date, sale: tuple[str, int]) -> str:
    """What an invoice that issuer `cnpj` issued in a month and an order have in common, where nothing else is known."""
    return content_digest(canonical_json(["sale", cnpj, month.strftime("%Y-%m"), *sale]))


def _check_digit(head: str) -> str:
    weights = (2 + place % 8 for place in range(len(head)))
    rest = sum((ord(sign) - 48) * weight for sign, weight in zip(reversed(head), weights, strict=False)) % 11
    return "0" if rest < 2 else str(11 - rest)
