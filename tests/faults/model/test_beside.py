"""Two batches side by side: one first note shows whether batches are honoured, or nothing does.

If a note no longer waited in its batch, it would be issued at once. At most one note of all batches may be lost that
way, for all workers, answers and deaths.
"""

from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tests.faults.model.ledger import LEASE, Invoice, Ledger, Rules
from tests.faults.model.provider import QUIET, TIMEOUT, Account, Packet, Provider, Violation
from tests.faults.model.test_model import ENDED, play
from tests.faults.model.worker import Walk, Worker, World

BATCHES: Final = (frozenset({1, 2}), frozenset({3, 4}))
_BY_ITSELF: Final = 400


class Beside(RuleBasedStateMachine):
    """Two batches of two invoices, with one worker each; a killed worker starts again automatically."""

    rules_that_hold = Rules()
    dies_at_once = False

    @initialize(honours_batch=st.booleans())
    def begin(self, honours_batch: bool) -> None:
        self.account = Account(honours_batch=honours_batch)
        ledgers = [Ledger(self.rules_that_hold, {number: Invoice(number) for number in batch}) for batch in BATCHES]
        for ledger, other in zip(ledgers, reversed(ledgers), strict=True):
            ledger.beside = [other]
        self.worlds = [
            World(ledger, Provider(batch, self.account)) for ledger, batch in zip(ledgers, BATCHES, strict=True)
        ]
        self.walks: list[Walk] = [Worker(world).walk() for world in self.worlds]
        if self.dies_at_once:
            self.die()

    def die(self) -> None:
        """Answer the very first note, write its answer, and kill its worker at once."""
        first = self.worlds[0]
        for _ in range(_BY_ITSELF):
            if first.ledger.numbers("created"):
                break
            next(self.walks[0])
            for packet in first.provider.under_way():
                first.provider.arrive(packet, is_answered=True)
        self.kill(0)
        self.pass_time(LEASE + TIMEOUT + QUIET)

    @rule(worker=st.integers(0, 1), steps=st.sampled_from([1, 1, 2, 4, 12]))
    def go_on(self, worker: int, steps: int) -> None:
        for _ in range(steps):
            next(self.walks[worker])

    @rule(place=st.integers(0, 3), is_answered=st.booleans())
    def arrive(self, place: int, is_answered: bool) -> None:
        under_way = self._under_way()
        if under_way:
            provider, packet = under_way[place % len(under_way)]
            provider.arrive(packet, is_answered=is_answered)

    @rule(ticks=st.sampled_from([1, 1, QUIET, LEASE]))
    def pass_time(self, ticks: int) -> None:
        for world in self.worlds:
            world.now += ticks
            world.provider.tick(world.now)

    @rule(worker=st.integers(0, 1))
    def kill(self, worker: int) -> None:
        self.walks[worker] = Worker(self.worlds[worker]).walk()

    def teardown(self) -> None:
        """Left alone, both are sent; or a person learns why not, and the other waits for the decision."""
        if not hasattr(self, "worlds"):
            return
        ledgers = [world.ledger for world in self.worlds]
        for turn in range(_BY_ITSELF):
            for provider, packet in self._under_way():
                provider.arrive(packet, is_answered=True)
            next(self.walks[turn % 2])
            if turn % 5 == 0:
                self.pass_time(1)
        is_suspect = any(ledger.is_suspect for ledger in ledgers)
        for ledger in ledgers:
            assert ledger.state in ENDED or (is_suspect and ledger.state == "open"), f"it stays {ledger.state}"
        if self.account.honours_batch and is_suspect:
            raise Violation("a false alarm")

    def _under_way(self) -> list[tuple[Provider, Packet]]:
        providers = [world.provider for world in self.worlds]
        return [(provider, packet) for provider in providers for packet in provider.under_way()]


def _play(rules: Rules, *, runs: int, **others: Any) -> None:
    machine: Any = type("Beside", (Beside,), {"rules_that_hold": rules, **others})
    play(machine, runs=runs)


def test_one_note_at_most_is_lost_of_all_batches() -> None:
    _play(Rules(), runs=100)


@pytest.mark.parametrize("rule_name", ["one_first", "reported_first", "reported_again"])
def test_without_the_rules_about_first_notes_more_are_lost(rule_name: str) -> None:
    with pytest.raises(Violation):
        _play(replace(Rules(), **{rule_name: False}), runs=1_000, dies_at_once=rule_name == "reported_again")
