"""Queue hints for the ledger: bounded, each invoice once, in the order of arrival."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from connectors.issuers import Webhooks


@dataclass(slots=True)
class HintQueue:
    """The queue of hints that are not stored yet. If the process dies, they are lost, and only delay the next looks.

    Args:
        capacity: The largest number of waiting hints; further ones are counted and dropped.
        counts: Number of deliveries by outcome since the last `store_hints`.
    """

    capacity: int
    counts: Counter[str] = field(default_factory=Counter)
    _ids: dict[int, None] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, webhooks: Webhooks, data: object) -> None:
        """Queue the hint in one delivery's parsed body, or count why there is none to queue."""
        hint = webhooks.hint(data)
        if hint is None:
            self.counts["test" if webhooks.is_test(data) else "unreadable"] += 1
        elif not hint.is_end:
            self.counts["progress"] += 1
        elif hint.remote_id in self._ids:
            self.counts["repeated"] += 1
        elif len(self._ids) >= self.capacity:
            self.counts["overflow"] += 1
        else:
            self._ids[hint.remote_id] = None

    def pop_oldest(self, count: int) -> list[int]:
        """Remove and return the oldest hints, at most `count`, as the issuer's ids of their invoices."""
        taken = list(self._ids)[:count]
        for each in taken:
            del self._ids[each]
        return taken

    def put_back(self, taken: Iterable[int], counts: Counter[str]) -> None:
        """Put hints that could not be stored, and the `counts` of their deliveries, back to the front.

        Drop the newest hints beyond the limit.
        """
        self._ids = dict.fromkeys([*taken, *self._ids])
        over = list(self._ids)[self.capacity :]
        for each in over:
            del self._ids[each]
        self.counts += counts
        self.counts["overflow"] += len(over)
