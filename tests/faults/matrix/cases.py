"""What can go wrong, generated: each request kind of the line, with each fault of the wire, with each kill; and more.

Nothing is listed by hand but the kinds of trouble: which requests the line makes is read from a calm run of each plot.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final, Literal

from tests.faults.evidence import Record
from tests.faults.matrix.doom import ANY, LETDOWNS, MOMENTS, Kill, Moment, Trouble

Line = Literal["services", "products"]
Plot = Literal["calm", "listed", "orphaned", "taken back", "blind"]
"""What the story is about, beside its fault: nothing else; every batch is proved by listing; the creation of a batch is
not answered, so that it is looked up; a person takes a staged batch back; nothing that was posted can be read back."""

PLOTS: Final[Mapping[Line, tuple[Plot, ...]]] = {
    "services": ("calm", "listed", "orphaned", "taken back"),
    "products": ("calm", "blind"),
}
TIMEOUT_S: Final = 0.4
_LATE_S: Final = TIMEOUT_S + 0.15

FAULTS: Final[Mapping[str, Record | None]] = {
    "no fault": None,
    "answer lost": {"kind": "lose_answer"},
    "answer lost, reset": {"kind": "lose_answer", "how": "reset"},
    "refused": {"kind": "status_422"},
    "500": {"kind": "status_500"},
    "500 after the work": {"kind": "status_500", "when": "after"},
    "429": {"kind": "status_429", "seconds": 0},
    "503": {"kind": "status_503", "seconds": 0},
    "503 after the work": {"kind": "status_503", "seconds": 0, "when": "after"},
    "late answer": {"kind": "late", "seconds": _LATE_S},
    "late work": {"kind": "slow", "seconds": _LATE_S},
    "truncated": {"kind": "truncated"},
    "truncated head": {"kind": "truncated_head"},
    "malformed": {"kind": "malformed"},
    "reset before": {"kind": "reset_before"},
    "reset after": {"kind": "reset_after"},
    "closed after": {"kind": "close_after"},
}
NOBODY: Final = "nobody"
BEYOND_QUIET: Final = "work beyond quiet time"
_LAZY: Final = frozenset({"late answer", "late work"})
_OFTEN: Final[Sequence[Record]] = ({"count": 1}, {"count": 1}, {"count": 3}, {"share": 0.2})
_ORPHANING: Final[Record] = {"operation": "batches.create", "kind": "lose_answer", "count": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One run: what the provider does, what becomes of the workers, and who else is at work.

    `kind` and `told` are its row and its name in the table. `lives`: what befalls the workers, one after the other.
    `outside`: what is done, or arrives, from where the line cannot know of it: then it may be found out and told
    instead of prevented. `arrives_s`: for how long a request may still be on its way. `crowd`: how many workers begin
    at once, each with the sheet. `dies_after_s`: the provider's machine dies so long after a worker began, for a while.
    """

    kind: str
    told: str
    line: Line = "services"
    plot: Plot = "calm"
    rules: tuple[Record, ...] = ()
    lives: tuple[Kill | Trouble | None, ...] = (None,)
    switches: Mapping[str, Any] = field(default_factory=dict)
    clock_jumps: tuple[float, ...] = ()
    arrives_s: float = 0.0
    outside: str | None = None
    full_disk: bool = False
    crowd: int = 1
    dies_after_s: float | None = None

    @property
    def lingers_s(self) -> float:
        """For how long a request of this run may still be on its way to the provider, in all."""
        return max((rule["seconds"] for rule in self.rules if rule["kind"] == "slow"), default=0.0)

    @property
    def is_slow(self) -> bool:
        """Whether a worker outlives its lease."""
        return any(isinstance(fate, Kill) and fate.is_frozen for fate in self.lives)

    def __str__(self) -> str:
        return f"{self.line}, {self.plot}: {self.told}"


