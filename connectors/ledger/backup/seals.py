"""Seals over the event journal: a hash chain that reveals an edit, even one by the owner of the database.

A seal covers the events after the previous seal, up to some id. Its head is the SHA-256 of the previous head and of
each of its events. Anybody who edits, deletes or inserts a sealed event must compute every later seal anew. Then those
heads differ from the heads written down elsewhere (in backups, exports, on a screen).

Events are sealed later, because sealing while writing would make all writers wait for one another. Why no event is left
out:

* PostgreSQL gives ids before transactions commit, so an event may appear below an id that is already sealed.
  Therefore a lock that waits for every writer and stops new ones protects the reading of the upper id; it is released
  before the hashing. If the lock does not come within two seconds, sealing waits for the next time.
* Two processes that seal at once take turns under a second lock; SQLite's write lock does the same.
* A process that dies while it seals leaves complete seals; the next one continues after the last.
* The chain does not reveal an edit of events without a seal. A run seals when it ends, so these are the newest events.
"""

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import orjson
import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import is_sqlite, now, to_micros
from connectors.ledger.engine import Ledger, LedgerUnavailable
from domain.problems import Problem

_t = tables.seals
_events = tables.events

_EVENTS_AT_MOST: Final = 10_000
_LOCK_WAIT_MS: Final = 2_000
_SEALING_LOCK: Final = 0xFA7052
_SHOWN: Final = 32
_SHORTEST_HEAD: Final = 16
_COLUMNS: Final = tuple(
    sa.type_coerce(column, sa.BigInteger).label(column.name) if column.name == "at" else column
    for column in _events.columns
)


@dataclass(frozen=True, slots=True)
class Head:
    """The newest seal: the chain up to `last_event` has this SHA-256, in hexadecimal."""

    id: int
    head: str
    last_event: int

    def __str__(self) -> str:
        """Return the form for people: number of the seal, colon, 32 hexadecimal digits."""
        return f"{self.id}:{self.head[:_SHOWN]}"


def seal_journal(ledger: Ledger, *, at_most: int = _EVENTS_AT_MOST) -> Head | None:
    """Seal the unsealed events and return the newest seal; None for a journal without events.

    A seal covers at most `at_most` events, which one transaction reads. If another process keeps the journal locked,
    the rest waits for the next time.
    """
    with suppress(LedgerUnavailable):
        if not ledger.read(unsealed_events):
            return ledger.read(head_of)
        bound = ledger.write(_settled_bound)
        while ledger.write(_seal_part, bound, at_most):
            pass
    return ledger.read(head_of)


def head_of(conn: sa.Connection) -> Head | None:
    """Return the newest seal."""
    found = conn.execute(sa.select(_t.c.id, _t.c.head, _t.c.last_event).order_by(_t.c.id.desc()).limit(1)).one_or_none()
    return None if found is None else Head(*found)


def unsealed_events(conn: sa.Connection) -> int:
    """Count the events after the newest seal."""
    last = sa.select(sa.func.coalesce(sa.func.max(_t.c.last_event), 0)).scalar_subquery()
    return int(conn.execute(sa.select(sa.func.count()).select_from(_events).where(_events.c.id > last)).scalar_one())


def broken_seals(conn: sa.Connection) -> Iterator[Problem]:
    """Compute the chain anew, and yield the seals that contradict the events or the previous seal."""
    head, last_event, number = "", 0, 0
    columns = (_t.c.id, _t.c.last_event, _t.c["count"], _t.c.previous, _t.c.head, _t.c.sealed_at)
    for seal_id, until, events, previous, written, sealed_at in conn.execute(
        sa.select(*columns).order_by(_t.c.id)
    ).all():
        digest, count, _ = _digest(conn, _opening(number + 1, head, sealed_at), last_event, until)
        if (seal_id, previous, written, events) != (number + 1, head, digest, count):
            yield Problem("ledger.seal_broken", params={"seal": seal_id, "from": last_event + 1, "to": until})
        # Continue from the stored head, so that one edit is reported once.
        number, head, last_event = seal_id, written, until


def differs_from(conn: sa.Connection, written: str) -> bool:
    """Return whether the chain lacks this head, as `str(Head)` wrote it or longer. A shorter text always differs."""
    number, _, digest = written.strip().partition(":")
    if not number.isdecimal() or len(digest) < _SHORTEST_HEAD:
        return True
    head = conn.execute(sa.select(_t.c.head).where(_t.c.id == int(number))).scalar_one_or_none()
    return head is None or not head.startswith(digest.lower())


def lost_times(conn: sa.Connection) -> list[tuple[datetime, datetime]]:
    """Return the periods lost between a copy and its restoration. The heads of these periods are gone."""
    table = tables.restorations
    return [tuple(row) for row in conn.execute(sa.select(table.c.taken_at, table.c.restored_at))]


def _settled_bound(conn: sa.Connection) -> int:
    """Return the highest event id, once no transaction can add an event below it."""
    if not is_sqlite(conn):
        conn.exec_driver_sql(f"SET LOCAL lock_timeout = {_LOCK_WAIT_MS}")
        # Every insert takes a lock that conflicts with this one before it gets an id.
        conn.exec_driver_sql("LOCK TABLE events IN SHARE MODE")
    return int(conn.execute(sa.select(sa.func.coalesce(sa.func.max(_events.c.id), 0))).scalar_one())


def _seal_part(conn: sa.Connection, bound: int, at_most: int) -> bool:
    """Seal up to `at_most` events up to the id `bound`; return whether more may be left."""
    if not is_sqlite(conn):
        conn.execute(sa.select(sa.func.pg_advisory_xact_lock(_SEALING_LOCK)))
    last = head_of(conn)
    number, previous, after = (1, "", 0) if last is None else (last.id + 1, last.head, last.last_event)
    sealed_at = now(conn)
    digest, count, last_event = _digest(conn, _opening(number, previous, sealed_at), after, bound, at_most)
    if count:
        line = {"id": number, "last_event": last_event, "count": count, "previous": previous, "head": digest}
        conn.execute(sa.insert(_t).values(**line, sealed_at=sealed_at))
    return count == at_most


def _opening(number: int, previous: str, sealed_at: datetime) -> bytes:
    return orjson.dumps([number, previous, to_micros(sealed_at)])


def _digest(
    conn: sa.Connection, opening: bytes, after: int, until: int, at_most: int | None = None
) -> tuple[str, int, int]:
    """Hash the events between two ids. Return the digest, the number of events, and the last id."""
    digest = hashlib.sha256(opening)
    is_covered = sa.and_(_events.c.id > after, _events.c.id <= until)
    query = sa.select(*_COLUMNS).where(is_covered).order_by(_events.c.id).limit(at_most)
    count, last = 0, after
    for row in conn.execute(query):
        digest.update(b"\n")
        digest.update(orjson.dumps(tuple(row)))
        count, last = count + 1, row[0]
    return digest.hexdigest(), count, last
