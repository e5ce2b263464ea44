"""Query which months are detached, which may be detached next, and which events go into each month's file."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.backup.seals import detached_until
from connectors.ledger.closings import closing_of, open_work
from connectors.ledger.detached.unfinished import first_unfinished_event
from domain.competence import BRASILIA, add_months, format_competence
from domain.problems import Problem

_t = tables.detached_months
_invoices, _batches, _seals, _events = tables.invoices, tables.batches, tables.seals, tables.events


@dataclass(frozen=True, slots=True)
class DetachedMonth:
    """A detached month and its file.

    Attributes:
        counts: The number of the file's rows by table.
        last_event: The id of the last event that this file, or the file of an earlier month, contains; 0 for none.
        emptied_at: When the last row of the file was deleted from the tables; None until then.
    """

    competence: date
    file: str
    sha256: str
    counts: Mapping[str, int]
    service_cents: int
    last_event: int
    detached_at: datetime
    detached_by: str
    emptied_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class MonthSize:
    """The number of a month's invoices, and the sum of their service amounts in cents."""

    competence: date
    invoices: int
    service_cents: int


def detached_months(conn: sa.Connection) -> list[DetachedMonth]:
    """Return the detached months in the order in which they were detached.

    In this order, the events of each file follow those of the file before.
    """
    query = sa.select(*(_t.c[each.name] for each in fields(DetachedMonth))).order_by(_t.c.id)
    return [DetachedMonth(*row) for row in conn.execute(query)]


def detached_among(conn: sa.Connection, months: Collection[date]) -> list[DetachedMonth]:
    """Return the detached ones among these months."""
    return [each for each in detached_months(conn) if each.competence in months]


def unemptied_months(conn: sa.Connection) -> list[DetachedMonth]:
    """Return the detached months whose content may still be in the tables, in the order of `detached_months`."""
    return [each for each in detached_months(conn) if each.emptied_at is None]


def attached_months(conn: sa.Connection, *, before: date) -> list[date]:
    """Return the months before `before` that have batches or loose drafts and are not detached, oldest first."""
    detached = sa.select(_t.c.competence)
    months = [
        sa.select(table.c.competence).where(table.c.competence < before, table.c.competence.not_in(detached), is_asked)
        for table, is_asked in ((_batches, sa.true()), (_invoices, _invoices.c.batch_id.is_(None)))
    ]
    return sorted(conn.execute(sa.union(*months)).scalars())


def size_of(conn: sa.Connection, competence: date) -> MonthSize:
    """Count and sum the invoices of a month."""
    columns = (sa.func.count(), sa.func.coalesce(sa.func.sum(_invoices.c.service_cents), 0))
    is_theirs = _invoices.c.id.in_(invoices_of_month(tables.metadata.tables, competence, "id"))
    count, cents = conn.execute(sa.select(*columns).where(is_theirs)).one()
    return MonthSize(competence, int(count), int(cents))


def invoices_of_month(found: Mapping[str, sa.Table], competence: date, column: str) -> sa.CompoundSelect[Any]:
    """Return the query for a column of a month's invoices, in the tables of `found`.

    An index leads from the month's batches to their invoices; only drafts without a batch are found by their own month.
    """
    invoices, batches = found["invoices"], found["batches"]
    theirs = sa.select(batches.c.id).where(batches.c.competence == competence)
    return sa.union_all(
        sa.select(invoices.c[column]).where(invoices.c.batch_id.in_(theirs)),
        sa.select(invoices.c[column]).where(invoices.c.batch_id.is_(None), invoices.c.competence == competence),
    )


def detach_problem(conn: sa.Connection, competence: date, *, after: int = 0) -> Problem | None:
    """Return why a month cannot be detached, or None.

    Months are detached in their order, so that each file continues the journal of the file before. The first `after`
    months that are not detached yet count as detached.
    """
    earlier = attached_months(conn, before=competence)[after:]
    if earlier:
        params = {"month": format_competence(competence), "earlier": format_competence(earlier[0])}
        return Problem("ledger.detach_order", params=params)
    if closing_of(conn, competence) is None:
        return Problem("ledger.detach_open", params={"month": format_competence(competence)})
    # Readings with unfinished rows may be of any month, so they do not count here.
    if not replace(open_work(conn, competence), readings=()).is_empty:
        return Problem("ledger.detach_work", params={"month": format_competence(competence)})
    return None


def journal_bound(conn: sa.Connection, competence: date) -> int:
    """Return the id of the last event that goes into the month's file.

    It is the last one sealed before the month's end in Brasília. The events of unfinished work and all later ones stay
    in the table, because the stations read them. The newest event stays too, because SQLite would reuse its id.
    """
    ends_at = datetime.combine(add_months(competence, 1), datetime.min.time(), BRASILIA)
    newest = sa.select(sa.func.coalesce(sa.func.max(_events.c.id), 0)).scalar_subquery()
    needed = sa.func.coalesce(first_unfinished_event(conn), newest)
    too_late = sa.select(sa.func.min(_seals.c.id)).where(
        sa.or_(_seals.c.sealed_at >= ends_at, _seals.c.last_event >= needed)
    )
    last = sa.select(sa.func.max(_seals.c.last_event)).where(
        sa.or_(too_late.scalar_subquery().is_(None), _seals.c.id < too_late.scalar_subquery())
    )
    return max(detached_until(conn), int(conn.execute(last).scalar_one() or 0))
