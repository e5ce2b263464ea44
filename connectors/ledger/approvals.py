"""Approval: a person's yes to one batch, one revision, one digest. It is void as soon as the content is opened."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from connectors.ledger.claims import Lease
from domain.problems import FaturistaError


class NotApprovable(FaturistaError):
    """The batch is not staged with this revision, digest, count and total (any more): look at it again."""


@dataclass(frozen=True, slots=True)
class Approval:
    id: int
    batch_id: int
    revision: int
    digest: str
    count: int
    total_cents: int
    approver: str
    approved_at: datetime


def approve(
    conn: sa.Connection,
    batch_id: int,
    *,
    revision: int,
    digest: str,
    count: int,
    total_cents: int,
    approver: str,
) -> Approval:
    """Bind the approver's yes to exactly this content, and move staged → approved. Raises `NotApprovable`."""
    raise NotImplementedError


def void(conn: sa.Connection, batch_id: int, *, because: str) -> bool:
    """Withdraw the standing approval, if any. The batch's state is the caller's business."""
    raise NotImplementedError


def standing(conn: sa.Connection, batch_id: int) -> Approval | None:
    """The approval that is not void, if any."""
    raise NotImplementedError


def begin_sending(conn: sa.Connection, lease: Lease) -> Approval | None:
    """approved → sending, in one compare-and-set with fence, revision, digest and approval. None when the batch is
    not approved as it stands. Raises `FenceLost`."""
    raise NotImplementedError


def unsend(conn: sa.Connection, lease: Lease) -> None:
    """sending → approved: looked up, the provider has not been asked to issue. Raises `FenceLost`, `IllegalMove`."""
    raise NotImplementedError
