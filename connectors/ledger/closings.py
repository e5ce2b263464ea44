"""Store closings of months. Query a month's open work, and from the journal the changes after its closing."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.conflicts import insert_unless_known
from connectors.ledger.database.sql import clock
from connectors.ledger.journal import is_about, latest_event
from connectors.ledger.mirror import tables as mirror
from connectors.ledger.replacements import unconfirmed_of
from connectors.ledger.rows import stalled_readings
from domain.states import BatchState, Entity, InvoiceState

_t = tables.closings
_reports = tables.closing_reports
_invoices, _batches, _events = tables.invoices, tables.batches, tables.events

ENDED_BATCHES: Final = sorted(map(str, (BatchState.PROCESSED, BatchState.DISCARDED)))
"""Batch states in which nothing is left to do."""
ENDED_INVOICES: Final = sorted(
    str(state)
    for state in (
        InvoiceState.ACCEPTED,
        InvoiceState.CANCELLED,
        InvoiceState.DELETED,
        InvoiceState.REFUSED,
        InvoiceState.REJECTED,
        InvoiceState.REPLACED,
        InvoiceState.RETIRED,
    )
)


@dataclass(frozen=True, slots=True)
class Closing:
    """A closing of a month that was not reopened.

    `last_event`, `last_contract` and `last_payment` are the highest ids of events, contract versions and paid invoices
    that the closing includes; 0 for none. An instant could not decide that, because a clock may be set back.
    """

    id: int
    competence: date
    last_event: int
    last_contract: int
    last_payment: int
    closed_at: datetime
    closed_by: str


@dataclass(frozen=True, slots=True)
class OpenWork:
    """The ids of a month's open work. A batch is (id, state, kind, count of invoices).

    `invoices` are in ended batches or in none. The issuer still
    shows the `replaced` invoices as issued. `readings` have rows without an invoice, or invoices without a batch: they
    may be of any month.
    """

    batches: tuple[tuple[int, BatchState, str, int], ...]
    invoices: tuple[int, ...]
    incidents: tuple[int, ...]
    cancellations: tuple[int, ...]
    replaced: tuple[int, ...]
    readings: tuple[int, ...]

    @property
    def is_empty(self) -> bool:
        return not any(getattr(self, each.name) for each in fields(self))


@dataclass(frozen=True, slots=True)
class LaterChange:
    """A change of an invoice after its month's closing. `was`: its state at the closing, None if it did not exist."""

    invoice_id: int
    serie: str | None
    number: int | None
    was: InvoiceState | None
    becomes: InvoiceState
    service_cents: int
    at: datetime


def open_work(conn: sa.Connection, competence: date) -> OpenWork:
    """Return the work of a month that prevents its closing."""
    batches = sa.select(_batches.c.id, _batches.c.state, _batches.c.kind, _batches.c["count"]).where(
        _batches.c.competence == competence, _batches.c.state.not_in(ENDED_BATCHES)
    )
    has_ended = sa.or_(_invoices.c.batch_id.is_(None), _batches.c.state.in_(ENDED_BATCHES))
    invoices = (
        sa.select(_invoices.c.id)
        .join(_batches, _batches.c.id == _invoices.c.batch_id, isouter=True)
        .where(_invoices.c.competence == competence, _invoices.c.state.not_in(ENDED_INVOICES), has_ended)
    )
    incidents = (
        sa.select(tables.incidents.c.id)
        .join(_batches, _batches.c.id == tables.incidents.c.batch_id)
        .where(tables.incidents.c.closed_at.is_(None), _batches.c.competence == competence)
    )
    cancellations = (
        sa.select(tables.cancellations.c.id)
        .join(_invoices, _invoices.c.id == tables.cancellations.c.invoice_id)
        .where(tables.cancellations.c.ended_at.is_(None), _invoices.c.competence == competence)
    )
    return OpenWork(
        tuple(
            (each, BatchState(state), kind, count)
            for each, state, kind, count in conn.execute(batches.order_by(_batches.c.id))
        ),
        tuple(conn.execute(invoices.order_by(_invoices.c.id)).scalars()),
        tuple(conn.execute(incidents.order_by(tables.incidents.c.id)).scalars()),
        tuple(conn.execute(cancellations.order_by(tables.cancellations.c.id)).scalars()),
        tuple(unconfirmed_of(conn, competence)),
        tuple(stalled_readings(conn, idle_s=0)),
    )


