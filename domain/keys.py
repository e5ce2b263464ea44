"""The keys by which things are found again: digests of files, contents and answers, business keys, batch names.

Every digest is SHA-256 in lower-case hex over canonical JSON, so that the same facts give the same key on any machine.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Final

from domain.texts import folded_charge

BATCH_NAME_LIMIT: Final = 60
_BUSINESS_KEY_VERSION: Final = 2
# Made once: it is asked several times of every row.
_canonical: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def canonical_json(value: Any) -> str:
    """JSON with one spelling: keys sorted, no spaces, letters as they are. Refuses floats that are not numbers."""
    return _canonical(value)


def file_digest(content: bytes) -> str:
    """The identity of a dropped file: its bytes, whatever its name."""
    return hashlib.sha256(content).hexdigest()


def content_digest(content_text: str) -> str:
    """The digest of an invoice's content: what a number `(emitter, serie, number)` belongs to for ever."""
    return hashlib.sha256(content_text.encode()).hexdigest()


def business_key(
    *,
    emitter_cnpj: str,
    competence: date,
    own_key: str | None,
    taker_document: str,
    template: str,
    service_cents: int,
    description: str,
) -> str:
    """Return what makes two rows the same charge: the user's own key, or else everything that is billed.

    Letter case, accents, spaces, punctuation and dashes do not make texts differ: nobody owes twice for another dash.
    A number that is merely printed does not tell charges apart: an export may number its rows anew.
    """
    billed: list[str | int] = (
        ["own", folded_charge(own_key)]
        if own_key
        else ["row", taker_document, folded_charge(template), service_cents, folded_charge(description)]
    )
    return _digest([_BUSINESS_KEY_VERSION, emitter_cnpj, competence.strftime("%Y-%m"), *billed])


def charge_key(*, emitter_cnpj: str, competence: date, taker_document: str, service_cents: int) -> str:
    """What a note at the provider and a row have in common, where nothing else of the row is known any more."""
    return _digest(["charge", emitter_cnpj, competence.strftime("%Y-%m"), taker_document, service_cents])


def batch_name(*, competence: date, file_sha256: str, ordinal: int, revision: int, nonce: str) -> str:
    """A name that a person can read in the provider's page and that no two attempts share (`nonce`).

    Raises `ValueError` when it would be longer than `BATCH_NAME_LIMIT`.
    """
    plan = batch_prefix(competence=competence, file_sha256=file_sha256, ordinal=ordinal, revision=revision)
    name = f"{plan} {nonce}"
    if len(name) > BATCH_NAME_LIMIT:
        raise ValueError("the nonce makes the batch name too long")
    return name


def batch_prefix(*, competence: date, file_sha256: str, ordinal: int, revision: int) -> str:
    """What all names of one plan have in common: everything but the nonce and the space before it."""
    return f"{competence:%Y-%m} {file_sha256[:10]} #{ordinal} r{revision}"


def answer_digest(*, remote_id: int, batch_remote_id: int, serie: str, number: int, amounts: Mapping[str, int]) -> str:
    """What the provider answered for one staged note. `amounts`: cents by name."""
    return _digest([remote_id, batch_remote_id, serie, number, dict(amounts)])


def proof_digest(batch_remote_id: int, revision: int, answer_digests: Iterable[str]) -> str:
    """What an approval is bound to: this batch, this revision, exactly these answers in any order."""
    return _digest([batch_remote_id, revision, sorted(answer_digests)])


def _digest(parts: list[Any]) -> str:
    return content_digest(canonical_json(parts))
