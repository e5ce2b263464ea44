"""Hash passwords with Argon2id and codes with SHA-256: the ledger can check a secret and cannot reveal it."""

import functools
import hashlib
import secrets
import unicodedata
from collections.abc import Collection
from typing import Final

from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from domain.problems import FaturistaError, Problem
from domain.staff import LEAST_PASSWORD, LONGEST_PASSWORD, is_weak

_MEMORY_KIB: Final = 19_456
_ITERATIONS: Final = 2
_LANES: Final = 1
_SALT_BYTES: Final = 16
_LENGTH: Final = 32
_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_GROUPS: Final = 4
_GROUP: Final = 4


def require_strong_password(text: str, *, about: Collection[str]) -> str:
    """Return the password unchanged. Raises `FaturistaError` for a weak one. `about` are its owner's names."""
    if is_weak(text, about=about):
        params = {"least": LEAST_PASSWORD, "most": LONGEST_PASSWORD}
        raise FaturistaError(Problem("staff.weak_password", params=params))
    return text


def hash_password(password: str) -> str:
    """Return a salted Argon2id hash of a password, the verifier that the ledger stores."""
    kdf = Argon2id(
        salt=secrets.token_bytes(_SALT_BYTES),
        length=_LENGTH,
        iterations=_ITERATIONS,
        lanes=_LANES,
        memory_cost=_MEMORY_KIB,
    )
    return kdf.derive_phc_encoded(_bytes(password))


def is_password_correct(password: str, verifier: str | None) -> bool:
    """Return whether a password matches a verifier. None never matches, after the same time."""
    try:
        Argon2id.verify_phc_encoded(_bytes(password[:LONGEST_PASSWORD]), verifier or _verifier_of_nobody())
    except InvalidKey:
        return False
    return verifier is not None and len(password) <= LONGEST_PASSWORD


def new_code() -> str:
    """Return a random secret of 79 bits that a person can type."""
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(_GROUP)) for _ in range(_GROUPS))


def digest_of_code(code: str) -> str:
    """Return the digest that the ledger stores for a code. A random code needs no salt and no slow function."""
    bare = "".join(char for char in code.lower() if char in _LETTERS)
    return hashlib.sha256(bare.encode()).hexdigest()


def _bytes(password: str) -> bytes:
    return unicodedata.normalize("NFKC", password).encode()


@functools.cache
def _verifier_of_nobody() -> str:
    return hash_password(secrets.token_hex(_LENGTH))
