"""Intents and outcomes of posting notes, by the group and under the fence; doubts, and how they end.

`begin_posting` commits before the first byte may leave; `end_posting` writes what was answered. Both are one short
transaction for a whole group. A note whose answer never came is `in_doubt`: it is settled by looking, and posted again
only after its absence is proved twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa

from connectors.ledger.claims import Lease
from domain.problems import Problem
from domain.states import InvoiceState

Outcome = Literal["created", "not_sent", "refused", "doubtful", "disturbed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PostOutcome:
    """What one POST came to. `created` needs `remote_id` and `answer_digest`; `observed` is the state answered with a
    `disturbed` one that has an id; `detail` names the error for the journal (no personal data)."""

    attempt_id: int
    invoice_id: int
    outcome: Outcome
    observed: InvoiceState | None = None
    status: int | None = None
    remote_id: int | None = None
    answer_digest: str | None = None
    last_byte_at: datetime | None = None
    detail: str | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Begun:
    """The renewed lease, and the attempt of each note that may now be posted. A note that is missing was not
    `reserved` any more: it must not be posted."""

    lease: Lease
    attempts: dict[int, int]


@dataclass(frozen=True, slots=True)
class Ended:
    """Ids by what became of them. `clashing`: answered with an id that another invoice holds (they are in doubt);
    stop posting and disturb the batch."""

    created: list[int]
    reserved: list[int]
    refused: list[int]
    in_doubt: list[int]
    observed: list[int]
    clashing: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundNote:
    """A note of ours, seen in a stable listing or read by its id, content compared and equal."""

    invoice_id: int
    remote_id: int
    state: InvoiceState
    answer_digest: str | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """`reserved`: absence proved, may be posted again. `unresolved`: doubted twice, a person decides. `waiting`: seen
    absent once, or too early."""

    reserved: list[int]
    unresolved: list[int]
    waiting: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteView:
    """One note as reconcile reads it."""

    invoice_id: int
    state: InvoiceState
    nfse_number: str | None = None
    nfse_key: str | None = None
    errors: Sequence[Mapping[str, Any]] = field(default=())


def begin_posting(conn: sa.Connection, lease: Lease, ids: Sequence[int], *, seconds: float) -> Begun:
    """Renew the lease, mark the group `posting`, write one attempt each. Raises `FenceLost`, also when the batch is
    not `open`. Commit before the first byte leaves."""
    raise NotImplementedError


def end_posting(conn: sa.Connection, lease: Lease, outcomes: Sequence[PostOutcome]) -> Ended:
    """Write the outcomes of a group. Raises `FenceLost` and writes nothing when the batch is no longer ours.

    created → `created`; not_sent → `reserved`; refused → `refused`, number retired, problems kept on the invoice (but
    after an earlier doubt a refusal is itself a doubt); doubtful → `in_doubt`; disturbed → the answered state when the
    note has an id, else `in_doubt`.
    """
    raise NotImplementedError


def adopt_notes(conn: sa.Connection, lease: Lease, found: Sequence[FoundNote]) -> list[int]:
    """Notes in doubt that were found: they take the id and the state that was seen. Returns the ids that moved."""
    raise NotImplementedError


def settle_absent(
    conn: sa.Connection,
    lease: Lease,
    ids: Sequence[int],
    *,
    listed_at: datetime,
    quiet_s: float,
    request_timeout_s: float,
) -> Settled:
    """Notes in doubt that a stable listing, begun at `listed_at`, lacked.

    The first such listing is remembered. A later one, begun at least `quiet_s` after the note's last byte (and
    `request_timeout_s` + `quiet_s` after the end of a lease that was taken over), proves absence. A note that ever had
    an id is never absent.
    """
    raise NotImplementedError


def observe_notes(conn: sa.Connection, batch_id: int, views: Sequence[NoteView]) -> list[int]:
    """What a listing shows of a batch's notes: states forward, NFSe numbers, errors. Returns the ids that moved;
    moves that we did not command open an incident."""
    raise NotImplementedError
