"""Journal the changes of a provider's records that people ask for: an entry is stored before the first byte leaves.

An entry is open while its request is under way or in doubt. Equal changes (with one digest) have at most one open
entry, so that a change is never sent twice at a time or repeated after a lost answer. To open an entry, a worker must
know every done entry of the same change: otherwise two workers that read a record at the same time would both write it,
one after the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final, Literal

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.conflicts import insert_unless_known
from connectors.ledger.database.sql import clock, now

_t = tables.remote_changes

_IS_DONE: Final = sa.text("outcome = 'done'")
"""The condition of a partial index as SQL text: with a bound value, the database would not use the index."""

Outcome = Literal["done", "refused", "not_sent", "absent"]
"""`absent`: the answer was lost, and a look did not find the change at the provider."""


@dataclass(frozen=True, slots=True)
class RemoteChange:
    """One journal entry. `ended_at` None: the request is under way or in doubt.

    `subject` is the id of the changed record, and `digest` identifies the whole request. `answered` explains the
    outcome: the ids of the record, an HTTP status, or the name of an error.
    """

    id: int
    system: str
    kind: str
    verb: str
    subject: str
    fields: list[str]
    digest: str
    asked_by: str
    because: str
    begun_at: datetime
    ended_at: datetime | None
    outcome: Outcome | None
    answered: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedChange:
    """A change to be sent, who asked for it, and why. The fields are those of `RemoteChange`."""

    system: str
    kind: str
    verb: str
    subject: str
    fields: Sequence[str]
    digest: str
    asked_by: str
    because: str


class DoneMeanwhile(Exception):
    """An entry that the caller does not know did the same change. `line` is its id."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def begin(conn: sa.Connection, asked: RequestedChange, *, known: int = 0) -> int | None:
    """Open an entry and return its id; None if the same change has an open one. Commit before the first byte leaves.

    Args:
        conn: A write transaction, which an exception rolls back.
        asked: The change.
        known: Id of the newest done entry of the same change, after which the caller looked at the record; 0 for none.

    Raises:
        DoneMeanwhile: A newer entry of the same change is done: look at the record again.
    """
    line = {name: getattr(asked, name) for name in RequestedChange.__slots__} | {"fields": list(asked.fields)}
    made = conn.execute(insert_unless_known(conn, _t).values(**line, begun_at=now(conn)).returning(_t.c.id))
    change_id = made.scalar_one_or_none()
    if change_id is not None:
        # Our open entry stops other workers: nobody can finish the same change between this query and our commit.
        done = conn.execute(sa.select(sa.func.max(_t.c.id)).where(_t.c.digest == asked.digest, _IS_DONE)).scalar_one()
        if done is not None and done > known:
            raise DoneMeanwhile(done)
    return change_id


def end(conn: sa.Connection, change_id: int, outcome: Outcome, answered: str | None = None) -> bool:
    """Close an open entry with its outcome. Return False if it is closed already."""
    change = sa.update(_t).where(_t.c.id == change_id, _t.c.ended_at.is_(None))
    return conn.execute(change.values(ended_at=clock(conn), outcome=outcome, answered=answered)).rowcount == 1


def open_change(conn: sa.Connection, digest: str) -> tuple[RemoteChange, float] | None:
    """Return the open entry with this digest and its age in seconds (database's clock), or None."""
    row = conn.execute(sa.select(_t).where(_t.c.digest == digest, _t.c.ended_at.is_(None))).first()
    return None if row is None else (_record(row), (now(conn) - row.begun_at).total_seconds())


def may_another_arrive(
    conn: sa.Connection, *, system: str, kind: str, subject: str, digest: str, within_s: float
) -> bool:
    """Return whether another change of the record, begun within `within_s` seconds, is still open."""
    is_other = sa.and_(_t.c.system == system, _t.c.kind == kind, _t.c.subject == subject)
    query = sa.select(_t.c.id).where(is_other, _t.c.digest != digest, _t.c.ended_at.is_(None))
    return conn.execute(query.where(_t.c.begun_at > clock(conn, plus_s=-within_s)).limit(1)).first() is not None


def newest(conn: sa.Connection, count: int) -> list[RemoteChange]:
    """Return the `count` newest entries, newest first."""
    return [_record(row) for row in conn.execute(sa.select(_t).order_by(_t.c.id.desc()).limit(count))]


_FIELDS: Final = tuple(each.name for each in fields(RemoteChange))


def _record(row: Any) -> RemoteChange:
    return RemoteChange(**{name: getattr(row, name) for name in _FIELDS})
