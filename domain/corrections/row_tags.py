"""The tag of a row: seventeen characters that tell which refused row a corrected row replaces.

A tag is `R` and the base32 text of the row's id and a truncated keyed digest of the id. It is short enough for a hidden
column, and a mistyped tag never names another row. A tag tells which row was meant when it was written; the row around
it may have changed since.
"""

import base64
import hashlib
import hmac
import re
from typing import Final

_ID_BYTES: Final = 5
_PROOF_BYTES: Final = 5
_SHAPE: Final = re.compile(r"R[A-Z2-7]{16}")
_LAST: Final = re.compile(r"R[A-Z2-7]{16}(?=\s*\Z)")


def tag_of(row_id: int, *, secret: bytes) -> str:
    """Return the tag of a ledger row. Raises `OverflowError` beyond 2⁴⁰ rows."""
    number = row_id.to_bytes(_ID_BYTES, "big")
    return "R" + base64.b32encode(number + _tag_proof(number, secret)).decode("ascii")


def tagged_row(tag: str, *, secret: bytes) -> int | None:
    """Return the row id in a tag, or None for a text that is not our tag."""
    if not _SHAPE.fullmatch(tag):
        return None
    raw = base64.b32decode(tag[1:])
    number, proof = raw[:_ID_BYTES], raw[_ID_BYTES:]
    return int.from_bytes(number, "big") if hmac.compare_digest(proof, _tag_proof(number, secret)) else None


def is_tag(text: str) -> bool:
    """Return whether a cell's whole text has the form of a tag."""
    return _SHAPE.fullmatch(text.strip()) is not None


def holds_tag(text: str) -> bool:
    """Return whether a text contains a substring in the form of a tag, even within a longer word."""
    return _SHAPE.search(text) is not None


def last_tag(text: str) -> str | None:
    """Return the tag at the end of a longer text, such as a comment, or None."""
    found = _LAST.search(text)
    return found[0] if found else None


def _tag_proof(number: bytes, secret: bytes) -> bytes:
    return hmac.new(secret, b"row" + number, hashlib.sha256).digest()[:_PROOF_BYTES]
