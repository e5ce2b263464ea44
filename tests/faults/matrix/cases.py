"""Generate faults: each request kind of the line, with each fault of the wire, with each kill; and more.

Only the kinds of fault are listed by hand: a calm run of each plot shows which requests the line makes.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final, Literal

from tests.faults.evidence import Record
from tests.faults.matrix.worker_faults import ANY, LEDGER_FAILURES, MOMENTS, Kill, LedgerFault, Moment

Line = Literal["services", "products", "monthly"]
"""`monthly`: a services sheet, and beside it contracts that are due and orders that were paid."""
Plot = Literal[
    "calm", "listed", "orphaned", "taken back", "blind", "canary", "updated", "cancelled", "cancelled late", "replaced"
]
"""The circumstances of a run beside its fault.

`listed`: every batch is proved by listing. `orphaned`: the creation of a batch gets no answer, so it is looked up.
`taken back`: a person takes a staged batch back. `blind`: nothing that was posted can be read back. `canary`: the first
invoices go alone. `updated`: the rows update their customers in the register. `cancelled`, `replaced`: at the end a
person wants some invoices cancelled, or replaced. `cancelled late`: the provider's clock is then half an hour ahead.
"""

LATER: Final[Sequence[tuple[Line, Plot]]] = (
    ("services", "canary"),
    ("services", "updated"),
    ("services", "cancelled"),
    ("services", "replaced"),
    ("products", "cancelled"),
    ("products", "cancelled late"),
)
"""What people ask for beside the billing of a sheet, or after it."""

OWN: Final[Mapping[tuple[Line, Plot], Sequence[str]]] = {
    ("services", "canary"): ("batches.send",),
    ("services", "updated"): ("takers.update",),
    ("services", "cancelled"): ("notes.cancel", "notes.read"),
    ("services", "replaced"): ("notes.read", "notes.create"),
    ("products", "cancelled"): ("nfe.cancel", "nfce.cancel", "nfe.read"),
    ("products", "cancelled late"): ("nfce.cancel", "nfe.cancel"),
}
"""The requests that matter most in these plots."""

PLOTS: Final[Mapping[Line, tuple[Plot, ...]]] = {
    "services": ("calm", "listed", "orphaned", "taken back", *(plot for line, plot in LATER if line == "services")),
    "products": ("calm", "blind", *(plot for line, plot in LATER if line == "products")),
    "monthly": ("calm",),
}
LONELY: Final[Sequence[Line]] = ("services", "products")
"""The lines in which another party acts on a single batch."""
TIMEOUT_S: Final = 20.0
"""Longer than any machine takes: only a fault leaves a request without an answer."""
SHORT_TIMEOUT_S: Final = 1.5
"""For plots in which the worker gives requests up, or outlives its lease. A slow machine may lose one more request."""
_LATE_S: Final = 0.15

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
    "given up": {"kind": "hang"},
    "late work": {"kind": "held", "seconds": _LATE_S},
    "gateway's page": {"kind": "gateway", "status": 404},
    "gateway's page, 502": {"kind": "gateway", "status": 502},
    "page after the work": {"kind": "content_type"},
    "truncated": {"kind": "truncated"},
    "truncated head": {"kind": "truncated_head"},
    "malformed": {"kind": "malformed"},
    "reset before": {"kind": "reset_before"},
    "reset after": {"kind": "reset_after"},
    "closed after": {"kind": "close_after"},
}
NOBODY: Final = "nobody"
BEYOND_QUIET: Final = "work beyond quiet time"
_OFTEN: Final[Sequence[Record]] = ({"count": 1}, {"count": 1}, {"count": 3}, {"share": 0.2})
_ORPHANING: Final[Record] = {"operation": "batches.create", "kind": "lose_answer", "count": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One run: the provider's faults, the workers' disturbances, and other parties' acts.

    `kind` and `story` are its row and its name in the table. `disturbances`: the workers' disturbances, one after the
    other. `outside`: an act, or a late arrival, that the line cannot know of; it may be found and reported instead of
    prevented. `arrives_s`: how long a request may still be on its way. `crowd`: how many workers begin at once, each
    with the sheet; where a person wants something of issued invoices, as many persons ask for it at once.
    `dies_after_s`: the provider's machine dies this long after a worker began, for a while.
    """

    kind: str
    story: str
    line: Line = "services"
    plot: Plot = "calm"
    rules: tuple[Record, ...] = ()
    disturbances: tuple[Kill | LedgerFault | None, ...] = (None,)
    switches: Mapping[str, Any] = field(default_factory=dict)
    clock_jumps: tuple[float, ...] = ()
    arrives_s: float = 0.0
    outside: str | None = None
    full_disk: bool = False
    crowd: int = 1
    dies_after_s: float | None = None

    @property
    def lingers_s(self) -> float:
        """Return how long, in all, a request of this run may still be on its way to the provider."""
        return max((rule["seconds"] for rule in self.rules if rule["kind"] == "held"), default=0.0)

    @property
    def wanted(self) -> Literal["cancelled", "replaced"] | None:
        """Return what a person wants of some invoices at the end."""
        if self.plot in ("cancelled", "cancelled late"):
            return "cancelled"
        return "replaced" if self.plot == "replaced" else None

    @property
    def is_slow(self) -> bool:
        """Return whether a worker outlives its lease."""
        return any(isinstance(disturbance, Kill) and disturbance.is_frozen for disturbance in self.disturbances)

    @property
    def timeout_s(self) -> float:
        """Return how long a worker waits for an answer."""
        return SHORT_TIMEOUT_S if self.is_slow or any(rule["kind"] == "hang" for rule in self.rules) else TIMEOUT_S

    def __str__(self) -> str:
        return f"{self.line}, {self.plot}: {self.story}"


