"""Decide whether two rows are one charge before and after a correction, by facts that seldom change together."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from domain.texts import folded_charge

ENOUGH: Final = 2
_WHO: Final = frozenset({"document", "name"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSummary:
    """A row's content as written. `amount` is in cents, None where unreadable; `order` is the key of a sale."""

    document: str | None = None
    name: str | None = None
    amount: int | None = None
    description: str | None = None
    order: str | None = None

    def facts(self) -> frozenset[tuple[str, str | int]]:
        """Return the facts to compare with another row's, without differences of case, spelling and punctuation."""
        facts = {
            "document": "".join(filter(str.isalnum, self.document or "")).upper().lstrip("0"),
            "name": folded_charge(self.name or ""),
            "amount": self.amount,
            "description": folded_charge(self.description or ""),
            "order": folded_charge(self.order or ""),
        }
        return frozenset((name, value) for name, value in facts.items() if value)


def is_likely(original: RowSummary, now: RowSummary) -> bool:
    """Return whether `now` may correct `original`: they share two facts.

    An original with one or two facts needs one shared fact: a correction may change the other.
    """
    before = original.facts()
    return len(before & now.facts()) >= max(1, min(ENOUGH, len(before) - 1))


class Candidates:
    """Refused rows that may match a corrected row without a tag. Each row matches once."""

    def __init__(self, summaries: Mapping[int, RowSummary]) -> None:
        self._facts = {row_id: each.facts() for row_id, each in summaries.items()}
        self._by_fact: defaultdict[tuple[str, str | int], list[int]] = defaultdict(list)
        for row_id, facts in self._facts.items():
            for fact in facts:
                self._by_fact[fact].append(row_id)

    def pop_best_match(self, now: RowSummary) -> int | None:
        """Remove and return the row that shares most facts with `now`, at least two; None if several share as many.

        The same customer alone is not enough: a customer may have several charges.
        """
        facts = now.facts()
        lists = sorted((self._by_fact.get(fact, []) for fact in facts), key=len)
        # a row that shares two facts is in some list other than the longest, which may be a description common to all
        near = {row_id for found in lists[:-1] for row_id in found if row_id in self._facts}
        shared = {row_id: self._facts[row_id] & facts for row_id in near}
        ranked = sorted(
            ((len(each), row_id) for row_id, each in shared.items() if any(name not in _WHO for name, _ in each)),
            reverse=True,
        )[:2]
        if not ranked or ranked[0][0] < ENOUGH or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
            return None
        self.drop(ranked[0][1])
        return ranked[0][1]

    def drop(self, row_id: int) -> None:
        """Remove a row that has its match."""
        self._facts.pop(row_id, None)
