"""Hints that wait for the ledger: bounded, each invoice once, in the order of arrival."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from connectors.issuers import Webhooks


@dataclass(slots=True)
class Waiting:
    """What was heard and is not stored yet; lost if the process dies, which costs time and nothing else.

    Args:
        most: The number of hints that may wait; further ones are counted and forgotten.
        counts: Deliveries by what became of them, since they were last stored.
    """

    most: int
    counts: Counter[str] = field(default_factory=Counter)
    _ids: dict[int, None] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._ids)

    def hear(self, webhooks: Webhooks, data: object) -> None:
        """Take in the parsed body of one delivery."""
        hint = webhooks.hint(data)
        if hint is None:
            self.counts["test" if webhooks.is_test(data) else "unreadable"] += 1
        elif not hint.is_end:
            self.counts["progress"] += 1
        elif hint.remote_id in self._ids:
            self.counts["repeated"] += 1
        elif len(self._ids) >= self.most:
            self.counts["overflow"] += 1
        else:
            self._ids[hint.remote_id] = None

    def take(self, count: int) -> list[int]:
        """Remove and return the oldest hints, at most `count`, as the issuer's ids of their invoices."""
        taken = list(self._ids)[:count]
        for each in taken:
            del self._ids[each]
        return taken

    def put_back(self, taken: Iterable[int], counts: Counter[str]) -> None:
        """Return what could not be stored to the front; the newest that no longer fit are forgotten."""
        self._ids = dict.fromkeys([*taken, *self._ids])
        over = list(self._ids)[self.most :]
        for each in over:
            del self._ids[each]
        self.counts += counts
        self.counts["overflow"] += len(over)