def sample(
    calms: Mapping[tuple[Line, Plot], Mapping[str, int]], outside: Mapping[Line, Mapping[str, int]], seed: int
) -> Iterator[Case]:
    """Cases without end, of every kind in turn and again and again, each time others; the same seed gives the same.

    `calms`: how many requests of each kind a calm run of each plot makes; `outside`: one with a single batch.
    """
    chance = random.Random(seed)
    faults = [case for (line, plot), calm in calms.items() for case in every_fault(line, plot, calm, chance)]
    services, products = calms["services", "calm"], calms["products", "calm"]
    while True:
        chance.shuffle(faults)
        rest = [
            *(case for (line, plot), calm in calms.items() for case in random_kills(line, plot, calm, chance, 8)),
            *(case for (line, plot), calm in calms.items() for case in two_faults(line, plot, calm, chance, 2)),
            *ledger_troubles("services", chance, 4),
            *ledger_troubles("products", chance, 2),
            *clock_jumps("services", services, chance, 6),
            *clock_jumps("products", products, chance, 3),
            *strange_lists(chance, 6),
            *late_arrivals("services", outside["services"], chance, 8),
            *late_arrivals("products", outside["products"], chance, 4),
            *outside_acts("services", outside["services"], chance, 1),
            *outside_acts("products", outside["products"], chance, 1),
            *outside_acts("products", outside["products"], chance, 1, plot="blind"),
            *crowds("services", services, chance, 6),
            *crowds("products", products, chance, 3),
            *slow_owners("services", services, chance, 4),
            *slow_owners("products", products, chance, 2),
            *restarts(chance, 3),
        ]
        chance.shuffle(rest)
        # two of three are of the product of requests, faults and kills
        for place, case in enumerate(rest):
            yield from faults[2 * place : 2 * place + 2]
            yield case
        faults = faults[2 * len(rest) :] or faults


def rules_of(plot: Plot) -> tuple[Record, ...]:
    """What the provider does in a plot, whatever else happens."""
    return (_ORPHANING,) if plot == "orphaned" else ()


def every_fault(line: Line, plot: Plot, calm: Mapping[str, int], chance: random.Random) -> Iterator[Case]:
    """Each request kind of a calm run × each fault × each moment to be killed at, the last of them never."""
    moments: tuple[Moment | None, ...] = (*MOMENTS, None)
    for operation, (name, fault), moment in product(sorted(calm), FAULTS.items(), moments):
        nth = chance.randrange(1, calm[operation] + 1)
        if fault is None and moment is None:
            continue
        often = chance.choice(_OFTEN)
        later = {"after": nth - 1} if "count" in often else {"seed": chance.randrange(1000)}
        rules = () if fault is None else ({"operation": operation, **fault, **often, **later},)
        yield Case(
            kind=f"{name}, {'not killed' if moment is None else 'killed'}",
            told=f"{operation} {nth}: {name} ({often}), killed {moment}",
            line=line,
            plot=plot,
            rules=(*rules_of(plot), *rules),
            lives=(None if moment is None else Kill(operation, nth, moment),),
            arrives_s=_LATE_S if name in _LAZY else 0.0,
        )


def two_faults(line: Line, plot: Plot, calm: Mapping[str, int], chance: random.Random, count: int) -> Iterator[Case]:
    """Two request kinds in trouble in one run, each with a fault of its own, and a kill somewhere or none."""
    faults = [(name, fault) for name, fault in FAULTS.items() if fault is not None]
    for _ in range(count):
        operations = chance.sample(sorted(calm), min(2, len(calm)))
        chosen = [(operation, *chance.choice(faults)) for operation in operations]
        rules = tuple(
            {"operation": operation, **fault, **chance.choice(_OFTEN), "seed": chance.randrange(1000)}
            for operation, _, fault in chosen
        )
        moment = chance.choice((*MOMENTS, None))
        kill = None if moment is None else Kill(ANY, chance.randrange(1, sum(calm.values())), moment)
        told = " and ".join(
            f"{operation}: {name} ({rule['seed']})" for (operation, name, _), rule in zip(chosen, rules, strict=True)
        )
        yield Case(
            kind="two faults",
            told=f"{told}, {kill}",
            line=line,
            plot=plot,
            rules=(*rules_of(plot), *rules),
            lives=(kill,),
            arrives_s=_LATE_S,
        )


