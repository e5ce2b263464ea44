"""How far each list of the order service was pulled, page by page: an interrupted pull goes on where it stopped.

Who has a pull in hand is written beside it: whoever was overtaken by somebody else learns it at the next page.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa

from connectors.ledger.database.sql import clock, insert_unless_known
from connectors.ledger.mirror import tables

Kind = Literal["paid_invoices", "orders"]

_t = tables.marks


@dataclass(frozen=True, slots=True)
class Mark:
    """One list. `covered_*` are instants of payment; the last five speak of a pull that has not ended, else None."""

    id: int
    plan_slug: str
    kind: Kind
    covered_since: datetime | None
    covered_until: datetime | None
    synced_at: datetime | None
    synced_in: str | None
    pull: str | None
    holder: str | None
    pulling_since: datetime | None
    page_size: int | None
    next_page: int | None


def mark_of(conn: sa.Connection, plan_slug: str, kind: Kind) -> Mark | None:
    """Return the list's mark, or None for a list that was never pulled."""
    found = conn.execute(sa.select(_t).where(_is(plan_slug, kind))).one_or_none()
    return None if found is None else Mark(*found)


def begin_pull(
    conn: sa.Connection,
    plan_slug: str,
    kind: Kind,
    *,
    holder: str,
    since: datetime | None,
    page_size: int,
    is_anew: bool = False,
) -> Mark:
    """Take the list in hand: from the page where a pull stopped that asked for no less, else (or if `is_anew`) anew.

    `holder` is a name that nobody else ever takes; a new pull is called by it.
    """
    conn.execute(insert_unless_known(conn, _t).values(plan_slug=plan_slug, kind=kind))
    locked = sa.select(_t).where(_is(plan_slug, kind)).with_for_update()
    mark = Mark(*conn.execute(locked).one())
    values: dict[str, Any] = {"holder": holder}
    if is_anew or not _serves(mark, since, page_size):
        values |= {"pull": holder, "pulling_since": since, "page_size": page_size, "next_page": 1}
    conn.execute(sa.update(_t).where(_t.c.id == mark.id).values(**values))
    return Mark(*conn.execute(sa.select(_t).where(_t.c.id == mark.id)).one())


def turn_page(conn: sa.Connection, mark: Mark, next_page: int) -> bool:
    """Store that everything before `next_page` is in the mirror. Return False (stop) when another pull took over."""
    mine = sa.update(_t).where(_t.c.id == mark.id, _t.c.holder == mark.holder)
    return conn.execute(mine.values(next_page=next_page)).rowcount == 1


def end_pull(
    conn: sa.Connection, mark: Mark, *, covered_since: datetime | None, covered_until: datetime | None
) -> bool:
    """Store that the list was pulled to its end. Return False when another pull took over."""
    ended = {"pull": None, "holder": None, "pulling_since": None, "page_size": None, "next_page": None}
    mine = sa.update(_t).where(_t.c.id == mark.id, _t.c.holder == mark.holder)
    covered = {"covered_since": covered_since, "covered_until": covered_until}
    return conn.execute(mine.values(**ended, **covered, synced_at=clock(conn), synced_in=mark.pull)).rowcount == 1


def _serves(mark: Mark, since: datetime | None, page_size: int) -> bool:
    """Return whether the interrupted pull covers what is wanted now, with the same page size."""
    if mark.pull is None or mark.page_size != page_size:
        return False
    if since is None or mark.pulling_since is None:
        return since is mark.pulling_since
    return mark.pulling_since <= since


def _is(plan_slug: str, kind: Kind) -> sa.ColumnElement[bool]:
    return sa.and_(_t.c.plan_slug == plan_slug, _t.c.kind == kind)