def sample(
    calms: Mapping[tuple[Line, Plot], Mapping[str, int]], outside: Mapping[Line, Mapping[str, int]], seed: int
) -> Iterator[Case]:
    """Yield endless cases, of every kind in turn, always different ones; the same seed gives the same cases.

    `calms`: the number of requests of each kind in a calm run of each plot; `outside`: the same with a single batch.
    """
    chance = random.Random(seed)
    faults = [case for (line, plot), calm in calms.items() for case in every_fault(line, plot, calm, chance)]
    services, products = calms["services", "calm"], calms["products", "calm"]
    monthly = [calm for (line, _), calm in calms.items() if line == "monthly"]
    while True:
        chance.shuffle(faults)
        rest = [
            *(case for (line, plot), calm in calms.items() for case in random_kills(line, plot, calm, chance, 8)),
            *(case for (line, plot), calm in calms.items() for case in two_faults(line, plot, calm, chance, 2)),
            *ledger_failures("services", chance, 4),
            *ledger_failures("products", chance, 2),
            *(case for line, plot in LATER for case in ledger_failures(line, chance, 1, plot=plot)),
            *(case for line, plot in LATER for case in later_crowds(line, plot, calms, chance, 2)),
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
            *(case for calm in monthly for case in crowds("monthly", calm, chance, 3)),
            *slow_owners("services", services, chance, 4),
            *slow_owners("products", products, chance, 2),
            *restarts(chance, 3),
        ]
        chance.shuffle(rest)
        # Two of three cases are combinations of requests, faults and kills.
        for place, case in enumerate(rest):
            yield from faults[2 * place : 2 * place + 2]
            yield case
        faults = faults[2 * len(rest) :] or faults


def rules_of(plot: Plot) -> tuple[Record, ...]:
    """Return the provider's permanent rules in a plot."""
    return (_ORPHANING,) if plot == "orphaned" else ()


def every_fault(line: Line, plot: Plot, calm: Mapping[str, int], chance: random.Random) -> Iterator[Case]:
    """Yield each request kind of a calm run × each fault × each moment of a kill, including no kill."""
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
            story=f"{operation} {nth}: {name} ({often}), killed {moment}",
            line=line,
            plot=plot,
            rules=(*rules_of(plot), *rules),
            disturbances=(None if moment is None else Kill(operation, nth, moment),),
            arrives_s=_LATE_S if name == "late work" else 0.0,
        )


