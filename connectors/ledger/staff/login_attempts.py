"""Count each attempt to prove an identity before its secret is checked, so that parallel attempts gain nothing."""

from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import clock, now
from connectors.ledger.staff.records import StaffRecord, journal, staff_of, write_secret
from domain.problems import FaturistaError, Problem

_t = tables.staff
_secrets = tables.staff_secrets

_LONGEST_LOCK_S: Final = 86_400.0
_DOUBLINGS: Final = 20
_NOBODY: Final = -1


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt that may succeed: the person, the enrolment's revision, and the hash that verifies the secret."""

    staff_id: int
    revision: int
    verifier: str


def begin(conn: sa.Connection, email: str, *, by: str, tries: int, lock_s: float) -> Attempt | None:
    """Count an attempt under this address. Return None if no secret can succeed.

    That is so for an unknown address, a revoked or locked enrolment, and an expired temporary secret. Both results
    take the same statements, so that times do not reveal which addresses exist. After `tries` attempts in a row the
    enrolment is locked for `lock_s` seconds; each further attempt doubles that, up to a day.
    """
    query = sa.select(_t, _secrets.c.verifier, _secrets.c.temporary_until)
    query = query.outerjoin(_secrets, _secrets.c.staff_id == _t.c.id).where(_t.c.email == email)
    row = conn.execute(query.with_for_update(of=_t)).one_or_none()
    at = now(conn)
    is_open = (
        row is not None
        and row.verifier is not None
        and row.revoked_at is None
        and (row.locked_until is None or row.locked_until <= at)
        and (row.temporary_until is None or row.temporary_until > at)
    )
    failures = row.failures + 1 if row is not None and is_open else 0
    locks = failures >= tries
    lock = min(lock_s * 2 ** min(failures - tries, _DOUBLINGS), _LONGEST_LOCK_S) if locks else 0.0
    news = {"failures": failures, "locked_until": clock(conn, plus_s=lock) if locks else None}
    conn.execute(sa.update(_t).where(_t.c.id == (row.id if row is not None and is_open else _NOBODY)).values(**news))
    journal(conn, None if row is None else row.id, "locked" if locks else "tried", by=by)
    return Attempt(row.id, row.revision, row.verifier) if row is not None and is_open else None


def succeed(conn: sa.Connection, attempt: Attempt, *, by: str) -> StaffRecord | None:
    """Reset the failures after a right secret. Return the person, or None if the enrolment changed meanwhile."""
    is_same = sa.and_(_t.c.id == attempt.staff_id, _t.c.revision == attempt.revision, _t.c.revoked_at.is_(None))
    if not conn.execute(sa.update(_t).where(is_same).values(failures=0, locked_until=None)).rowcount:
        return None
    journal(conn, attempt.staff_id, "proved", by=by)
    return staff_of(conn, attempt.staff_id)


def choose(conn: sa.Connection, staff_id: int, revision: int, verifier: str, *, by: str) -> None:
    """Store a new secret, after the present one was proved. Raises `FaturistaError` if the enrolment changed."""
    is_same = sa.and_(_t.c.id == staff_id, _t.c.revision == revision, _t.c.revoked_at.is_(None))
    if not conn.execute(sa.update(_t).where(is_same).values(revision=_t.c.revision + 1)).rowcount:
        raise FaturistaError(Problem("staff.changed"))
    write_secret(conn, staff_id, verifier, temporary_s=None)
    journal(conn, staff_id, "secret", by=by)