def random_kills(line: Line, plot: Plot, calm: Mapping[str, int], chance: random.Random, count: int) -> Iterator[Case]:
    """SIGKILL at random steps of one to four lives in a row."""
    steps = sum(calm.values())
    for _ in range(count):
        kills = tuple(
            Kill(ANY, chance.randrange(1, steps), chance.choice(MOMENTS)) for _ in range(chance.randrange(1, 5))
        )
        told = ", ".join(f"{kill.moment} request {kill.nth}" for kill in kills)
        yield Case(
            kind="killed at random", told=f"killed {told}", line=line, plot=plot, rules=rules_of(plot), lives=kills
        )


def ledger_troubles(line: Line, chance: random.Random, count: int) -> Iterator[Case]:
    """The ledger locked, or its connection lost before or after the commit, in one to three lives in a row."""
    for kind, _ in product(LETDOWNS, range(count)):
        lives = tuple(Trouble(kind, chance.randrange(1, 40)) for _ in range(chance.randrange(1, 4)))
        told = ", ".join(str(each.nth) for each in lives)
        yield Case(kind=f"ledger {kind}", told=f"ledger {kind} in transactions {told}", line=line, lives=lives)
    yield Case(kind="disk full", told="no file of the ledger may grow any more", line=line, full_disk=True)


def clock_jumps(line: Line, calm: Mapping[str, int], chance: random.Random, count: int) -> Iterator[Case]:
    """The worker's clock jumps hours ahead and back while answers are lost; leases and quiet are the ledger's time."""
    operation = "notes.create" if line == "services" else "nfe.create"
    for _ in range(count):
        ahead = [chance.choice((0.0, 600.0, 3600.0, 36_000.0)) for _ in range(20)]
        jumps = tuple(each for jump in ahead for each in (0.0, jump, 0.0, -jump))
        rule = {"operation": operation, "kind": "lose_answer", "share": 0.3, "seed": chance.randrange(1000)}
        kill = Kill(operation, chance.randrange(1, calm[operation]), "answered")
        yield Case(
            kind="clock jumps", told=f"clock jumps, {kill}", line=line, clock_jumps=jumps, rules=(rule,), lives=(kill,)
        )


def crowds(line: Line, calm: Mapping[str, int], chance: random.Random, count: int) -> Iterator[Case]:
    """Several workers begin with one sheet at once, one of them is killed somewhere, and answers are lost."""
    operation = "notes.create" if line == "services" else "nfe.create"
    for _ in range(count):
        size, steps = chance.choice((2, 2, 3)), sum(calm.values())
        rule = {"operation": operation, "kind": "lose_answer", "share": 0.1, "seed": chance.randrange(1000)}
        kill = Kill(ANY, chance.randrange(1, steps), chance.choice(MOMENTS))
        told = f"{size} workers at once, one killed {kill.moment} request {kill.nth}, answers lost {rule['seed']}"
        yield Case(kind="several workers", told=told, line=line, rules=(rule,), lives=(kill,), crowd=size)


def slow_owners(line: Line, calm: Mapping[str, int], chance: random.Random, count: int) -> Iterator[Case]:
    """A worker stands still until its lease is over, another does its work, and then it goes on as if nothing were."""
    operations = [name for name in sorted(calm) if name not in _BEFORE_A_LEASE]
    moments: tuple[Moment, ...] = ("answered", "written")
    for _ in range(count):
        operation = chance.choice(operations)
        kill = Kill(operation, chance.randrange(1, calm[operation] + 1), chance.choice(moments), is_frozen=True)
        told = f"stands still, {kill.moment} {operation} {kill.nth}, until its lease is over"
        yield Case(kind="lease over, owner only slow", told=told, line=line, lives=(kill,))


def restarts(chance: random.Random, count: int) -> Iterator[Case]:
    """The provider's machine dies at any moment and comes back with what it had answered."""
    for _ in range(count):
        after_s = round(chance.uniform(0.05, 1.2), 3)
        yield Case(kind="provider restarted", told=f"the provider dies after {after_s} s", dies_after_s=after_s)


