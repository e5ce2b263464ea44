"""The progress of each list's pull from the order service: an interrupted pull resumes at its page.

A list is one kind of record of one plan. Its cursor names the process that pulls it now: a process that lost the list
to another one notices this when it stores its next page.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa

from connectors.ledger.database.conflicts import insert_unless_known
from connectors.ledger.database.sql import clock
from connectors.ledger.mirror import tables

Kind = Literal["paid_invoices", "orders"]

_t = tables.cursors


@dataclass(frozen=True, slots=True)
class SyncCursor:
    """The progress of one list.

    Complete pulls covered the payments from `covered_since` to `covered_until`. `synced_in` is the name of the last
    complete pull. The last five fields describe an unfinished pull, else they are None; `holder` is its present owner.
    """

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


def cursor_of(conn: sa.Connection, plan_slug: str, kind: Kind) -> SyncCursor | None:
    """Return the list's cursor, or None for a list that was never pulled."""
    found = conn.execute(sa.select(_t).where(_has_key(plan_slug, kind))).one_or_none()
    return None if found is None else SyncCursor(*found)


def begin_pull(
    conn: sa.Connection,
    plan_slug: str,
    kind: Kind,
    *,
    holder: str,
    since: datetime | None,
    page_size: int,
    is_anew: bool = False,
) -> SyncCursor:
    """Make `holder`, a unique name, the owner of the list's pull. Return the list's cursor.

    Resume an unfinished pull that covers the payments since `since` with the same page size, at the last page that is
    in the mirror: an item that left the list meanwhile has moved later ones there. Else, or if `is_anew`, start a new
    pull, which gets the name of `holder`.
    """
    conn.execute(insert_unless_known(conn, _t).values(plan_slug=plan_slug, kind=kind))
    locked = sa.select(_t).where(_has_key(plan_slug, kind)).with_for_update()
    cursor = SyncCursor(*conn.execute(locked).one())
    values: dict[str, Any] = {"holder": holder}
    if is_anew or not _covers_request(cursor, since, page_size):
        values |= {"pull": holder, "pulling_since": since, "page_size": page_size, "next_page": 1}
    conn.execute(sa.update(_t).where(_t.c.id == cursor.id).values(**values))
    begun = SyncCursor(*conn.execute(sa.select(_t).where(_t.c.id == cursor.id)).one())
    return begun if "pull" in values else replace(begun, next_page=max((begun.next_page or 1) - 1, 1))


def store_next_page(conn: sa.Connection, cursor: SyncCursor, next_page: int) -> bool:
    """Store that all pages before `next_page` are in the mirror. Return False if another process pulls the list now."""
    mine = sa.update(_t).where(_t.c.id == cursor.id, _t.c.holder == cursor.holder)
    return conn.execute(mine.values(next_page=next_page)).rowcount == 1


def end_pull(
    conn: sa.Connection, cursor: SyncCursor, *, covered_since: datetime | None, covered_until: datetime | None
) -> bool:
    """Store that the pull reached the end of the list. Return False if another process pulls the list now."""
    ended = {"pull": None, "holder": None, "pulling_since": None, "page_size": None, "next_page": None}
    mine = sa.update(_t).where(_t.c.id == cursor.id, _t.c.holder == cursor.holder)
    covered = {"covered_since": covered_since, "covered_until": covered_until}
    return conn.execute(mine.values(**ended, **covered, synced_at=clock(conn), synced_in=cursor.pull)).rowcount == 1


def _covers_request(cursor: SyncCursor, since: datetime | None, page_size: int) -> bool:
    """Return whether the interrupted pull covers the present request, with the same page size."""
    if cursor.pull is None or cursor.page_size != page_size:
        return False
    if since is None or cursor.pulling_since is None:
        return since is cursor.pulling_since
    return cursor.pulling_since <= since


def _has_key(plan_slug: str, kind: Kind) -> sa.ColumnElement[bool]:
    return sa.and_(_t.c.plan_slug == plan_slug, _t.c.kind == kind)
