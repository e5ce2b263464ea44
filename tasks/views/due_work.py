"""Find the batches that are due at a station now, and the readings whose import stopped before its end."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from connectors.ledger import batch_observations, leases
from connectors.ledger import batches as ledger_batches
from connectors.ledger import cancellations as ledger_cancellations
from connectors.ledger import replacements as ledger_replacements
from connectors.ledger import rows as ledger_rows
from connectors.ledger.backup.restorations import quarantine_of
from connectors.ledger.batches import BatchRecord
from connectors.ledger.observations import doubts
from connectors.ledger.rate_limits import silent_systems
from domain.keys import canonical_json, content_digest
from domain.states import FILLING, BatchState
from tasks.runtime import Context

Station = Literal["stage", "release", "reconcile", "discard", "recount", "cancel", "replace"]

SharedStation = Literal["stage", "release", "reconcile"]
"""The stations whose batches one run shares with other workers."""

STATES: Final[Mapping[Station, frozenset[BatchState]]] = {
    "stage": FILLING,
    "release": frozenset({BatchState.APPROVED, BatchState.HELD, BatchState.SENDING}),
    "reconcile": frozenset({BatchState.SCHEDULED, BatchState.PROCESSING}),
    "discard": frozenset({BatchState.DISCARDING}),
}

_WRITING: Final = frozenset({"stage", "release", "discard", "cancel"})


@dataclass(frozen=True, slots=True)
class Shard:
    """Batches for one run. `key` stays the same until a worker claims or postpones one of them."""

    batches: list[int]
    key: str


def shards_of(context: Context, station: SharedStation, batches: Sequence[int]) -> list[Shard]:
    """Divide these batches (ids) of a station, in their order, into shards of at most `workers.batches_per_run`."""
    size = context.settings.workers.batches_per_run
    known = {
        batch.id: (batch.id, batch.fence, batch.due_at.isoformat())
        for batch in context.ledger.read(ledger_batches.batches_where, states=STATES[station])
    }
    groups = [list(batches[first : first + size]) for first in range(0, len(batches), size)]
    digests = (content_digest(canonical_json([known.get(each) for each in group])) for group in groups)
    return [Shard(group, f"{station}:{digest}") for group, digest in zip(groups, digests, strict=True)]


def due_batches(context: Context, station: Station, *, among: Collection[int] | None = None) -> list[int]:
    """Return a station's due batches that have no live lease and whose system is not paused.

    `among`: only these batches; the stations `recount`, `cancel` and `replace` ignore it. Writing stations have none
    while a restored ledger waits for its comparison.
    """
    if station in _WRITING and waiting_restorations(context):
        return []
    resting_now = paused_systems(context)
    silent = [issuer for issuer, system in context.registry.system_of.items() if system in resting_now]
    if station == "recount":
        return context.ledger.read(
            batch_observations.to_recount, days=context.settings.protocol.recount_days, silent=silent
        )
    if station == "cancel":
        return context.ledger.read(ledger_cancellations.due_batches, silent=silent)
    if station == "replace":
        return context.ledger.read(ledger_replacements.due_batches, silent=silent)
    return context.ledger.read(leases.due_batches, STATES[station], silent=silent, among=among)


def paused_systems(context: Context) -> frozenset[str]:
    """Return the systems that get no requests for a while: after repeated failures, or at the provider's request."""
    return context.ledger.read(silent_systems)


def waiting_restorations(context: Context) -> list[int]:
    """Return the id of this ledger's restoration, if the comparison with the provider is still to be made."""
    waiting = context.ledger.read(quarantine_of)
    return [] if waiting is None else [waiting.id]


def stalled_readings(context: Context) -> list[int]:
    """Return readings whose import stopped: no process works on them, and their batches are not planned yet.

    The end of a process on this machine is known at once. A process on another machine counts as dead if it sent no
    heartbeat for the duration of a lease.
    """
    return context.ledger.read(ledger_rows.stalled_readings, idle_s=context.settings.protocol.lease_s)


def unstaged_batches(context: Context, reading_id: int) -> list[int]:
    """Return a reading's batches that are not staged yet, due or not."""
    found = context.ledger.read(ledger_batches.batches_where, states=STATES["stage"], reading_id=reading_id)
    return [batch.id for batch in found]


def readings_of_batches(context: Context, batches: Collection[int]) -> list[int]:
    """Return the ids of the readings that these batches (ids) belong to, each once, oldest first."""
    return sorted({context.ledger.read(ledger_batches.batch_of, batch).reading_id for batch in batches})


def unfinished_batches(context: Context) -> list[BatchRecord]:
    """Return the batches that can continue now without a person, oldest first."""
    waiting = undecided_batches(context) | suspended_batches(context).keys()
    found = context.ledger.read(ledger_batches.batches_where, states=_unfinished_states(context))
    return [batch for batch in found if batch.id not in waiting]


def undecided_batches(context: Context) -> set[int]:
    """Return the sent batches whose open invoices only a person can decide."""
    unread = [issuer for issuer in context.registry.system_of if not context.capabilities(issuer).can_read]
    return context.ledger.read(doubts.undecided_batches, unread=unread)


def suspended_batches(context: Context) -> Mapping[int, int]:
    """Return the batches that wait until a person decides about another one, each with that one's id."""
    return context.ledger.read(doubts.suspended_batches)


def _unfinished_states(context: Context) -> set[BatchState]:
    states = {state for states in STATES.values() for state in states}
    if context.settings.approval.automatic:
        states.add(BatchState.STAGED)
    if waiting_restorations(context):
        states &= STATES["reconcile"]
    return states


def has_due(context: Context) -> bool:
    """Return whether any station, or automatic approval, has something to do now."""
    if context.settings.approval.automatic and context.ledger.read(
        ledger_batches.batches_where, states={BatchState.STAGED}
    ):
        return True
    return bool(stalled_readings(context)) or any(
        due_batches(context, station) for station in (*STATES, "cancel", "replace")
    )
