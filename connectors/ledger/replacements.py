"""Track replaced invoices and their successors, and replacements that the issuer has not confirmed yet.

An invoice becomes `replaced` only when the issuer shows it as cancelled and a sent invoice of ours, its successor,
replaces it. While its successor is accepted and the issuer still shows it as issued, one charge has two valid invoices.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables, transitions
from connectors.ledger.database.sql import clock, is_in, now
from connectors.ledger.incidents import BY_ITSELF
from connectors.ledger.invoices import InvoiceRecord, invoices_by_ids
from connectors.ledger.journal import is_about
from connectors.ledger.leases import is_free, is_put_aside
from domain.states import Entity, InvoiceState

TWO_LIVING: Final = "replace.two_living"
"""Incident code: an invoice and its accepted successor are both valid at the issuer."""
NOT_SHOWN: Final = "replace.not_shown"
"""Incident code: the issuer has the accepted successor of an invoice, and does not show the invoice."""
UNCONFIRMED: Final = (TWO_LIVING, NOT_SHOWN)

_t = tables.invoices
_batches, _incidents = tables.batches, tables.incidents
_new = _t.alias("successor")
_SENT: Final = sorted(
    map(
        str,
        (
            InvoiceState.SCHEDULED,
            InvoiceState.PROCESSING,
            InvoiceState.ACCEPTED,
            InvoiceState.CANCELLING,
            InvoiceState.REPLACED,
        ),
    )
)
_STANDING: Final = sorted(map(str, (InvoiceState.ACCEPTED, InvoiceState.CANCELLING)))


@dataclass(frozen=True, slots=True)
class Pair:
    """An invoice that the issuer still shows as issued, and its accepted successor."""

    replaced: InvoiceRecord
    successor: InvoiceRecord
    accepted_at: datetime


def with_successor(conn: sa.Connection, ids: Collection[int]) -> set[int]:
    """Return those of these invoices that a sent, living invoice replaces."""
    if not ids:
        return set()
    query = sa.select(_t.c.replaces_id).where(is_in(conn, _t.c.replaces_id, ids), _t.c.state.in_(_SENT))
    return {each for each in conn.execute(query).scalars() if each is not None}


def end_with(conn: sa.Connection, ids: Collection[int]) -> None:
    """Move the `replaced` predecessors of these cancelled invoices to `cancelled`, and those of the predecessors.

    No valid invoice bills their rows any more.
    """
    while ids:
        cancelled = sa.select(_t.c.replaces_id).where(
            is_in(conn, _t.c.id, ids), _t.c.state == str(InvoiceState.CANCELLED), _t.c.replaces_id.is_not(None)
        )
        before = sorted(conn.execute(cancelled).scalars())
        ids = transitions.move(
            conn,
            before,
            was=InvoiceState.REPLACED,
            becomes=InvoiceState.CANCELLED,
            because="its successor was cancelled",
        )


def successors(conn: sa.Connection, ids: Collection[int]) -> dict[int, InvoiceRecord]:
    """Return the living successor of each of these invoices, or else its newest one."""
    found = conn.execute(
        sa.select(_t.c.replaces_id, _t.c.id, _t.c.is_living).where(is_in(conn, _t.c.replaces_id, ids)).order_by(_t.c.id)
    ).all()
    chosen = {old: new for old, new, _ in found} | {old: new for old, new, is_living in found if is_living}
    records = {each.id: each for each in invoices_by_ids(conn, list(chosen.values()))}
    return {old: records[new] for old, new in chosen.items()}


def not_issued_any_more(conn: sa.Connection, batch_id: int) -> list[InvoiceRecord]:
    """Return the invoices that this batch would replace but that are not `accepted` any more."""
    query = sa.select(_t.c.id).join(_new, _new.c.replaces_id == _t.c.id)
    return invoices_by_ids(
        conn,
        conn.execute(
            query.where(
                _new.c.batch_id == batch_id,
                _new.c.state == str(InvoiceState.CREATED),
                _t.c.state != str(InvoiceState.ACCEPTED),
            )
        )
        .scalars()
        .all(),
    )


def reduced_by(conn: sa.Connection, batch_ids: Collection[int]) -> int:
    """Return the sum, in cents, of the reductions by invoices of these batches that replace larger ones."""
    less = _t.c.service_cents - _new.c.service_cents
    query = sa.select(sa.func.coalesce(sa.func.sum(less), 0)).join(_new, _new.c.replaces_id == _t.c.id)
    return int(conn.execute(query.where(is_in(conn, _new.c.batch_id, batch_ids), less > 0)).scalar_one())


def pairs_of(conn: sa.Connection, batch_id: int) -> list[Pair]:
    """Return the still issued invoices of a batch with their accepted successors, oldest first."""
    events = tables.events
    accepted_at = (
        sa.select(sa.func.max(events.c.at, type_=events.c.at.type))
        .where(is_about(Entity.INVOICE, _new.c.id))
        .where(events.c.becomes == str(InvoiceState.ACCEPTED))
        .scalar_subquery()
    )
    query = _where_unconfirmed(sa.select(_t.c.id, _new.c.id, accepted_at)).where(_t.c.batch_id == batch_id)
    found = conn.execute(query.order_by(_t.c.id)).all()
    records = {each.id: each for each in invoices_by_ids(conn, [each for row in found for each in row[:2]])}
    return [Pair(records[old], records[new], at) for old, new, at in found]


def due_batches(conn: sa.Connection, *, silent: Sequence[str] = (), limit: int = 200) -> list[int]:
    """Return the batches without a worker that have a still issued invoice with an accepted successor.

    Leave out batches that a worker put off until a later instant: the end of a dead worker's quiet time, or of a wait
    that the issuer asked for. A pair that ever had an incident of `UNCONFIRMED` is left to the daily check of
    ended batches. `silent` names issuers that must get no requests now.
    """
    at = now(conn)
    query = (
        _where_unconfirmed(sa.select(_batches.c.id))
        .join(_batches, _batches.c.id == _t.c.batch_id)
        .where(~_is_reported(), is_free(at), ~is_put_aside(at), _batches.c.issuer.not_in(list(silent)))
        .distinct()
    )
    return list(conn.execute(query.order_by(_batches.c.id).limit(limit)).scalars())


def unconfirmed_of(conn: sa.Connection, competence: date) -> list[int]:
    """Return the still issued invoices of a month with an accepted successor, by id.

    Leave out those that ever had an incident of `UNCONFIRMED`: a person looked at both, or the open one asks for it.
    """
    query = _where_unconfirmed(sa.select(_t.c.id)).where(_t.c.competence == competence, ~_is_reported())
    return list(conn.execute(query.order_by(_t.c.id)).scalars())


def close_ended(conn: sa.Connection) -> None:
    """Close each incident of `UNCONFIRMED` whose pair has a cancelled invoice."""
    two = _where_unconfirmed(sa.select(_t.c.id)).where(_is_about_pair())
    change = sa.update(_incidents).where(_incidents.c.code.in_(UNCONFIRMED), _incidents.c.closed_at.is_(None))
    conn.execute(change.where(~two.correlate(_incidents).exists()).values(closed_at=clock(conn), closed_by=BY_ITSELF))


def _is_reported() -> sa.ColumnElement[bool]:
    return sa.exists().where(_incidents.c.code.in_(UNCONFIRMED), _is_about_pair())


def _is_about_pair() -> sa.ColumnElement[bool]:
    """Return the condition that an incident names this successor: an earlier one may have had an incident, too."""
    named = _incidents.c.params
    return sa.and_(
        _incidents.c.invoice_id == _t.c.id,
        named["new_serie"].as_string() == sa.func.coalesce(_new.c.serie, "-"),
        sa.cast(named["new_number"].as_string(), sa.BigInteger) == _new.c.number,
    )


def _where_unconfirmed(query: sa.Select[Any]) -> sa.Select[Any]:
    return (
        query.select_from(_t)
        .join(_new, _new.c.replaces_id == _t.c.id)
        .where(_new.c.state == str(InvoiceState.ACCEPTED), _t.c.state.in_(_STANDING))
    )
