"""Query rejected invoices that nobody has repeated yet, so that they may be sent again unchanged."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import now
from domain.states import InvoiceState

_t = tables.invoices


@dataclass(frozen=True, slots=True)
class Rejected:
    """A rejected invoice, the reading of its row, and the city's messages (`code`, `description`, `tip`)."""

    invoice_id: int
    reading_id: int
    errors: list[Mapping[str, Any]]


def rejected_lately(conn: sa.Connection, *, after_s: float, within_s: float, tries: int) -> list[Rejected]:
    """Return rejected invoices of batches that ended `after_s` to `within_s` seconds ago, oldest first.

    Leave out invoices of closed months, all but the newest invoice of a charge, and charges that have a living invoice,
    were rejected more than `tries` times, or have a later row.
    """
    other, rows, batches, row = _t.alias("other"), tables.rows, tables.batches, tables.rows.alias("row")
    at = now(conn)
    is_same = sa.or_(other.c.business_key == _t.c.business_key, other.c.origin_id == _t.c.origin_id)
    lives = sa.exists().where(is_same, other.c.is_living)
    is_newest = ~sa.exists().where(is_same, other.c.id > _t.c.id)
    came_back = sa.exists().where(
        row.c.origin_id == sa.func.coalesce(rows.c.origin_id, rows.c.id), row.c.id > rows.c.id
    )
    closings = tables.closings
    is_closed = sa.exists().where(closings.c.competence == _t.c.competence, closings.c.reopened_at.is_(None))
    times = (
        sa.select(sa.func.count())
        .where(other.c.business_key == _t.c.business_key, other.c.state == str(InvoiceState.REJECTED))
        .scalar_subquery()
    )
    query = (
        sa.select(_t.c.id, rows.c.reading_id, _t.c.errors)
        .join(rows, rows.c.id == _t.c.row_id)
        .join(batches, batches.c.id == _t.c.batch_id)
        .where(_t.c.state == str(InvoiceState.REJECTED), times <= tries)
        .where(batches.c.closed_at <= at - timedelta(seconds=after_s))
        .where(batches.c.closed_at >= at - timedelta(seconds=within_s))
        .where(is_newest, ~lives, ~came_back, ~is_closed)
        .order_by(_t.c.id)
    )
    return [Rejected(*found) for found in conn.execute(query)]
