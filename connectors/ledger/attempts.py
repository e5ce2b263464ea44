"""Attempts: the journal of writes to the provider. One entry is stored before each request and closed by its outcome.

An entry that was never closed is a request with an unknown outcome: its process died. Single writes (create a batch,
send it, delete or cancel a note) use `begin` and `end`; `posting` uses the functions for groups of notes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import Instant, Kinds, Statement, clock, is_in, is_sqlite, param, values
from connectors.ledger.leases import Lease, check

_t = tables.attempts

Outcome = Literal["done", "not_sent", "refused", "in_doubt", "disturbed"]
"""The outcome of a write. A lost answer is `in_doubt` here, as in the invoice's state; connectors raise `Doubtful`."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One write to the provider. `outcome` None: unknown, because the entry was never closed."""

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


End: TypeAlias = tuple[int, Outcome, int | None, int | None, datetime | None, str | None]
"""The end of one attempt: its id, outcome, HTTP status, remote id, instant of the last byte sent, and detail."""


def begin(conn: sa.Connection, lease: Lease, what: str, *, invoice_id: int | None = None) -> int:
    """Store an attempt before its request is sent, and return its id. Raises `FenceLost`.

    Commit before the first byte leaves.
    """
    check(conn, lease)
    made = _begin(conn, batch=lease.batch_id, note=invoice_id, what=what, fence=lease.fence)
    return int(made.scalar_one())


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
    """Store an attempt's outcome. Return False if it has one already.

    No lease is necessary, because the request has happened whoever has the batch now.
    """
    values = {"outcome": outcome, "status": status, "remote_id": remote_id, "last_byte_at": last_byte_at}
    return _end(conn, attempt=attempt_id, **values, detail=detail).rowcount == 1


def begin_group(conn: sa.Connection, lease: Lease, what: str, invoice_ids: Sequence[int]) -> dict[int, int]:
    """Store an attempt for each of these invoices of the lease's batch, on SQLite. Return attempt ids by invoice id."""
    if not invoice_ids:
        return {}
    made = _begin_group(
        conn, notes=[(each,) for each in invoice_ids], batch=lease.batch_id, what=what, fence=lease.fence
    )
    # SQLite numbers the rows of one insert without gaps, and nobody else writes meanwhile.
    first = made.lastrowid - len(invoice_ids) + 1
    return dict(zip(sorted(invoice_ids), range(first, made.lastrowid + 1), strict=True))


def begin_statement(conn: sa.Connection, notes: sa.FromClause) -> sa.Insert:
    """Return the insert of `begin_group` as a part of another statement. `notes.id` has the invoices' ids.

    The caller binds `batch`, `what` and `fence` to that statement.
    """
    line = {
        "batch_id": param("batch", sa.BigInteger),
        "invoice_id": notes.c.id,
        "what": param("what", sa.Text),
        "fence": param("fence", sa.Integer),
        "begun_at": clock(conn),
    }
    return sa.insert(_t).from_select(list(line), sa.select(*line.values()).order_by(notes.c.id))


def end_group(conn: sa.Connection, lease: Lease, ends: Sequence[End]) -> None:
    """Store the outcomes of attempts under this lease's fence. An attempt that has an outcome keeps it."""
    if not ends:
        return
    _end_group(conn, **end_params(ends), fence=lease.fence)


def end_params(ends: Sequence[End]) -> dict[str, Any]:
    """Return the parameters for a statement that includes `end_statement`, except its `fence`."""
    return {"ends": ends, "lines": [attempt_id for attempt_id, *_ in ends]}


def end_statement(conn: sa.Connection) -> sa.Update:
    """Return the update of `end_group` as part of another statement."""
    given = values(conn, "ended", _END, param("ends"))
    ends = {name: given.c[name] for name in _END if name != "attempt_id"}
    # PostgreSQL underestimates the open attempts of a fence and would scan the table: pass the ids too. SQLite must not
    # get them, because it would join quadratically.
    is_meant = sa.true() if is_sqlite(conn) else is_in(conn, _t.c.id, param("lines"))
    return (
        sa.update(_t)
        .where(_t.c.id == given.c.attempt_id, is_meant, _t.c.fence == param("fence"), _t.c.ended_at.is_(None))
        .values(**ends, ended_at=clock(conn))
    )


def unanswered_attempts(conn: sa.Connection, batch_id: int, what: str | None = None) -> list[Attempt]:
    """Return the batch's attempts without a known outcome (None or `in_doubt`), oldest first.

    `what` limits them to one kind of write, such as "post" or "delete".
    """
    unknown = sa.or_(_t.c.outcome.is_(None), _t.c.outcome == "in_doubt")
    query = sa.select(_t).where(_t.c.batch_id == batch_id, unknown).order_by(_t.c.id)
    if what is not None:
        query = query.where(_t.c.what == what)
    return [Attempt(*row) for row in conn.execute(query)]


def attempts_of(conn: sa.Connection, *, batch_id: int | None = None, invoice_id: int | None = None) -> list[Attempt]:
    """Return the attempts of a batch or of an invoice, oldest first."""
    if batch_id is None and invoice_id is None:
        raise ValueError("the attempts of a batch or of a note")
    query = sa.select(_t).order_by(_t.c.id)
    if batch_id is not None:
        query = query.where(_t.c.batch_id == batch_id)
    if invoice_id is not None:
        query = query.where(_t.c.invoice_id == invoice_id)
    return [Attempt(*row) for row in conn.execute(query)]


@Statement
def _begin(conn: sa.Connection) -> sa.Insert:
    line = {"batch_id": param("batch"), "invoice_id": param("note"), "what": param("what"), "fence": param("fence")}
    return sa.insert(_t).values(**line, begun_at=clock(conn)).returning(_t.c.id)


@Statement
def _begin_group(conn: sa.Connection) -> sa.Insert:
    return begin_statement(conn, values(conn, "given", {"id": sa.BigInteger()}, param("notes")))


@Statement
def _end(conn: sa.Connection) -> sa.Update:
    values = {name: param(name) for name in _END if name != "attempt_id"}
    return (
        sa.update(_t).where(_t.c.id == param("attempt"), _t.c.ended_at.is_(None)).values(**values, ended_at=clock(conn))
    )


_END: Final[Kinds] = {
    "attempt_id": sa.BigInteger(),
    "outcome": sa.Text(),
    "status": sa.Integer(),
    "remote_id": sa.BigInteger(),
    "last_byte_at": Instant(),
    "detail": sa.Text(),
}
_end_group: Final = Statement(end_statement)
