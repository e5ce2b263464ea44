"""Repeatable randomness: equal parts always give the same fraction, in every process."""

import hashlib
from typing import Any


def fraction(*parts: Any) -> float:
    """Return a number in [0, 1) that depends on `parts` alone."""
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def code(*parts: Any, length: int = 8) -> str:
    """Return `length` (at most 32) capital hexadecimal digits that depend on `parts` alone."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()[:length].upper()