def close(conn: sa.Connection, competence: date, *, person: str) -> Closing | None:
    """Close a month at the journal's newest event. Return None if work is open or the month is closed already."""
    if closing_of(conn, competence) is not None or not open_work(conn, competence).is_empty:
        return None
    line = {
        "competence": competence,
        "last_event": latest_event(conn),
        "last_contract": _highest_id(conn, tables.contracts),
        "last_payment": _highest_id(conn, mirror.paid_invoices),
        "closed_at": clock(conn),
        "closed_by": person,
    }
    conn.execute(insert_unless_known(conn, _t).values(**line))
    return closing_of(conn, competence)


def _highest_id(conn: sa.Connection, table: sa.Table) -> int:
    return int(conn.execute(sa.select(sa.func.coalesce(sa.func.max(table.c.id), 0))).scalar_one())


def closing_of(conn: sa.Connection, competence: date) -> Closing | None:
    """Return the closing of a month, or None while it is open."""
    columns = (_t.c[each.name] for each in fields(Closing))
    query = sa.select(*columns).where(_t.c.competence == competence, _t.c.reopened_at.is_(None))
    found = conn.execute(query).one_or_none()
    return None if found is None else Closing(*found)


def has_invoices(conn: sa.Connection, competence: date) -> bool:
    """Return whether the ledger has any invoice of a month, in any state."""
    return (
        conn.execute(sa.select(_invoices.c.id).where(_invoices.c.competence == competence).limit(1)).first() is not None
    )


def closed_lately(conn: sa.Connection, *, days: int) -> list[date]:
    """Return the months that were closed within `days` days and not reopened."""
    is_recent = _t.c.closed_at > clock(conn, plus_s=-days * 86_400.0)
    query = sa.select(_t.c.competence).where(_t.c.reopened_at.is_(None), is_recent)
    return list(conn.execute(query.order_by(_t.c.competence)).scalars())


def closed_months(conn: sa.Connection) -> set[date]:
    return set(conn.execute(sa.select(_t.c.competence).where(_t.c.reopened_at.is_(None))).scalars())


def reopen(conn: sa.Connection, closing_id: int, *, person: str, because: str) -> bool:
    """Reopen a closed month; the closing stays stored. Return False if the month is open."""
    change = sa.update(_t).where(_t.c.id == closing_id, _t.c.reopened_at.is_(None))
    values = {"reopened_at": clock(conn), "reopened_by": person, "reopened_because": because}
    return conn.execute(change.values(**values)).rowcount > 0


def store_reports(conn: sa.Connection, closing_id: int, written: Mapping[str, tuple[str, int]]) -> dict[str, str]:
    """Store SHA-256 and size in bytes of each report by name. Return the stored digests by name.

    A report that was stored before keeps its digest: the caller compares the two.
    """
    at = clock(conn)
    for name, (sha256, size) in sorted(written.items()):
        line = {"closing_id": closing_id, "name": name, "sha256": sha256, "size_bytes": size, "written_at": at}
        conn.execute(insert_unless_known(conn, _reports).values(**line))
    return reports_of(conn, closing_id)


def reports_of(conn: sa.Connection, closing_id: int) -> dict[str, str]:
    """Return the SHA-256 of each report of a closing, by its name."""
    query = sa.select(_reports.c.name, _reports.c.sha256).where(_reports.c.closing_id == closing_id)
    return {row.name: row.sha256 for row in conn.execute(query.order_by(_reports.c.name))}


def changes_since(conn: sa.Connection, closing: Closing) -> list[LaterChange]:
    """Return the invoices of a closed month whose state differs from that at the closing, by id."""
    moved = (
        sa.select(_invoices.c.id, sa.func.max(_events.c.id).label("newest"), sa.func.min(_events.c.id).label("first"))
        .select_from(_invoices.join(_events, is_about(Entity.INVOICE, _invoices.c.id)))
        .where(_events.c.id > closing.last_event, _invoices.c.competence == closing.competence)
        .group_by(_invoices.c.id)
        .subquery()
    )
    first, newest = _events.alias("first"), _events.alias("newest")
    query = (
        sa.select(_invoices, first.c.was, newest.c.at)
        .join(moved, moved.c.id == _invoices.c.id)
        .join(first, first.c.id == moved.c.first)
        .join(newest, newest.c.id == moved.c.newest)
        .order_by(_invoices.c.id)
    )
    return [
        LaterChange(
            row.id,
            row.serie,
            row.number,
            None if row.was is None else InvoiceState(row.was),
            InvoiceState(row.state),
            row.service_cents,
            row.at,
        )
        for row in conn.execute(query)
        if row.was != row.state
    ]
