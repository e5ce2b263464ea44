"""The protocol holds against a provider that delays, reorders and drifts, and fails without any one of its rules.

The state machine of hypothesis chooses who continues, what arrives, who dies, who is slow and what a person does. The
rules and the modules that implement them: `ledger.Rules`.
"""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, Final, Literal, get_args

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from tests.faults.model.ledger import LEASE, Invoice, Ledger, Rules
from tests.faults.model.provider import QUIET, TIMEOUT, Account, Provider, Violation
from tests.faults.model.worker import Walk, Worker, World

NUMBERS: Final = frozenset({1, 2, 3})
WORKERS: Final = 2
ENDED: Final = ("scheduled", "disturbed")
_ADDS, _SWAPS = 2, 1
_BY_ITSELF: Final = 400
_TO_A_PAGE: Final = 24


Beginning = Literal[
    "nothing done",
    "under way",
    "answers lost",
    "given up",
    "looked for once",
    "looked for late",
    "taken over",
    "batch id ignored",
]
_SHORTEST: Final[dict[str, Beginning]] = {
    "intent": "nothing done",
    "fence": "taken over",
    "quiet": "given up",
    "first_alone": "batch id ignored",
    "second_listing": "looked for late",
    "second_counter": "looked for once",
}
"""For each rule of one batch, the beginning that shows its absence soonest; `test_beside` has the other rules."""


class Protocol(RuleBasedStateMachine):
    """One batch of three invoices, two workers."""

    rules_that_hold = Rules()
    beginnings: tuple[Beginning, ...] = get_args(Beginning)

    @initialize(place=st.integers(0, 23))
    def begin(self, place: int) -> None:
        beginning = self.beginnings[place % len(self.beginnings)]
        ledger = Ledger(self.rules_that_hold, {number: Invoice(number) for number in sorted(NUMBERS)})
        self.world = World(ledger, Provider(NUMBERS, Account(honours_batch=beginning != "batch id ignored")))
        self.walks: list[Walk] = [Worker(self.world).walk() for _ in range(WORKERS)]
        self.adds = self.swaps = 0
        if beginning in _PRELUDES:
            _PRELUDES[beginning](self)

    def post(self, *, are_lost: bool = False) -> None:
        """Post the first note and put the others on the wire; or let them arrive without an answer."""
        for posts in (1, len(NUMBERS) - 1):
            self._go_on_until(0, lambda posts=posts: len(self.world.provider.under_way()) == posts)  # type: ignore[misc]
            if posts == 1 or are_lost:
                for packet in self.world.provider.under_way():
                    self.world.provider.arrive(packet, is_answered=posts == 1)

    def look_once(self) -> None:
        """Lose answers, and add a note during the first look."""
        self.post(are_lost=True)
        self.world.now += TIMEOUT
        self.world.missed_place = 1
        if self._turn_a_page(0):
            self.add()
        self._go_on_until(0, lambda: self.world.ledger.lease_until is None)
        self._wait_and_list(0)

    def look_late(self) -> None:
        """Lose answers and kill the worker that waits for them; another one lists the notes after the quiet time."""
        self.post(are_lost=True)
        self.kill(0)
        self.world.now += LEASE + 1
        self._go_on_until(1, lambda: self.world.ledger.lease_until is None)
        self._wait_and_list(1)

    def give_up(self) -> None:
        """Give both posts up: they are in doubt, and still on the wire."""
        self.post()
        self.world.now += TIMEOUT
        self._go_on_until(0, lambda: bool(self.world.ledger.numbers("in_doubt")))

    def _wait_and_list(self, worker: int) -> None:
        self.world.now = max(self.world.now, self.world.ledger.due_at)
        self._go_on_until(worker, lambda: bool(self.world.between_pages))

    def take_over(self) -> None:
        """Freeze a worker before its first byte, and let another one post in its place."""
        self._go_on_until(0, lambda: bool(self.world.provider.under_way()))
        self.world.provider.arrive(self.world.provider.under_way()[0], is_answered=True)
        self._go_on_until(0, lambda: len(self.world.ledger.numbers("created")) == 1)
        next(self.walks[0])
        self._go_on_until(1, lambda: bool(self.world.provider.under_way()), ticks=1)

    def _go_on_until(self, worker: int, is_enough: Callable[[], bool], *, ticks: int = 0) -> None:
        for _ in range(_BY_ITSELF):
            if is_enough():
                return
            next(self.walks[worker])
            self.world.now += ticks

    @rule(worker=st.integers(0, WORKERS - 1), steps=st.sampled_from([1, 1, 2, 4, 12]))
    def go_on(self, worker: int, steps: int) -> None:
        for _ in range(steps):
            next(self.walks[worker])

    @rule(worker=st.integers(0, WORKERS - 1))
    def go_far(self, worker: int) -> None:
        self.go_on(worker, _TO_A_PAGE)

    @rule(place=st.integers(0, 3), is_answered=st.booleans())
    def arrive(self, place: int, is_answered: bool) -> None:
        packets = self.world.provider.under_way()
        if packets:
            self.world.provider.arrive(packets[place % len(packets)], is_answered=is_answered)

    @rule(place=st.integers(0, 3))
    def get_lost(self, place: int) -> None:
        packets = self.world.provider.under_way()
        if packets:
            packets[place % len(packets)].state = "lost"

    @rule(ticks=st.sampled_from([1, 1, QUIET, LEASE]))
    def pass_time(self, ticks: int) -> None:
        self.world.now += ticks
        self.world.provider.tick(self.world.now)

    @rule(worker=st.integers(0, WORKERS - 1))
    def kill(self, worker: int) -> None:
        self.walks[worker] = Worker(self.world).walk()

    @rule(place=st.integers(0, 3))
    def drift(self, place: int) -> None:
        self.world.missed_place = place

    @precondition(lambda self: self.adds < _ADDS)
    @rule()
    def add(self) -> None:
        """Add a note in the provider's page."""
        self.adds += 1
        self.world.provider.meddle(deletes=False)

    @precondition(lambda self: self.adds < _ADDS)
    @rule(worker=st.integers(0, WORKERS - 1), place=st.integers(0, 1))
    def add_between_two_pages(self, worker: int, place: int) -> None:
        if self._turn_a_page(worker):
            self.world.missed_place = place
            self.add()

    @precondition(lambda self: self.swaps < _SWAPS)
    @rule(worker=st.integers(0, WORKERS - 1), place=st.integers(0, 1))
    def swap_between_two_pages(self, worker: int, place: int) -> None:
        """Replace a note by another one, once in a run: two listings with a replacement in each would look stable."""
        if self._turn_a_page(worker):
            self.world.missed_place = place
            self.swaps += 1
            self.world.provider.meddle(deletes=True)

    def _turn_a_page(self, worker: int) -> bool:
        """Let the worker continue until a worker is between two pages; return whether that happened."""
        for _ in range(_TO_A_PAGE):
            if self.world.between_pages:
                return True
            next(self.walks[worker])
        return False

    def teardown(self) -> None:
        """Left alone, the batch is sent, or a person learns why not."""
        if not hasattr(self, "world"):
            return
        ledger, provider = self.world.ledger, self.world.provider
        for turn in range(_BY_ITSELF):
            if ledger.state in ENDED:
                break
            for packet in provider.under_way():
                provider.arrive(packet, is_answered=True)
            next(self.walks[turn % WORKERS])
            self.world.now += turn % 5 == 0
            provider.tick(self.world.now)
        assert ledger.state in ENDED, f"it stays {ledger.state}"
        if provider.account.honours_batch and not provider.is_meddled_with and ledger.moves not in ([], ["unresolved"]):
            raise Violation(f"a false alarm: {ledger.moves}")


