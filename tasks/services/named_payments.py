"""Give each row that bills a payment the one key by which every run knows that payment, however a person spelt it.

A corrected row keeps the payment of the row that it corrects, even if a person cleared or rewrote the key: the payment
would be billed again otherwise. Where payments are billed by rules, a key must name a payment that the order service
reported.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from connectors.ledger.mirror.paid_invoices import slugs_by_number
from connectors.ledger.rows import RowRecord
from domain.orders.payment_keys import folded_payment, named_payment, read_payment
from domain.problems import Problem
from domain.texts import repeatable
from tasks.issuance.former_rows import FormerRow, former_rows
from tasks.issuance.repeats import place_problem
from tasks.runtime import Runtime

_FIELD: Final = "paid_invoice"
_SHOWN: Final = 60


class NamedPayments(NamedTuple):
    """Rows with the keys of their payments, and the problem of each row without a certain payment, by row id."""

    records: Sequence[RowRecord]
    problems: Mapping[int, Problem]


async def name_payments(runtime: Runtime, records: Sequence[RowRecord]) -> NamedPayments:
    """Return the rows, each with the key of the payment that it bills, and the problems of the others."""
    former = await former_rows(runtime, records)
    texts = {record.id: _text_of(record) for record in records}
    before = {
        row_id: [text for row in rows if row.row.id != row_id and (text := _former_text(row))]
        for row_id, rows in former.items()
    }
    asked = {text for text in texts.values() if text}.union(*before.values())
    if not asked:
        return NamedPayments(records, {})
    keys = await _keys_of(runtime, asked)
    found: list[RowRecord] = []
    problems: dict[int, Problem] = {}
    for record in records:
        key = _payment_of(texts[record.id], before.get(record.id, ()), keys)
        if isinstance(key, Problem):
            problems[record.id] = place_problem(record, key)
        named = key if isinstance(key, str) and record.line is not None else None
        found.append(record if named is None else replace(record, line={**(record.line or {}), _FIELD: named}))
    return NamedPayments(found, problems)


def _text_of(record: RowRecord) -> str:
    return (record.line or {}).get(_FIELD) or ""


def _former_text(former: FormerRow) -> str:
    """Return the key that a corrected row names; empty if it names none."""
    texts = [_text_of(former.row), *former.texts_of(_FIELD)]
    return next((text for text in map(str.strip, texts) if text), "")


async def _keys_of(runtime: Runtime, texts: set[str]) -> dict[str, str | None]:
    """Return our key of the payment that each text names; None for an unknown one.

    Without rules no run bills payments, and any text may be a key.
    """
    written = {text: read_payment(text) for text in texts}
    numbers = {found.number for found in written.values() if found is not None}
    slugs = await runtime.ledger.read_async(slugs_by_number, numbers) if numbers else {}
    orders = runtime.settings.orders
    has_rules = bool(orders.rules and orders.base_url)
    return {text: named_payment(text, slugs) or (None if has_rules else folded_payment(text)) for text in texts}


def _payment_of(text: str, before: Sequence[str], keys: Mapping[str, str | None]) -> str | Problem | None:
    """Return the key of the payment that a row bills, None for no payment, or why that is not certain.

    `before` are the texts of the rows that it corrects, oldest first. The first of them that names a payment decides.
    """
    first = next((key for each in before if (key := keys[each]) is not None), None)
    own = keys[text] if text else first
    if own is not None:
        params: dict[str, str | int] = {"key": own, "first": first or ""}
        return own if first in (None, own) else Problem("payment.other", _FIELD, params=params)
    shown = text or next((each for each in before if read_payment(each) is not None), "")
    if not shown:
        return None
    return Problem("payment.unknown", _FIELD, params={"key": repeatable(shown[:_SHOWN])})
