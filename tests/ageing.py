"""Age a ledger: move every instant in it into the past, as if time had passed.

A story then need not wait for leases and quiet times, and these can be as long as in production. Use it only between
two stations, while nothing is in flight and no other worker is alive.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import Instant, is_sqlite, to_micros
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.journal import latest_event
from domain.states import BatchState
from tasks.views.due_work import STATES

_MICROS: Final = 1_000_000
_LONGEST_SLEEP_S: Final = 300.0
# Our requests to the provider keep their text.
_STATED: Final = "emission_at"
_INSTANTS: Final = {
    table.name: columns
    for table in tables.metadata.sorted_tables
    if (columns := [each.name for each in table.columns if isinstance(each.type, Instant) and each.name != _STATED])
}
_b, _c, _i = tables.batches, tables.cancellations, tables.invoices


def age(conn: sa.Connection, seconds: float) -> None:
    """Move every recorded instant `seconds` back, including those that are written once."""
    micros = round(seconds * _MICROS)
    triggers = without_triggers(conn)
    for table, columns in _INSTANTS.items():
        # NULL stays NULL.
        changes = ", ".join(f'"{column}" = "{column}" - {micros}' for column in columns)
        conn.exec_driver_sql(f'UPDATE "{table}" SET {changes}')
    # The seals cover instants. The next seal starts a new chain.
    conn.execute(sa.delete(tables.seals))
    for trigger in triggers:
        conn.exec_driver_sql(trigger)


def seconds_to_next(conn: sa.Connection, *, idle_s: float) -> float | None:
    """Return the seconds until a batch, a cancellation or a stopped reading can continue; None: only a person can."""
    states = [str(state) for each in STATES.values() for state in each if state is not BatchState.PROCESSED]
    batches = conn.execute(sa.select(_b.c.due_at, _b.c.lease_until).where(_b.c.state.in_(states)))
    ends = [max(at for at in row if at is not None) for row in batches]
    ends += _ends_of_cancellations(conn)
    waits = [(end - ledger_now(conn)).total_seconds() for end in ends]
    alive = conn.execute(sa.select(sa.func.max(tables.readings.c.alive_at))).scalar()
    if alive is not None and _has_loose_rows(conn):
        # An idle batch waits for something else.
        waits += [left for left in (started_s(conn, alive) + idle_s,) if left > 0]
    return min(waits, default=None)


def _ends_of_cancellations(conn: sa.Connection) -> list[datetime]:
    """Return when open cancellations, and batches with replaced invoices, are due and free."""
    new = _i.alias("successor")
    cancelled = (
        sa.select(_c.c.due_at, _b.c.lease_until, _b.c.due_at)
        .join(_i, _i.c.id == _c.c.invoice_id)
        .join(_b, _b.c.id == _i.c.batch_id)
        .where(_c.c.ended_at.is_(None), _c.c.approved_at.is_not(None))
    )
    replaced = (
        sa.select(_b.c.due_at, _b.c.lease_until)
        .join(_i, _i.c.batch_id == _b.c.id)
        .join(new, new.c.replaces_id == _i.c.id)
        .where(new.c.state == "accepted", _i.c.state.in_(["accepted", "cancelling"]))
    )
    rows = [*conn.execute(cancelled), *conn.execute(replaced)]
    return [max(at for at in row if at is not None) for row in rows]


@dataclass(slots=True)
class Sleep:
    """How long a worker that is alone sleeps: until something is due, and longer after each look without news.

    Otherwise a batch that is looked at every few seconds would have it look through a quiet time step by step.
    """

    _event: int = 0
    _seconds: float = 0.0

    def seconds(self, conn: sa.Connection, left: float) -> float:
        """Return the seconds to sleep; `left`: seconds until something is due."""
        event = latest_event(conn)
        has_news, self._event = event != self._event, event
        self._seconds = left if has_news else max(left, min(2 * self._seconds, _LONGEST_SLEEP_S))
        return self._seconds


def started_s(conn: sa.Connection, at: object) -> float:
    """Return the seconds from now to an instant in the database's format."""
    micros = at if isinstance(at, int) else to_micros(at)  # type: ignore[arg-type]
    return (micros - to_micros(ledger_now(conn))) / _MICROS


def _has_loose_rows(conn: sa.Connection) -> bool:
    undone = sa.select(tables.rows.c.id).where(tables.rows.c.state.in_(["read", "resolved"]))
    drafted = sa.select(tables.invoices.c.id).where(tables.invoices.c.state == "drafted")
    return conn.execute(sa.union_all(undone, drafted).limit(1)).first() is not None


def without_triggers(conn: sa.Connection) -> list[str]:
    """Disable all triggers until the transaction ends. Return the statements that enable them again, where needed."""
    if not is_sqlite(conn):
        conn.exec_driver_sql("SET LOCAL session_replication_role = replica")
        return []
    found = conn.exec_driver_sql("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all()
    for name, _ in found:
        conn.exec_driver_sql(f'DROP TRIGGER "{name}"')
    return [text for _, text in found]
