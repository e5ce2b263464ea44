"""Count the requests and the share of the account's quota that a file needs, before the first request."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

NOTES_A_PAGE: Final = 10
"""The size of a page (document 000, Lists)."""
LOOKS: Final = 5
"""Assumed number of status reads until a batch is processed."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Requests by station, in the stations' order; requests already made are left out."""

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
    written_takers: int = 0,
    template_lists: Sequence[int] = (),
) -> Budget:
    """Return the number of requests that service invoices cost.

    A batch costs its opening, two reads of its serie, one post for each note, one count, one read, one page of its
    notes, a look at its emitter and the send. Then it costs `looks` status reads, the final listing, a last count and
    a last look at its emitter.

    Args:
        batches: The note count of each batch.
        emitters: How many emitters are looked up.
        templates: How many templates are looked up, and read again before numbers are given.
        series: How many series are read before numbers are given.
        known_takers: How many customers are looked up: the ledger has no current record of them, or rows update it.
        new_takers: How many customers are looked up and then created.
        looks: Status reads of each batch after its send.
        listed: The note counts of those batches that are also listed between two counts.
        written_takers: How many of `known_takers` are completed or updated, and then read again.
        template_lists: The template count of each emitter whose templates are all looked up.
    """
    requests = {
        "account": 1,
        "resolve": emitters
        + templates
        + _page_count([max(1, count) for count in template_lists])
        + known_takers
        + 2 * written_takers
        + 2 * new_takers,
        "assemble": templates + series,
        "stage": sum(batches) + 3 * len(batches) + len(listed) + _page_count(listed),
        "release": 5 * len(batches),
        "reconcile": (looks + 2) * len(batches) + _page_count(batches),
    }
    return Budget(requests, sum(batches))


def _page_count(batches: Sequence[int]) -> int:
    return sum(-(-count // NOTES_A_PAGE) for count in batches)


def product_budget(*, batches: Sequence[int], issuers: int, looks: int, extensions: bool) -> Budget:
    """Return the requests for product invoices: one post each, then reads until the authority has answered.

    Each batch has a look at its emitter before the first post, and one at its end. Without the provider's extensions
    nothing is read back, and no batch ends.
    """
    first_looks = len(batches) if extensions else 0
    requests = {
        "account": 1,
        "resolve": issuers,
        "assemble": 1 + first_looks,
        "release": sum(batches) + len(batches) + first_looks,
        "reconcile": sum(batches) * looks + len(batches) if extensions else 0,
    }
    return Budget(requests, sum(batches))


@dataclass(frozen=True, slots=True)
class Quota:
    """The account's quota: emissions made, allowed (None: no known limit), and planned now."""

    made: int
    allowed: int | None
    planned: int

    @property
    def left(self) -> int | None:
        """Return the quota left after the planned emissions; negative when the quota is too small."""
        return None if self.allowed is None else self.allowed - self.made - self.planned


def quota_of(made: int | None, allowed: str | None, *, planned: int) -> Quota | None:
    """Return the quota from an account's answer. `allowed` is text and may be a phrase for "no limit".

    None if the answer has no number of emissions.
    """
    if made is None:
        return None
    figure = re.sub(r"[\s.,]", "", allowed or "")
    return Quota(made, int(figure) if figure.isascii() and figure.isdigit() else None, planned)
