"""Clashes: contradictions between the mirror and a later answer of the order service, each stored once.

Such an answer does not overwrite the mirror. A clash is open until a person decides which value is right, or until a
complete pull shows the mirror's value again and not the other. A settled clash opens again if the service repeats the
other value, unless a person decided to keep the mirror's value and that value is the same.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, Literal

import sqlalchemy as sa

from connectors.ledger.database.conflicts import insert_unless_known
from connectors.ledger.database.sql import Instant, clock, is_in
from connectors.ledger.mirror import tables
from connectors.ledger.mirror.sync_cursors import Kind, SyncCursor

Decision = Literal["keep", "take"]
"""`keep` the mirror's value, or `take` the service's newest value."""

GONE: Final = "gone"
"""Digest of an item that the service no longer lists."""

_t = tables.clashes
_IS_OPEN: Final = _t.c.settled_at.is_(None)
_AGAIN: Final = dict.fromkeys(("settlement", "settled_by", "settled_because", "settled_at"))
_HOLDERS: Final[Mapping[Kind, sa.Table]] = {"paid_invoices": tables.paid_invoices, "orders": tables.orders}


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """One contradiction about the order or paid invoice `number` of a plan.

    `ours` and `theirs` have the differing fields with the values of the mirror and of the service; `theirs` is empty if
    the service no longer lists the item. `digest` identifies the service's values.
    """

    plan_slug: str
    kind: Kind
    number: int
    digest: str
    ours: Mapping[str, Any]
    theirs: Mapping[str, Any]


def store_clashes(conn: sa.Connection, clashes: Sequence[Clash], *, pull: str) -> int:
    """Store the clashes that the pull named `pull` found, each once. Return how many of them are open.

    A clash that a person settled with `keep` stays settled while the mirror's value is the same. A clash about an item
    that is no longer listed stays settled either way.
    """
    open_clashes = 0
    for clash in clashes:
        conn.execute(insert_unless_known(conn, _t).values(**asdict(clash), seen_at=clock(conn), theirs_seen_in=pull))
        one = sa.and_(_has_key(clash.plan_slug, clash.kind, clash.number), _t.c.digest == clash.digest)
        known = conn.execute(sa.select(_t).where(one)).one()
        news: dict[str, Any] = {"theirs_seen_in": pull}
        decided = ("keep",) if clash.theirs else ("keep", "take")
        is_kept = known.settlement in decided and known.ours == clash.ours
        if known.settled_at is not None and not is_kept:
            news |= {**_AGAIN, "ours": clash.ours, "theirs": clash.theirs, "seen_at": clock(conn)}
        conn.execute(sa.update(_t).where(one).values(**news))
        open_clashes += not is_kept
    return open_clashes


def record_ours_seen(conn: sa.Connection, plan_slug: str, kind: Kind, numbers: Collection[int], *, pull: str) -> None:
    """Record in the open clashes about these numbers that the pull `pull` showed the mirror's values."""
    open_ones = sa.and_(_t.c.plan_slug == plan_slug, _t.c.kind == kind, _IS_OPEN)
    if numbers and conn.execute(sa.select(sa.exists().where(open_ones))).scalar_one():
        seen = sa.update(_t).where(open_ones, is_in(conn, _t.c.number, sorted(numbers)))
        conn.execute(seen.values(ours_seen_in=pull))


def store_listed(conn: sa.Connection, plan_slug: str, kind: Kind, numbers: Collection[int]) -> None:
    """Withdraw a person's decision that these items are gone (`GONE`): the service lists them again."""
    given_up_ones = sa.and_(_t.c.plan_slug == plan_slug, _t.c.kind == kind, _t.c.digest == GONE)
    listed = sa.update(_t).where(given_up_ones, _t.c.settlement == "take", is_in(conn, _t.c.number, sorted(numbers)))
    conn.execute(listed.values(settlement="withdrawn", settled_because="listed again"))


def settle_withdrawn(conn: sa.Connection, cursor: SyncCursor) -> None:
    """Settle each open clash for which the complete pull of `cursor` showed only the mirror's values."""
    taken_back = sa.and_(_t.c.ours_seen_in == cursor.pull, _t.c.theirs_seen_in.is_distinct_from(cursor.pull), _IS_OPEN)
    mine = sa.and_(_t.c.plan_slug == cursor.plan_slug, _t.c.kind == cursor.kind, taken_back)
    change = {"settlement": "withdrawn", "settled_because": "said as at first again", "settled_at": clock(conn)}
    conn.execute(sa.update(_t).where(mine).values(**change))


def decide(
    conn: sa.Connection, plan_slug: str, kind: Kind, number: int, *, decision: Decision, person: str, because: str
) -> Clash | None:
    """Settle all open clashes about a number as a person decided. Return the newest, or None if none is open.

    `take` writes the service's values of the newest clash into the mirror. If the service has changed them since, the
    next pull stores a new clash.
    """
    one = sa.and_(_has_key(plan_slug, kind, number), _IS_OPEN)
    newest = conn.execute(sa.select(_t).where(one).order_by(_t.c.seen_at.desc(), _t.c.id.desc())).first()
    if newest is None:
        return None
    if decision == "take" and newest.theirs:
        table = _HOLDERS[kind]
        row = sa.and_(table.c.plan_slug == plan_slug, table.c.number == number)
        theirs = {name: _read(table.c[name], value) for name, value in newest.theirs.items()}
        conn.execute(sa.update(table).where(row).values(**theirs, mirrored_at=clock(conn)))
    change = {"settlement": decision, "settled_by": person, "settled_because": because, "settled_at": clock(conn)}
    conn.execute(sa.update(_t).where(one).values(**change))
    return _clash(newest)


def clashes_of(conn: sa.Connection, plan_slugs: Iterable[str] | None, kind: Kind) -> list[Clash]:
    """Return the open clashes of this kind, sorted by plan and number, of these plans or of all (None)."""
    mine = sa.true() if plan_slugs is None else is_in(conn, _t.c.plan_slug, sorted(set(plan_slugs)))
    query = sa.select(_t).where(mine, _t.c.kind == kind, _IS_OPEN).order_by(_t.c.plan_slug, _t.c.number, _t.c.id)
    return [_clash(row) for row in conn.execute(query)]


def given_up(conn: sa.Connection, kind: Kind) -> set[tuple[str, int]]:
    """Return plan and number of the items that the service no longer lists, if a person agreed with the service."""
    query = sa.select(_t).where(_t.c.kind == kind, _t.c.settlement == "take")
    return {(row.plan_slug, row.number) for row in conn.execute(query) if not row.theirs}


def _has_key(plan_slug: str, kind: Kind, number: int) -> sa.ColumnElement[bool]:
    return sa.and_(_t.c.plan_slug == plan_slug, _t.c.kind == kind, _t.c.number == number)


def _clash(row: Any) -> Clash:
    return Clash(
        plan_slug=row.plan_slug,
        kind=row.kind,
        number=row.number,
        digest=row.digest,
        ours=row.ours,
        theirs=row.theirs,
    )


def _read(column: sa.Column[Any], value: Any) -> Any:
    """Return a JSON value in the column's type."""
    return datetime.fromisoformat(value) if isinstance(column.type, Instant) else value