_PRELUDES: Final[dict[str, Callable[[Protocol], None]]] = {
    "under way": Protocol.post,
    "answers lost": lambda machine: machine.post(are_lost=True),
    "given up": Protocol.give_up,
    "looked for once": Protocol.look_once,
    "looked for late": Protocol.look_late,
    "taken over": Protocol.take_over,
}
"""Beginnings that most stories reach sooner or later."""


def play(machine: Any, *, runs: int) -> None:
    """Run this many stories of a machine, always the same; the first failure ends it."""
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=runs,
            stateful_step_count=40,
            derandomize=True,
            database=None,
            deadline=None,
            # To see it fail once is enough.
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )


def _play(rules: Rules, *, runs: int, **others: Any) -> None:
    machine: Any = type("Protocol", (Protocol,), {"rules_that_hold": rules, **others})
    play(machine, runs=runs)


def test_with_all_its_rules_the_protocol_holds() -> None:
    _play(Rules(), runs=200)


@pytest.mark.parametrize("rule_name", [each.name for each in fields(Rules) if each.name in _SHORTEST])
def test_without_any_one_of_its_rules_it_fails(rule_name: str) -> None:
    with pytest.raises(Violation):
        _play(replace(Rules(), **{rule_name: False}), runs=1_000, beginnings=(_SHORTEST[rule_name],))


def test_the_assumptions_of_the_model_hold() -> None:
    """A lease is longer than a request, and quiet time is at least twice a request's time."""
    assert LEASE > TIMEOUT
    assert QUIET >= 2 * TIMEOUT