def strange_lists(chance: random.Random, count: int) -> Iterator[Case]:
    """Counters that lag and lists that drift, while answers are lost."""
    for _ in range(count):
        rules = (
            {"operation": "notes.create", "kind": "lose_answer", "share": 0.1, "seed": chance.randrange(1000)},
            {"operation": "batches.read", "kind": "lagging_counters", "seconds": 0.05, "share": 0.5},
            {"operation": "batches.notes", "kind": "drifting_order", "places": chance.randrange(1, 9), "share": 0.5},
        )
        told = f"lagging counters, drifting lists {rules[0]['seed']}"
        yield Case(kind="lagging counters, drifting lists", told=told, rules=rules, plot="listed")


def late_arrivals(line: Line, calm: Mapping[str, int], chance: random.Random, count: int) -> Iterator[Case]:
    """A post that arrives when quiet time is over: no line can prevent it, none may keep silent about it."""
    operation = "notes.create" if line == "services" else "nfe.create"
    for _ in range(count):
        nth = chance.randrange(1, calm[operation] + 1)
        seconds = TIMEOUT_S + chance.choice((0.05, 0.1, 0.3))
        rule = {"operation": operation, "kind": "slow", "seconds": seconds, "after": nth - 1, "count": 1}
        told = f"post {nth} arrives {seconds} s late"
        yield Case(kind=BEYOND_QUIET, told=told, line=line, rules=(rule,), outside=BEYOND_QUIET)


_ACTS: Final[Mapping[str, tuple[Record, ...]]] = {
    "adds": ({"do": "add", "serie": "X", "number": 1},),
    "adds under our number": ({"do": "add", "number": 1},),
    "deletes": ({"do": "delete"},),
    "edits": ({"do": "edit", "service_values": {"service_amount": "1.00"}},),
    "swaps": ({"do": "delete"}, {"do": "add", "serie": "X", "number": 1}),
    "sends": ({"do": "send"},),
    "cancels the batch": ({"do": "cancel_batch"},),
    "cancels a note": ({"do": "cancel"},),
}
_PRODUCT_ACTS: Final[Mapping[str, tuple[Record, ...]]] = {
    "cancels an invoice": ({"do": "cancel_product"},),
    "adds an invoice": ({"do": "add_product"},),
}
_BEFORE_A_LEASE: Final = frozenset({"account.read", "emitters.list", "organizations.list"})
_TIMES: Final[Sequence[str]] = ("notes.create", "batches.read", "batches.send", "batches.notes")
_PRODUCT_TIMES: Final[Sequence[str]] = ("nfe.create", "nfce.create", "nfe.read", "nfce.read")


def outside_acts(
    line: Line, calm: Mapping[str, int], chance: random.Random, count: int, *, plot: Plot = "calm"
) -> Iterator[Case]:
    """A person in the provider's page, each act behind each kind of request, at `count` seeded places."""
    acts, times = (_ACTS, _TIMES) if line == "services" else (_PRODUCT_ACTS, _PRODUCT_TIMES)
    if plot == "blind":
        # nothing is read back
        times = tuple(time for time in times if time.endswith(".create"))
    # a list's answer names nothing: then the one batch is meant, and where nothing is read the first invoice
    named: Mapping[str, Record] = {"batches.notes": {"batch_id": 1}}
    for (name, steps), operation, _ in product(acts.items(), times, range(count)):
        nth = chance.randrange(calm.get(operation, 1))
        meant = {"invoice_id": 1} if (plot, name) == ("blind", "cancels an invoice") else named.get(operation, {})
        rules = tuple(
            {"operation": operation, "kind": "act", "after": nth + place, "count": 1, "act": {**meant, **step}}
            for place, step in enumerate(steps)
        )
        told = f"somebody {name} behind {operation} {nth + 1}"
        kind = f"somebody {name}" + (", nothing can be read back" if plot == "blind" else "")
        yield Case(kind=kind, told=told, line=line, plot=plot, rules=rules, outside=f"somebody {name}")
