"""A worker of the model: the line's stations on one batch, as a generator that stops after each visible step.

At a `yield` another worker, the wire, the clock or a person may act; a killed worker is never resumed, a slow one is
resumed late. Between two yields is one transaction, or one request to the provider.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Final

from connectors.ledger.observations.patience import quiet_after
from tests.faults.model.ledger import FenceLost, HeldBack, Lease, Ledger
from tests.faults.model.provider import QUIET, TIMEOUT, Packet, Provider

Walk = Generator[None, None, None]
"""Stops wherever another party may act."""
_TRIES: Final = 5
_ROUNDS: Final = 4


@dataclass(slots=True)
class World:
    """What the workers share. All use one clock, `now`.

    `missed_place`: index, on the second page, of the note that a listing misses if the batch changed since the first.
    """

    ledger: Ledger
    provider: Provider
    now: int = 0
    missed_place: int = 0
    between_pages: int = 0
    """Number of workers that have read the first page and not the second."""


class Disturbed(Exception):
    """Something is not as we left it."""


@dataclass(slots=True)
class Worker:
    """`tasks.issuance.batch_lease.work_on`, repeatedly, as the sweep does."""

    world: World

    def walk(self) -> Walk:
        while True:
            yield
            lease = self.world.ledger.claim(self.world.now)
            if lease is None:
                continue
            yield
            try:
                yield from self._hold(lease)
            except FenceLost:
                continue

    def _hold(self, lease: Lease) -> Walk:
        world, ledger = self.world, self.world.ledger
        if lease.settle_after is not None and ledger.rules.quiet:
            quiet_at = lease.settle_after + TIMEOUT + QUIET
            if world.now < quiet_at:
                ledger.give_back(lease, due_at=int(quiet_at))
                return
        try:
            if ledger.state == "open":
                yield from self._stage(lease)
            elif ledger.state == "staged":
                ledger.move(lease, "staged", "approved", world.now)
            elif ledger.state == "approved":
                yield from self._release(lease)
            elif ledger.state == "sending":
                yield from self._check_sent(lease)
        except HeldBack:
            ledger.give_back(lease, due_at=world.now + 1)
            return
        except Disturbed as trouble:
            ledger.disturb(lease, str(trouble), world.now)
        ledger.give_back(lease, due_at=max(ledger.due_at, world.now))

    # tasks.stations.stage

    def _stage(self, lease: Lease) -> Walk:
        world, ledger = self.world, self.world.ledger
        if ledger.is_suspect and ledger.rules.reported_again:
            raise Disturbed("its first note is not what was asked")
        for _ in range(_ROUNDS):
            lease, is_settled = yield from self._settle(lease)
            if not is_settled:
                return
            if ledger.numbers("unresolved"):
                raise Disturbed("unresolved")
            reserved = ledger.numbers("reserved")
            if not reserved:
                break
            if ledger.rules.first_alone and not ledger.numbers("created"):
                reserved = reserved[:1]
            lease = yield from self._post(lease, reserved)
        if ledger.numbers("reserved") or ledger.numbers("in_doubt") or ledger.numbers("posting"):
            return
        yield from self._prove(lease)
        ledger.move(lease, "open", "staged", world.now)

    def _post(self, lease: Lease, numbers: list[int]) -> Generator[None, None, Lease]:
        """`tasks.issuance.posting`: intents, posts, answers, outcomes."""
        world, ledger = self.world, self.world.ledger
        lease, mine = ledger.begin_posting(lease, numbers, world.now)
        yield
        packets: dict[int, Packet | None] = {}
        for number in mine:
            # like `HttpSession`, check the deadline in the same step in which the first byte leaves
            is_in_time = world.now <= lease.deadline - TIMEOUT
            packets[number] = world.provider.take(Packet(number, world.now)) if is_in_time else None
            yield
        waiting = [packet for packet in packets.values() if packet is not None]
        while any(packet.state == "on its way" and world.now < packet.given_up_at for packet in waiting):
            yield
        strange = [packet for packet in waiting if packet.state == "answered" and not packet.is_in_batch]
        outcomes = [
            (number, None if packet is None or packet.state != "answered" else packet.note_id, packet is not None)
            for number, packet in packets.items()
        ]
        if strange and ledger.rules.reported_first:
            ledger.is_suspect = True
            yield
        ledger.end_posting(lease, outcomes, world.now)
        if strange:
            yield
            ledger.is_suspect = True
            raise Disturbed("an answer is not what was asked")
        yield
        return lease

    def _settle(self, lease: Lease) -> Generator[None, None, tuple[Lease, bool]]:
        """`tasks.issuance.doubts.settle_doubts`; return whether nothing is in doubt any more."""
        world, ledger = self.world, self.world.ledger
        for _ in range(2):
            doubts = ledger.numbers("in_doubt")
            if not doubts:
                return lease, True
            lease = ledger.renew(lease, world.now)
            listed_at = world.now
            listing = yield from self._list()
            is_joined = not ledger.invoices.keys().isdisjoint(listing.values())
            if world.provider.issued_outside and not is_joined:
                # `tasks.issuance.doubts`: the series record decides, while nothing shows that notes join this batch.
                ledger.is_suspect = True
                raise Disturbed("issued outside of its batch")
            found = {number: note_id for note_id, number in sorted(listing.items(), reverse=True)}
            for number in doubts:
                if number in found:
                    ledger.adopt(lease, number, found[number], world.now)
            ledger.settle_absent(lease, [number for number in doubts if number not in found], listed_at, world.now)
            yield
            left = [ledger.invoices[number] for number in ledger.numbers("in_doubt")]
            begun = 0 if lease.settle_after is None else lease.settle_after + TIMEOUT
            ends = [max(invoice.last_byte_at, begun) + quiet_after(QUIET, invoice.doubts) for invoice in left]
            quiet_at = max(ends, default=0)
            if left and quiet_at > world.now and ledger.rules.quiet:
                ledger.give_back(lease, due_at=int(quiet_at))
                return lease, False
        return lease, not ledger.numbers("in_doubt")

    def _list(self) -> Generator[None, None, dict[int, int]]:
        """`tasks.issuance.listing.list_stably`: notes by id."""
        provider, rules = self.world.provider, self.world.ledger.rules
        for _ in range(_TRIES):
            before, changes = provider.count(), provider.changes
            yield
            shown = dict(list(provider.notes.items())[: len(provider.notes) // 2])
            count = provider.count()
            self.world.between_pages += 1
            yield
            self.world.between_pages -= 1
            rest = {note_id: number for note_id, number in provider.notes.items() if note_id not in shown}
            if provider.changes != changes and rest:
                # The pages shifted between the two requests: one note was missed.
                del rest[sorted(rest)[self.world.missed_place % len(rest)]]
            shown |= rest
            yield
            after = provider.count() if rules.second_counter else before
            if before == after == count == len(shown):
                return shown
        raise Disturbed("the listing is not stable")

    def _prove(self, lease: Lease) -> Walk:
        """`tasks.issuance.proof.prove`: counted, or listed after any doubt or takeover."""
        world, ledger = self.world, self.world.ledger
        created = ledger.numbers("created")
        if not ledger.must_list:
            if world.provider.is_sent or world.provider.count() != len(created):
                ledger.must_list = True
            else:
                yield
                return
        listing = yield from self._list()
        if sorted(listing.values()) != sorted(created):
            raise Disturbed("the notes are not ours")
        yield

    # tasks.stations.release

    def _release(self, lease: Lease) -> Walk:
        world, ledger = self.world, self.world.ledger
        if world.provider.is_sent or world.provider.count() != len(ledger.invoices):
            raise Disturbed("the counters differ")
        yield
        lease = ledger.renew(lease, world.now)
        ledger.move(lease, "approved", "sending", world.now)
        yield
        if world.now > lease.deadline - TIMEOUT:
            ledger.move(lease, "sending", "approved", world.now)
            return
        packet = world.provider.take(Packet(None, world.now))
        while packet.state == "on its way" and world.now < packet.given_up_at:
            yield
        ledger.send_given_up_at = world.now
        if packet.state == "answered":
            ledger.move(lease, "sending", "scheduled", world.now)
            return
        yield from self._check_sent(lease)

    def _check_sent(self, lease: Lease) -> Walk:
        """Read from the provider whether the batch was sent. It counts as unsent only after the quiet time."""
        world, ledger = self.world, self.world.ledger
        is_sent = world.provider.is_sent
        yield
        if is_sent:
            ledger.move(lease, "sending", "scheduled", world.now)
        elif ledger.send_given_up_at is not None and world.now < ledger.send_given_up_at + QUIET:
            ledger.give_back(lease, due_at=ledger.send_given_up_at + QUIET)
        else:
            ledger.move(lease, "sending", "approved", world.now)
