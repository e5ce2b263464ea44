"""Seals over the event journal: a hash chain that reveals an edit, even one by the owner of the database.

A seal covers the events after the previous seal, up to some id. Its head is the SHA-256 of its number, the previous
head, its instant, and each of its events. Anybody who edits, deletes or inserts a sealed event must compute every later
head again. Then those heads differ from the heads that were noted elsewhere (in backups, in exports, on a screen).

A later transaction seals the events, because sealing in the transaction of the event would make all writers wait for
one another. Why no event is left out:

* PostgreSQL gives ids before transactions commit, so an event may appear below an id that is already sealed.
  Therefore a lock that waits for every writer and stops new ones protects the reading of the upper id; it is released
  before the hashing. If the lock is not granted within two seconds, sealing waits for the next run.
* Two processes that seal at once take turns under a second lock; SQLite's write lock does the same.
* A process that dies while it seals leaves complete seals; the next process continues after the last seal.
* The chain does not reveal an edit of events without a seal. A run seals when it ends, so these are the newest events.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final

import orjson
import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import is_sqlite, lock_until_end, now, to_micros
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
    """The newest seal: number, SHA-256 in hexadecimal (`head`), and the id of the last event that it covers."""

    id: int
    head: str
    last_event: int

    def __str__(self) -> str:
        """Return the form for people: number of the seal, colon, 32 hexadecimal digits."""
        return f"{self.id}:{self.head[:_SHOWN]}"


def seal_journal(ledger: Ledger, *, at_most: int = _EVENTS_AT_MOST) -> Head | None:
    """Seal the unsealed events. Return the newest seal, or None while there is no seal.

    A seal covers at most `at_most` events, which one transaction reads. If another process keeps the journal locked,
    some events stay unsealed until the next call.
    """
    # Every run of a station calls this, so use few transactions.
    unsealed, head = ledger.read(_end)
    if not unsealed:
        return head
    try:
        bound = ledger.write(_settled_bound)
        is_more = True
        while is_more:
            head, is_more = ledger.write(_seal_part, bound, at_most)
    except LedgerUnavailable:
        return ledger.read(head_of)
    return head


def _end(conn: sa.Connection) -> tuple[int, Head | None]:
    return unsealed_events(conn), head_of(conn)


def head_of(conn: sa.Connection) -> Head | None:
    """Return the newest seal, or None."""
    found = conn.execute(sa.select(_t.c.id, _t.c.head, _t.c.last_event).order_by(_t.c.id.desc()).limit(1)).one_or_none()
    return None if found is None else Head(*found)


def unsealed_events(conn: sa.Connection) -> int:
    """Count the events after the newest seal."""
    last = sa.select(sa.func.coalesce(sa.func.max(_t.c.last_event), 0)).scalar_subquery()
    return int(conn.execute(sa.select(sa.func.count()).select_from(_events).where(_events.c.id > last)).scalar_one())


def broken_seals(conn: sa.Connection) -> Iterator[Problem]:
    """Recompute the chain. Yield a problem for each seal that contradicts its events or the previous seal.

    Events of detached months are in files: here their seals are only compared with one another (see `FileChain`).
    """
    head, last_event, number = "", 0, 0
    in_files = detached_until(conn)
    for seal in seals_between(conn):
        chain = _Hash(number + 1, head, seal)
        if seal.last_event > in_files:
            for row in conn.execute(_select_covered(last_event, seal.last_event)):
                chain.add(row)
        if not chain.is_whole(is_counted=seal.last_event > in_files):
            yield _broken_seal(seal, last_event)
        # Continue from the stored head, so that one edit is reported once.
        number, head, last_event = seal.id, seal.head, seal.last_event


class FileChain:
    """Compares the events in the files of detached months, added in their order, with the seals that cover them."""

    def __init__(self, seals: Sequence["Seal"], *, after: int) -> None:
        self._seals, self._after = list(reversed(seals)), after
        self._hash: _Hash | None = None
        self.problems: list[Problem] = []

    def add(self, row: Sequence[Any]) -> None:
        """Add one event, given as its column values."""
        while self._seals and row[0] > self._seals[-1].last_event:
            self._end()
        if not self._seals:
            self.problems.append(Problem("ledger.seal_broken", params={"seal": "-", "from": row[0], "to": row[0]}))
        else:
            self._hash_of_seal().add(row)

    def end(self) -> list[Problem]:
        """Check the seals that are still open, also those without events, and return all problems.

        Call it once, after the last `add`.
        """
        while self._seals:
            self._end()
        return self.problems

    def _hash_of_seal(self) -> "_Hash":
        if self._hash is None:
            seal = self._seals[-1]
            self._hash = _Hash(seal.id, seal.previous, seal)
        return self._hash

    def _end(self) -> None:
        is_whole, seal = self._hash_of_seal().is_whole(), self._seals.pop()
        if not is_whole:
            self.problems.append(_broken_seal(seal, self._after))
        self._hash, self._after = None, seal.last_event


@dataclass(frozen=True, slots=True)
class Seal:
    """One stored seal. `count` events end with the id `last_event`; `previous` is the head of the seal before."""

    id: int
    last_event: int
    count: int
    previous: str
    head: str
    sealed_at: datetime


def seals_between(conn: sa.Connection, after: int = 0, until: int | None = None) -> list[Seal]:
    """Return the seals in their order. Their last event has an id above `after`, and at most `until` if given."""
    query = sa.select(*(_t.c[each.name] for each in fields(Seal))).where(_t.c.last_event > after)
    if until is not None:
        query = query.where(_t.c.last_event <= until)
    return [Seal(*row) for row in conn.execute(query.order_by(_t.c.id))]


def detached_until(conn: sa.Connection) -> int:
    """Return the id of the last event in the files of detached months; 0 for none."""
    last = sa.func.coalesce(sa.func.max(tables.detached_months.c.last_event), 0)
    return int(conn.execute(sa.select(last)).scalar_one())


class _Hash:
    """Computes the head of one seal from its number, the head before it and its events."""

    def __init__(self, number: int, previous: str, seal: Seal) -> None:
        self._seal, self._begun = seal, (number, previous)
        self._digest, self._count = hashlib.sha256(_opening_bytes(number, previous, seal.sealed_at)), 0

    def add(self, row: Sequence[Any]) -> None:
        _hash_line(self._digest, row)
        self._count += 1

    def is_whole(self, *, is_counted: bool = True) -> bool:
        """Return whether the seal agrees with its events and the seal before; without `is_counted`, only the latter."""
        seal = self._seal
        is_same = not is_counted or (seal.head, seal.count) == (self._digest.hexdigest(), self._count)
        return is_same and (seal.id, seal.previous) == self._begun


def _broken_seal(seal: Seal, after: int) -> Problem:
    return Problem("ledger.seal_broken", params={"seal": seal.id, "from": after + 1, "to": seal.last_event})


def differs_from(conn: sa.Connection, written: str) -> bool:
    """Return whether the chain lacks a head that was noted elsewhere.

    `written` is the seal's number, a colon, and at least 16 hexadecimal digits. A text of another form always differs.
    """
    number, _, digest = written.strip().partition(":")
    if not number.isdecimal() or len(digest) < _SHORTEST_HEAD:
        return True
    head = conn.execute(sa.select(_t.c.head).where(_t.c.id == int(number))).scalar_one_or_none()
    return head is None or not head.startswith(digest.lower())


def restored_periods(conn: sa.Connection) -> list[tuple[datetime, datetime]]:
    """Return (copy taken, copy restored) of each restoration.

    Seals made between the two are no longer in this ledger.
    """
    table = tables.restorations
    return [tuple(row) for row in conn.execute(sa.select(table.c.taken_at, table.c.restored_at))]


def _settled_bound(conn: sa.Connection) -> int:
    """Wait until no open transaction can still add an event, and return the highest event id."""
    if not is_sqlite(conn):
        conn.exec_driver_sql(f"SET LOCAL lock_timeout = {_LOCK_WAIT_MS}")
        # Every insert takes a lock that conflicts with this one before it gets an id.
        conn.exec_driver_sql("LOCK TABLE events IN SHARE MODE")
    return int(conn.execute(sa.select(sa.func.coalesce(sa.func.max(_events.c.id), 0))).scalar_one())


def _seal_part(conn: sa.Connection, bound: int, at_most: int) -> tuple[Head | None, bool]:
    """Seal at most `at_most` events with ids up to `bound`. Return the newest seal, and whether more may be left."""
    lock_until_end(conn, _SEALING_LOCK)
    last = head_of(conn)
    number, previous, after = (1, "", 0) if last is None else (last.id + 1, last.head, last.last_event)
    sealed_at = now(conn)
    digest, count, last_event = _digest(conn, _opening_bytes(number, previous, sealed_at), after, bound, at_most)
    if not count:
        return last, False
    line = {"id": number, "last_event": last_event, "count": count, "previous": previous, "head": digest}
    conn.execute(sa.insert(_t).values(**line, sealed_at=sealed_at))
    return Head(number, digest, last_event), count == at_most


def _opening_bytes(number: int, previous: str, sealed_at: datetime) -> bytes:
    return orjson.dumps([number, previous, to_micros(sealed_at)])


def _digest(
    conn: sa.Connection, opening: bytes, after: int, until: int, at_most: int | None = None
) -> tuple[str, int, int]:
    """Hash `opening` and the events with ids above `after` up to `until`. Return digest, event count and last id."""
    digest = hashlib.sha256(opening)
    count, last = 0, after
    for row in conn.execute(_select_covered(after, until).limit(at_most)):
        _hash_line(digest, row)
        count, last = count + 1, row[0]
    return digest.hexdigest(), count, last


def _select_covered(after: int, until: int) -> sa.Select[Any]:
    return sa.select(*_COLUMNS).where(_events.c.id > after, _events.c.id <= until).order_by(_events.c.id)


def _hash_line(digest: "hashlib._Hash", row: Sequence[Any]) -> None:
    digest.update(b"\n")
    digest.update(orjson.dumps(tuple(row)))
