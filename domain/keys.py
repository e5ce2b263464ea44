"""Keys that identify things: digests of files, contents and answers, business keys, batch names.

Every digest is SHA-256 in lower-case hex over canonical JSON: the same facts give the same key on any machine.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Final

from domain.texts import folded_charge

BATCH_NAME_LIMIT: Final = 60
_BUSINESS_KEY_VERSION: Final = 2
# One shared encoder: every row uses it several times.
_canonical: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def canonical_json(value: Any) -> str:
    """Return JSON with one spelling: sorted keys, no spaces, letters as they are. Refuses NaN and infinity."""
    return _canonical(value)


def file_digest(content: bytes) -> str:
    """Return the identity of a dropped file: the digest of its bytes, independent of its name."""
    return hashlib.sha256(content).hexdigest()


def content_digest(content_text: str) -> str:
    """Return the digest of an invoice's content. A number `(emitter, serie, number)` belongs to one content."""
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
    contract: str | None = None,
    charge_month: date | None = None,
    paid_invoice: str | None = None,
    replaces: str | None = None,
) -> str:
    """Return the digest that identifies a charge: from the user's own key if there is one, else from the whole charge.

    Texts that differ only in letter case, accents, spaces, punctuation or dashes are equal, so that a retyped row does
    not bill a second time. Charges of two contracts are two charges. A number that the invoice only prints is not part
    of the key, because an export may number its rows anew. A payment (`paid_invoice`) is one charge for ever, even if
    the rule, the emitter or the month changes. A contract's charge that is billed late has the key of its own month
    (`charge_month`). An issued invoice (`replaces`: its serie and number) has one replacement, whatever that bills.
    """
    if replaces:
        return _digest_of_parts([_BUSINESS_KEY_VERSION, emitter_cnpj, "replaces", replaces])
    if paid_invoice:
        return paid_key(paid_invoice)
    if contract and charge_month:
        own_key, competence = contract, charge_month
    billed: list[str | int] = (
        ["own", folded_charge(own_key)]
        if own_key
        else ["row", taker_document, folded_charge(template), service_cents, folded_charge(description)]
    )
    if contract and not own_key:
        billed.append(folded_charge(contract))
    return _digest_of_parts([_BUSINESS_KEY_VERSION, emitter_cnpj, competence.strftime("%Y-%m"), *billed])


def paid_key(paid_invoice: str) -> str:
    """Return the business key of a payment, which is billed once for ever. Sheets contain `paid_invoice` as a text."""
    return _digest_of_parts([_BUSINESS_KEY_VERSION, "payment", " ".join(paid_invoice.split())])


def charge_key(*, emitter_cnpj: str, competence: date, taker_document: str, service_cents: int | None) -> str:
    """Return the key by which a row finds an equal invoice at the provider: a digest of the facts that both have.

    `service_cents` None stands for any amount.
    """
    return _digest_of_parts(["charge", emitter_cnpj, competence.strftime("%Y-%m"), taker_document, service_cents])


def sale_key(cnpj: str, month: date, sale: tuple[str, int]) -> str:
    """Return the key that an order shares with an invoice of issuer `cnpj` in that month.

    `sale` comes from `domain.products.keys.sale_of`.
    """
    return _digest_of_parts(["sale", cnpj, month.strftime("%Y-%m"), *sale])


def batch_name(*, competence: date, file_sha256: str, ordinal: int, revision: int, nonce: str) -> str:
    """Return a batch name that people can read on the provider's website. `nonce` makes it unique to one attempt.

    Raises `ValueError` when the name would be longer than `BATCH_NAME_LIMIT`.
    """
    plan = batch_prefix(competence=competence, file_sha256=file_sha256, ordinal=ordinal, revision=revision)
    name = f"{plan} {nonce}"
    if len(name) > BATCH_NAME_LIMIT:
        raise ValueError("the nonce makes the batch name too long")
    return name


def batch_prefix(*, competence: date, file_sha256: str, ordinal: int, revision: int) -> str:
    """Return the common start of all batch names of one plan: everything before the nonce and its space."""
    return f"{competence:%Y-%m} {file_sha256[:10]} #{ordinal} r{revision}"


def answer_digest(*, remote_id: int, batch_remote_id: int, serie: str, number: int, amounts: Mapping[str, int]) -> str:
    """Return the digest of the provider's answer for one staged invoice. `amounts`: cents by name."""
    return _digest_of_parts([remote_id, batch_remote_id, serie, number, dict(amounts)])


def proof_digest(batch_remote_id: int, revision: int, answer_digests: Iterable[str]) -> str:
    """Return the digest that an approval names: this batch, this revision, exactly these answers in any order."""
    return _digest_of_parts([batch_remote_id, revision, sorted(answer_digests)])


def _digest_of_parts(parts: list[Any]) -> str:
    return content_digest(canonical_json(parts))