def two_faults(line: Line, plot: Plot, calm: Mapping[str, int], chance: random.Random, count: int) -> Iterator[Case]:
    """Yield two request kinds with different faults in one run, with a kill somewhere or none."""
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
        story = " and ".join(
            f"{operation}: {name} ({rule['seed']})" for (operation, name, _), rule in zip(chosen, rules, strict=True)
        )
        yield Case(
            kind="two faults",
            story=f"{story}, {kill}",
            line=line,
            plot=plot,
            rules=(*rules_of(plot), *rules),
            disturbances=(kill,),
            arrives_s=_LATE_S,
        )


def random_kills(line: Line, plot: Plot, calm: Mapping[str, int], chance: random.Random, count: int) -> Iterator[Case]:
    """Yield SIGKILLs at random steps of one to four workers in a row."""
    steps = sum(calm.values())
    for _ in range(count):
        kills = tuple(
            Kill(ANY, chance.randrange(1, steps), chance.choice(MOMENTS)) for _ in range(chance.randrange(1, 5))
        )
        story = ", ".join(f"{kill.moment} request {kill.nth}" for kill in kills)
        yield Case(
            kind="killed at random",
            story=f"killed {story}",
            line=line,
            plot=plot,
            rules=rules_of(plot),
            disturbances=kills,
        )


def ledger_failures(line: Line, chance: random.Random, count: int, *, plot: Plot = "calm") -> Iterator[Case]:
    """Yield the ledger locked, or its connection lost before or after the commit, in one to three workers in a row."""
    for kind, _ in product(LEDGER_FAILURES, range(count)):
        # Later requests of people come after the transactions of the calm line.
        last = 90 if (line, plot) in LATER else 40
        disturbances = tuple(LedgerFault(kind, chance.randrange(1, last)) for _ in range(chance.randrange(1, 4)))
        story = ", ".join(str(each.nth) for each in disturbances)
        story = f"ledger {kind} in transactions {story}"
        yield Case(kind=f"ledger {kind}", story=story, line=line, plot=plot, disturbances=disturbances)
    if plot != "calm":
        return
    yield Case(kind="disk full", story="no file of the ledger may grow any more", line=line, full_disk=True)


def clock_jumps(line: Line, calm: Mapping[str, int], chance: random.Random, count: int) -> Iterator[Case]:
    """Yield jumps of the worker's clock by hours while answers are lost; leases and quiet use the ledger's time."""
    operation = "nfe.create" if line == "products" else "notes.create"
    for _ in range(count):
        ahead = [chance.choice((0.0, 600.0, 3600.0, 36_000.0)) for _ in range(20)]
        jumps = tuple(each for jump in ahead for each in (0.0, jump, 0.0, -jump))
        rule = {"operation": operation, "kind": "lose_answer", "share": 0.3, "seed": chance.randrange(1000)}
        kill = Kill(operation, chance.randrange(1, calm[operation]), "answered")
        yield Case(
            kind="clock jumps",
            story=f"clock jumps, {kill}",
            line=line,
            clock_jumps=jumps,
            rules=(rule,),
            disturbances=(kill,),
        )


def crowds(line: Line, calm: Mapping[str, int], chance: random.Random, count: int) -> Iterator[Case]:
    """Yield several workers that begin with one sheet at once; one of them is killed, and answers are lost."""
    operation = "nfe.create" if line == "products" else "notes.create"
    for _ in range(count):
        size, steps = chance.choice((2, 2, 3)), sum(calm.values())
        rule = {"operation": operation, "kind": "lose_answer", "share": 0.1, "seed": chance.randrange(1000)}
        kill = Kill(ANY, chance.randrange(1, steps), chance.choice(MOMENTS))
        story = f"{size} workers at once, one killed {kill.moment} request {kill.nth}, answers lost {rule['seed']}"
        yield Case(kind="several workers", story=story, line=line, rules=(rule,), disturbances=(kill,), crowd=size)


