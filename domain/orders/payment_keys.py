"""Read the key of a payment as people type it, and find the payment that it names.

The key that we write is `plan #number` (`domain.orders.billing.payment_key`). People retype it with other capitals and
spaces, without the sign, with `Nº`, with leading zeros, or a spreadsheet adds `.0`.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from domain.orders.billing import payment_key
from domain.texts import folded, folded_charge

_LONGEST: Final = 200
_NUMBER: Final = re.compile(r"(?<![0-9])([0-9]{1,18})(?:[.,]0{1,2})?\Z")
_MARKER: Final = re.compile(r"[\W_](?:n|no|nr|num|numero|number)[\W_]*\Z")
"""A word for `number` between plan and number. `Nº` is folded to `no`."""


@dataclass(frozen=True, slots=True)
class WrittenPayment:
    """A key in a cell: the number, and the plan in each way in which the cell can be read (`domain.texts.folded`)."""

    plans: tuple[str, ...]
    number: int


def read_payment(text: str) -> WrittenPayment | None:
    """Return plan and number of a key, or None for a text without one of them.

    Another character must separate them: `plan1 11` is not `plan 111`. The plan may itself end with a word for
    `number`, so the plan with that word comes last.
    """
    whole = folded(text)
    found = _NUMBER.search(whole) if len(text) <= _LONGEST else None
    if found is None:
        return None
    head = whole[: found.start()]
    marker = _MARKER.search(head)
    plans = [] if marker is None else [_bare(head[: marker.start()])]
    if head and not head[-1].isalnum():
        plans.append(_bare(head))
    named = tuple(dict.fromkeys(plan for plan in plans if plan))
    return WrittenPayment(named, int(found[1])) if named else None


def folded_payment(text: str) -> str:
    """Return a key in one spelling, without knowledge of any payment. A text that is no such key is only folded."""
    found = read_payment(text)
    return folded_charge(text) if found is None else payment_key(found.plans[0], found.number)


def named_payment(text: str, slugs: Mapping[int, Collection[str]]) -> str | None:
    """Return our key of the payment that a text names, or None if it names none or may name several.

    `slugs` are the plans' slugs of all known payments, by the payment's number.
    """
    found = read_payment(text)
    if found is None:
        return None
    known = {payment_key(slug, found.number): slug for slug in slugs.get(found.number, ())}
    exact = " ".join(text.split())
    if exact in known:
        return exact
    plans = {folded_charge(plan) for plan in found.plans}
    fitting = [key for key, slug in known.items() if folded_charge(slug) in plans]
    return fitting[0] if len(fitting) == 1 else None


def _bare(plan: str) -> str:
    """Return a plan's text without the signs after it."""
    return re.sub(r"[\W_]+\Z", "", plan)
