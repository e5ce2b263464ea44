"""Store what a look at a batch showed, and when to look at the batch or its counters again."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables, transitions
from connectors.ledger.database.sql import clock, has_come, now
from connectors.ledger.incidents import BY_ITSELF, UNREADABLE, close_incidents
from domain.states import BatchState

_RECOUNTED_AT_ONCE: Final = 200
_t = tables.batches


def observe_batch(
    conn: sa.Connection, batch_id: int, *, becomes: BatchState | None, counters: Mapping[str, int], look_s: float | None
) -> bool:
    """Store the state and counters of a sent batch from one look. Return whether the state moved.

    `becomes` None leaves the state. `look_s`: seconds to the next look; None plans none.
    """
    close_incidents(conn, by=BY_ITSELF, batch_id=batch_id, code=UNREADABLE)
    seen = [] if becomes is None else transitions.observe(conn, [batch_id], becomes=becomes, because="looked at")
    has_moved = any(each.moved for each in seen)
    news: dict[str, Any] = {"counters": dict(counters), "looks": _t.c.looks + 1}
    if look_s is not None:
        news["due_at"] = clock(conn, plus_s=look_s)
    if has_moved:
        news["sent_at"] = sa.func.coalesce(_t.c.sent_at, clock(conn))
    if has_moved and becomes is BatchState.PROCESSED:
        news["closed_at"] = news["recounted_at"] = clock(conn)
    _set(conn, batch_id, **news)
    return has_moved


def schedule_look(conn: sa.Connection, batch_id: int, *, seconds: float) -> None:
    """Make the batch due again in `seconds`, and count the look."""
    _set(conn, batch_id, due_at=clock(conn, plus_s=seconds), looks=_t.c.looks + 1)


def store_recount(conn: sa.Connection, batch_id: int, counters: Mapping[str, int]) -> None:
    """Store the counters that the provider shows now for a closed batch."""
    close_incidents(conn, by=BY_ITSELF, batch_id=batch_id, code=UNREADABLE)
    _set(conn, batch_id, counters=dict(counters), recounted_at=clock(conn))


def to_recount(conn: sa.Connection, *, days: int, silent: Iterable[str] = ()) -> list[int]:
    """Return the batches closed within `days` days whose counters nobody read for a day.

    Discarded batches that exist at the provider are included: a post may arrive late, and somebody may send the batch.
    `silent` names issuers that must get no requests now.
    """
    at = now(conn)
    is_discarded = sa.and_(_t.c.state == str(BatchState.DISCARDED), _t.c.remote_id.is_not(None))
    query = (
        sa.select(_t.c.id)
        .where(sa.or_(_t.c.state == str(BatchState.PROCESSED), is_discarded))
        .where(_t.c.closed_at >= at - timedelta(days=days))
        .where(has_come(sa.func.coalesce(_t.c.recounted_at, _t.c.closed_at), at - timedelta(days=1), at))
        .where(_t.c.issuer.not_in(list(silent)))
        .order_by(_t.c.recounted_at, _t.c.id)
        .limit(_RECOUNTED_AT_ONCE)
    )
    return list(conn.execute(query).scalars())


def _set(conn: sa.Connection, batch_id: int, **columns: Any) -> None:
    conn.execute(sa.update(_t).where(_t.c.id == batch_id).values(**columns))
