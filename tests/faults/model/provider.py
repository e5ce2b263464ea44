"""The provider of the model: requests arrive late, in any order or never, lists drift, and a person works in its page.

It guarantees exactly what the line relies on. A request arrives within `QUIET` after the instant at which its sender
gave it up, or not at all. While its pages are read, a list may lose a note only if the batch changes meanwhile. A
batch's counter is exact. A page's own count may be as old as the first page.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final, Literal

TIMEOUT: Final = 1
"""Ticks after which a sender gives a request up."""
QUIET: Final = 3
"""Ticks after the timeout in which a request may still arrive."""


class Violation(AssertionError):
    """A forbidden state was reached."""


@dataclass(slots=True)
class Packet:
    """A request on its way, and its answer on the way back. `number` None: the send of the batch."""

    number: int | None
    sent_at: int
    state: Literal["on its way", "answered", "lost"] = "on its way"
    note_id: int | None = None
    is_in_batch: bool = True

    @property
    def given_up_at(self) -> int:
        return self.sent_at + TIMEOUT


@dataclass(slots=True)
class Account:
    """The common state of an account's batches.

    `honours_batch`: whether a note posted for a batch waits in it; else it is issued at once.
    """

    honours_batch: bool = True
    issued_outside: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Provider:
    """One batch. `wanted`: the numbers that the line must issue once each, in this batch."""

    wanted: frozenset[int]
    account: Account = field(default_factory=Account)
    notes: dict[int, int] = field(default_factory=dict)
    is_sent: bool = False
    is_meddled_with: bool = False
    changes: int = 0
    _next_id: int = 1
    _packets: list[Packet] = field(default_factory=list)

    def take(self, packet: Packet) -> Packet:
        """Put a request on the wire and return it."""
        self._packets.append(packet)
        return packet

    def under_way(self) -> list[Packet]:
        return [packet for packet in self._packets if packet.state == "on its way"]

    def arrive(self, packet: Packet, *, is_answered: bool) -> None:
        """Do the work of a request; `is_answered` says whether its answer returns."""
        packet.state = "answered" if is_answered else "lost"
        if packet.number is None:
            self._send()
        else:
            self._add(packet, packet.number)

    def tick(self, now: int) -> None:
        """Drop the requests that have been on their way for too long."""
        for packet in self.under_way():
            if now > packet.given_up_at + QUIET:
                packet.state = "lost"

    def meddle(self, *, deletes: bool) -> None:
        """Add a person's note of another number, and perhaps delete one of ours for it: the count stays the same."""
        if self.is_sent:
            return
        self.is_meddled_with = True
        self.changes += 1
        if deletes and self.notes:
            del self.notes[min(self.notes)]
        self._keep(1_000 + self._next_id)

    @property
    def issued_outside(self) -> bool:
        """Return what the series record says of this batch's numbers."""
        return not self.wanted.isdisjoint(self.account.issued_outside)

    def count(self) -> int:
        return len(self.notes)

    def _add(self, packet: Packet, number: int) -> None:
        if number in self.notes.values():
            raise Violation(f"number {number} arrived twice")
        if not self.account.honours_batch:
            self.account.issued_outside.add(number)
            packet.is_in_batch = False
            packet.note_id = -number
            if len(self.account.issued_outside) > 1:
                raise Violation("more than one note was lost to a batch id that is not honoured")
            return
        if self.is_sent:
            raise Violation(f"number {number} joined the batch after it was sent")
        self.changes += 1
        packet.note_id = self._keep(number)

    def _send(self) -> None:
        if self.is_sent:
            return
        self.is_sent = True
        held = Counter(self.notes.values())
        if not self.is_meddled_with and held != Counter(self.wanted):
            raise Violation(f"sent {sorted(held.elements())} instead of {sorted(self.wanted)}")

    def _keep(self, number: int) -> int:
        self._next_id += 1
        self.notes[self._next_id] = number
        return self._next_id
