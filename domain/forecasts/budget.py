"""What a file costs in requests and in the account's quota, told before the first of them is made."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

NOTES_A_PAGE: Final = 10
"""Document 000, Lists: the size of a page."""
LOOKS: Final = 5
"""How often a batch is looked at until it is processed, where nothing is known better."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Requests by station, in the order in which they are made; only what will still be asked."""

    requests: Mapping[str, int]
    notes: int

    @property
    def total(self) -> int:
        return sum(self.requests.values())


def service_budget(
    *,
    batches: Sequence[int],
    emitters: int,
    templates: int,
    series: int,
    known_takers: int,
    new_takers: int,
    looks: int,
    listed: Sequence[int] = (),
) -> Budget:
    """Return the requests of service notes: `batches` by their notes, `series` that are read before numbers are given.

    `known_takers` are looked up (the ledger does not have them yet), `new_takers` looked up and created. A batch costs
    its opening, one look at its serie, its notes, one count, one look, a page of its notes and the send; then `looks`,
    the last of which is followed by the final listing and a count. `listed` are those of the batches, by their notes,
    whose count is a listing between two counts as well.
    """
    requests = {
        "account": 1,
        "resolve": emitters + templates + known_takers + 2 * new_takers,
        "assemble": templates + series,
        "stage": sum(batches) + 3 * len(batches) + len(listed) + _pages(listed),
        "release": 3 * len(batches),
        "reconcile": (looks + 1) * len(batches) + _pages(batches),
    }
    return Budget(requests, sum(batches))


def _pages(batches: Sequence[int]) -> int:
    return sum(-(-count // NOTES_A_PAGE) for count in batches)


def product_budget(*, batches: Sequence[int], issuers: int, looks: int, extensions: bool) -> Budget:
    """Return the requests of product invoices: one post each, then reads until the authority has answered.

    Without the provider's extensions nothing but the posting can be asked.
    """
    first_looks = len(batches) if extensions else 0
    requests = {
        "account": 1,
        "resolve": issuers,
        "assemble": 1 + first_looks,
        "release": sum(batches) + first_looks,
        "reconcile": sum(batches) * looks if extensions else 0,
    }
    return Budget(requests, sum(batches))


@dataclass(frozen=True, slots=True)
class Quota:
    """What the account's plan allows: emissions made, allowed (None: no limit is known), and planned now."""

    made: int
    allowed: int | None
    planned: int

    @property
    def left(self) -> int | None:
        """What is left once the planned ones are made; below zero: too few."""
        return None if self.allowed is None else self.allowed - self.made - self.planned


def quota_of(made: int | None, allowed: str | None, *, planned: int) -> Quota | None:
    """Return the quota from an account's answer, or None. `allowed` is text and may say in words that there is no
    limit.

    None where the account does not tell how many were made.
    """
    if made is None:
        return None
    figure = re.sub(r"[\s.,]", "", allowed or "")
    return Quota(made, int(figure) if figure.isascii() and figure.isdigit() else None, planned)
