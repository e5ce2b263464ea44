"""The journal of writes to the provider: one line before each request, closed by its outcome.

A line that was never closed is a request of which nothing was heard again: its process died. Posts of notes are
journalled by the group in `posting`; this is for the single ones (create a batch, send it, delete a note, a taker).
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import sqlalchemy as sa

from connectors.ledger.claims import Lease

Outcome = Literal["done", "not_sent", "refused", "doubtful", "disturbed"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """`outcome` None: never heard of again."""

    id: int
    batch_id: int
    invoice_id: int | None
    what: str
    fence: int
    begun_at: datetime
    last_byte_at: datetime | None
    ended_at: datetime | None
    outcome: str | None
    status: int | None
    remote_id: int | None
    detail: str | None


def begin(conn: sa.Connection, lease: Lease, what: str, *, invoice_id: int | None = None) -> int:
    """Journal a write that is about to be sent. Commit before the first byte leaves. Raises `FenceLost`."""
    raise NotImplementedError


def end(
    conn: sa.Connection,
    attempt_id: int,
    outcome: Outcome,
    *,
    status: int | None = None,
    remote_id: int | None = None,
    last_byte_at: datetime | None = None,
    detail: str | None = None,
) -> bool:
    """Close the line, once; False when it was closed before. Needs no fence: it says what happened, not what to do."""
    raise NotImplementedError


def unanswered(conn: sa.Connection, batch_id: int, what: str | None = None) -> list[Attempt]:
    """Attempts of the batch that were never closed or are doubtful, oldest first."""
    raise NotImplementedError


def attempts_of(conn: sa.Connection, *, batch_id: int | None = None, invoice_id: int | None = None) -> list[Attempt]:
    """The journal of a batch or of a note, oldest first."""
    raise NotImplementedError
