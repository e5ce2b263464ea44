"""The ledger of the model: the durable state of one batch, and the other batches.

Each method is one transaction of the real ledger, and names its function.

`Rules` switches rules off; with all of them the model behaves as the project does.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from connectors.ledger.observations.patience import MOST_DOUBTS, quiet_after
from tests.faults.model.provider import QUIET, TIMEOUT

LEASE: Final = 4

State = Literal["reserved", "posting", "in_doubt", "unresolved", "created"]
BatchState = Literal["open", "staged", "approved", "sending", "scheduled", "disturbed"]


@dataclass(frozen=True, slots=True)
class Rules:
    """Each rule of the protocol, and the module that implements it."""

    intent: bool = True
    """Write the attempt and mark the note before its first byte, as `issuance.posting.begin_posting` does."""
    fence: bool = True
    """A worker that lost the batch writes nothing: `connectors.ledger.leases.check` and `renew`."""
    quiet: bool = True
    """No doubt is settled while it may arrive: `observations.doubts.settle_absent`, `issuance.batch_lease`."""
    first_alone: bool = True
    """The first note of a batch is posted alone: `tasks.issuance.posting`."""
    second_listing: bool = True
    """A note is absent if two stable listings lack it: `observations.doubts.settle_absent` (`absent_at`)."""
    second_counter: bool = True
    """A listing is stable if the counter after it agrees, too: `tasks.issuance.listing`."""
    one_first: bool = True
    """First notes are posted for one batch at a time: `observations.doubts.hold_back_first`."""
    reported_first: bool = True
    """The incident of a first note is opened before its answer is written: `Poster._report_first`."""
    reported_again: bool = True
    """An open incident stops the batch for the next owner: `stations.stage`, `observations.doubts.stored_problem`."""


class FenceLost(Exception):
    """The batch is no longer ours: the worker stops."""


class HeldBack(Exception):
    """Another batch's first note must be understood before this one's is sent."""


@dataclass(frozen=True, slots=True)
class Lease:
    fence: int
    deadline: int
    settle_after: int | None


@dataclass(slots=True)
class Invoice:
    number: int
    state: State = "reserved"
    note_id: int | None = None
    doubts: int = 0
    last_byte_at: int = 0
    absent_at: int | None = None
    attempts: int = 0


@dataclass(slots=True)
class Ledger:
    """The batch, its lease and its invoices. `is_suspect`: a person must decide whether batches are honoured."""

    rules: Rules
    invoices: dict[int, Invoice]
    state: BatchState = "open"
    fence: int = 0
    lease_until: int | None = None
    settle_after: int | None = None
    due_at: int = 0
    must_list: bool = False
    send_given_up_at: int | None = None
    moves: list[str] = field(default_factory=list)
    is_suspect: bool = False
    beside: "list[Ledger]" = field(default_factory=list, repr=False)

    def claim(self, now: int) -> Lease | None:
        """`claims.claim`: the last owner's requests in flight are in doubt, and settled only after the quiet time."""
        if self.state in ("scheduled", "disturbed") or now < self.due_at:
            return None
        if self.lease_until is not None:
            if self.lease_until > now:
                return None
            self.settle_after, self.must_list = self.lease_until, True
        self.must_list |= self.fence > 0
        self.fence += 1
        self.lease_until = now + LEASE
        for invoice in self._in("posting"):
            self._doubt(invoice, now if self.settle_after is None else self.settle_after)
        return Lease(self.fence, now + LEASE, self.settle_after)

    def renew(self, lease: Lease, now: int) -> Lease:
        """`claims.renew`."""
        self.check(lease, now)
        self.lease_until = now + LEASE
        return Lease(lease.fence, now + LEASE, lease.settle_after)

    def check(self, lease: Lease, now: int) -> None:
        """`claims.check`. Raises `FenceLost`."""
        if self.rules.fence and (lease.fence != self.fence or self.lease_until is None or self.lease_until <= now):
            raise FenceLost

    def give_back(self, lease: Lease, *, due_at: int) -> None:
        """`claims.give_back`, and `batches.schedule_look` before it."""
        if lease.fence == self.fence and self.lease_until is not None:
            self.lease_until, self.due_at = None, due_at
            for invoice in self._in("posting"):
                self._doubt(invoice, due_at)

    def begin_posting(self, lease: Lease, numbers: Sequence[int], now: int) -> tuple[Lease, list[int]]:
        """`posting.begin_posting`: return the renewed lease and the numbers to post. Raises `HeldBack`, `FenceLost`."""
        self.check(lease, now)
        if self.state != "open":
            raise FenceLost
        if self.rules.one_first and not self.numbers("created") and any(each.is_unknown for each in self.beside):
            raise HeldBack
        mine = [number for number in numbers if self.invoices[number].state == "reserved"]
        if self.rules.intent:
            for number in mine:
                self.invoices[number].state = "posting"
        self.lease_until = now + LEASE
        return Lease(lease.fence, now + LEASE, lease.settle_after), mine

    def end_posting(self, lease: Lease, outcomes: Sequence[tuple[int, int | None, bool]], now: int) -> None:
        """`posting.end_posting`: for each number the answered id, and whether a byte of it was written."""
        self.check(lease, now)
        for number, note_id, was_begun in outcomes:
            invoice = self.invoices[number]
            if invoice.state not in ("posting", "reserved"):
                continue
            if note_id is not None:
                invoice.state, invoice.note_id = "created", note_id
            elif not was_begun:
                invoice.state = "reserved"
            else:
                self._doubt(invoice, now)
                self.must_list = True

    def adopt(self, lease: Lease, number: int, note_id: int, now: int) -> None:
        """`observations.doubts.adopt_notes`."""
        self.check(lease, now)
        invoice = self.invoices[number]
        if invoice.state == "in_doubt":
            invoice.state, invoice.note_id, invoice.absent_at = "created", note_id, None

    def settle_absent(self, lease: Lease, numbers: Collection[int], listed_at: int, now: int) -> None:
        """`observations.doubts.settle_absent`: the notes that a stable listing, begun at `listed_at`, lacked."""
        self.check(lease, now)
        for number in numbers:
            invoice = self.invoices[number]
            quiet = quiet_after(QUIET, invoice.doubts) if self.rules.quiet else 0
            if invoice.state != "in_doubt":
                continue
            begun = 0 if lease.settle_after is None or not self.rules.quiet else lease.settle_after + TIMEOUT
            is_second = invoice.absent_at is not None or not self.rules.second_listing
            if not is_second or listed_at < max(invoice.last_byte_at, begun) + quiet:
                invoice.absent_at = listed_at if invoice.absent_at is None else invoice.absent_at
            else:
                invoice.state, invoice.absent_at = "reserved" if invoice.doubts < MOST_DOUBTS else "unresolved", None

    def move(self, lease: Lease, was: BatchState, becomes: BatchState, now: int) -> None:
        """One compare-and-set each: `mark_staged`, `mark_sent` of batches, `approve`, `begin_sending` of approvals."""
        self.check(lease, now)
        if self.state != was:
            raise FenceLost
        self.state = becomes

    def disturb(self, lease: Lease, why: str, now: int) -> None:
        """`batches.disturb`: stop all work on the batch until a person decides."""
        self.check(lease, now)
        self.state = "disturbed"
        self.moves.append(why)

    @property
    def is_unknown(self) -> bool:
        """`observations.doubts.held_back`: is the batch suspect, or has it notes in doubt and none created?"""
        is_asked = self.state == "open" and bool(self.numbers("posting") or self.numbers("in_doubt"))
        return self.is_suspect or (is_asked and not self.numbers("created"))

    def numbers(self, state: State) -> list[int]:
        return [invoice.number for invoice in self._in(state)]

    def _in(self, state: State) -> list[Invoice]:
        return [invoice for invoice in self.invoices.values() if invoice.state == state]

    def _doubt(self, invoice: Invoice, last_byte_at: int) -> None:
        invoice.state, invoice.last_byte_at, invoice.absent_at = "in_doubt", last_byte_at, None
        invoice.doubts += 1
