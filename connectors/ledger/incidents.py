"""Incidents: unexpected observations that are shown to people until somebody closes them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import clock

BY_ITSELF: Final = "ended by itself"
"""Who closes an incident whose cause ended."""
UNREADABLE: Final = "provider.unreadable"
"""The incident of a batch about which no answer can be read. The next answer that can be read closes it."""
_t = tables.incidents


@dataclass(frozen=True, slots=True)
class Incident:
    """One incident. `code` and `params` are those of a `Problem`: they select its message."""

    id: int
    batch_id: int | None
    invoice_id: int | None
    code: str
    params: dict[str, Any]
    opened_at: datetime
    closed_at: datetime | None
    closed_by: str | None


def open_incident(
    conn: sa.Connection,
    *,
    code: str,
    params: Mapping[str, str | int],
    batch_id: int | None = None,
    invoice_id: int | None = None,
) -> int:
    """Open an incident, unless one with the same values is open. Return the id of the open one."""
    for known in incidents_open(conn, batch_id):
        if (known.code, known.params, known.batch_id, known.invoice_id) == (code, dict(params), batch_id, invoice_id):
            return known.id
    return _insert(conn, code, params, batch_id, invoice_id)


def open_incident_once(
    conn: sa.Connection, *, code: str, params: Mapping[str, str | int], batch_id: int, is_anywhere: bool = False
) -> bool:
    """Open an incident, unless one with this code and these parameters was ever opened for this batch.

    Return whether it is new. With `is_anywhere`, incidents of other batches prevent it as well.
    """
    query = sa.select(_t.c.params).where(_t.c.code == code)
    open_params = conn.execute(query if is_anywhere else query.where(_t.c.batch_id == batch_id)).scalars()
    if any(known == dict(params) for known in open_params):
        return False
    _insert(conn, code, params, batch_id, None)
    return True


def keep_incident(conn: sa.Connection, *, code: str, params: Mapping[str, str | int] | None, batch_id: int) -> None:
    """Let these params be the batch's only open incident of this code; None: let it have none."""
    is_open = False
    for known in incidents_open(conn, batch_id):
        if known.code == code and known.params == params:
            is_open = True
        elif known.code == code:
            close_incidents(conn, by=BY_ITSELF, incident_id=known.id)
    if params is not None and not is_open:
        _insert(conn, code, params, batch_id, None)


def _insert(
    conn: sa.Connection, code: str, params: Mapping[str, str | int], batch_id: int | None, invoice_id: int | None
) -> int:
    inserted = conn.execute(
        sa.insert(_t)
        .values(batch_id=batch_id, invoice_id=invoice_id, code=code, params=dict(params), opened_at=clock(conn))
        .returning(_t.c.id)
    )
    return int(inserted.scalar_one())


def incidents_open(conn: sa.Connection, batch_id: int | None = None) -> list[Incident]:
    """Return the incidents that nobody closed, oldest first."""
    query = sa.select(_t).where(_t.c.closed_at.is_(None)).order_by(_t.c.id)
    if batch_id is not None:
        query = query.where(_t.c.batch_id == batch_id)
    return [Incident(*row) for row in conn.execute(query)]


def incidents_of(conn: sa.Connection, batch_id: int) -> list[Incident]:
    """Return every incident of a batch, closed ones included, oldest first."""
    return [Incident(*row) for row in conn.execute(sa.select(_t).where(_t.c.batch_id == batch_id).order_by(_t.c.id))]


def close_incidents(
    conn: sa.Connection,
    *,
    by: str,
    batch_id: int | None = None,
    incident_id: int | None = None,
    code: str | None = None,
) -> int:
    """Close the open incidents that match all given values. Return how many. `by`: a person, or the reason.

    Raises `ValueError` if no value is given.
    """
    if batch_id is None and incident_id is None and code is None:
        raise ValueError("close the incidents of a batch, of a code, or one")
    change = sa.update(_t).where(_t.c.closed_at.is_(None)).values(closed_at=clock(conn), closed_by=by)
    if batch_id is not None:
        change = change.where(_t.c.batch_id == batch_id)
    if code is not None:
        change = change.where(_t.c.code == code)
    if incident_id is not None:
        change = change.where(_t.c.id == incident_id)
    return conn.execute(change).rowcount