def later_crowds(
    line: Line, plot: Plot, calms: Mapping[tuple[Line, Plot], Mapping[str, int]], chance: random.Random, count: int
) -> Iterator[Case]:
    """Yield several workers, and persons, at once; one is killed at a plot's own request, whose answers are lost."""
    calm = calms.get((line, plot), {})
    for _ in range(count):
        size, operation = chance.choice((2, 2, 3)), chance.choice(OWN[line, plot])
        rule = {"operation": operation, "kind": "lose_answer", "share": 0.3, "seed": chance.randrange(1000)}
        # Each of the workers sends a share of them.
        kill = Kill(operation, chance.randrange(1, 2 + calm.get(operation, 1) // size), chance.choice(MOMENTS))
        story = f"{size} at once, one killed {kill.moment} {operation} {kill.nth}, answers lost {rule['seed']}"
        yield Case(
            kind="several workers", story=story, line=line, plot=plot, rules=(rule,), disturbances=(kill,), crowd=size
        )


def slow_owners(line: Line, calm: Mapping[str, int], chance: random.Random, count: int) -> Iterator[Case]:
    """Yield a worker frozen past its lease, another one that does its work, and the thaw of the first."""
    operations = [name for name in sorted(calm) if name not in _BEFORE_A_LEASE]
    moments: tuple[Moment, ...] = ("answered", "written")
    for _ in range(count):
        operation = chance.choice(operations)
        kill = Kill(operation, chance.randrange(1, calm[operation] + 1), chance.choice(moments), is_frozen=True)
        story = f"stands still, {kill.moment} {operation} {kill.nth}, until its lease is over"
        yield Case(kind="lease over, owner only slow", story=story, line=line, disturbances=(kill,))


def restarts(chance: random.Random, count: int) -> Iterator[Case]:
    """Yield deaths of the provider's machine at any moment; it returns with everything that it had answered."""
    for _ in range(count):
        after_s = round(chance.uniform(0.05, 1.2), 3)
        yield Case(kind="provider restarted", story=f"the provider dies after {after_s} s", dies_after_s=after_s)


def strange_lists(chance: random.Random, count: int) -> Iterator[Case]:
    """Yield counters that lag and lists whose order shifts between two pages, while answers are lost."""
    for _ in range(count):
        rules = (
            {"operation": "notes.create", "kind": "lose_answer", "share": 0.1, "seed": chance.randrange(1000)},
            {"operation": "batches.read", "kind": "lagging_counters", "seconds": 0.05, "share": 0.5},
            {"operation": "batches.notes", "kind": "drifting_order", "places": chance.randrange(1, 9), "share": 0.5},
        )
        story = f"lagging counters, drifting lists {rules[0]['seed']}"
        yield Case(kind="lagging counters, drifting lists", story=story, rules=rules, plot="listed")


def late_arrivals(line: Line, calm: Mapping[str, int], chance: random.Random, count: int) -> Iterator[Case]:
    """Yield posts that arrive after the quiet time: no line can prevent that, but every line must report it."""
    operation = "nfe.create" if line == "products" else "notes.create"
    for _ in range(count):
        nth = chance.randrange(1, calm[operation] + 1)
        seconds = chance.choice((0.05, 0.1, 0.3))
        rule = {"operation": operation, "kind": "held", "seconds": seconds, "after": nth - 1, "count": 1}
        story = f"post {nth} arrives {seconds} s late"
        yield Case(kind=BEYOND_QUIET, story=story, line=line, rules=(rule,), outside=BEYOND_QUIET)


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
    """Yield acts of a person in the provider's page, each after each kind of request, at `count` seeded places."""
    acts, times = (_ACTS, _TIMES) if line == "services" else (_PRODUCT_ACTS, _PRODUCT_TIMES)
    if plot == "blind":
        # Nothing is read back.
        times = tuple(time for time in times if time.endswith(".create"))
    # A list's answer names nothing: use the only batch, or, where nothing is read, the first invoice.
    named: Mapping[str, Record] = {"batches.notes": {"batch_id": 1}}
    for (name, steps), operation, _ in product(acts.items(), times, range(count)):
        nth = chance.randrange(calm.get(operation, 1))
        meant = {"invoice_id": 1} if (plot, name) == ("blind", "cancels an invoice") else named.get(operation, {})
        rules = tuple(
            {"operation": operation, "kind": "act", "after": nth + place, "count": 1, "act": {**meant, **step}}
            for place, step in enumerate(steps)
        )
        story = f"somebody {name} behind {operation} {nth + 1}"
        kind = f"somebody {name}" + (", nothing can be read back" if plot == "blind" else "")
        yield Case(kind=kind, story=story, line=line, plot=plot, rules=rules, outside=f"somebody {name}")
