"""Where the order service contradicts what it said before: noted once each, never resolved by overwriting."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from connectors.ledger.mirror import tables
from connectors.ledger.mirror.marks import Kind
from connectors.ledger.sql import clock, insert_unless_known, is_in

_t = tables.clashes


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """`ours` and `theirs`: the fields that differ, as the mirror keeps them and as the service says now."""

    plan_slug: str
    kind: Kind
    number: int
    digest: str
    ours: Mapping[str, Any]
    theirs: Mapping[str, Any]


def keep_clashes(conn: sa.Connection, clashes: Sequence[Clash]) -> None:
    """Note them down; the same contradiction again is the same clash."""
    for clash in clashes:
        conn.execute(insert_unless_known(conn, _t).values(**asdict(clash), seen_at=clock(conn)))


def clashes_of(conn: sa.Connection, plan_slugs: Iterable[str], kind: Kind) -> list[Clash]:
    """Every clash of the plans, in a fixed order."""
    columns = (_t.c.plan_slug, _t.c.kind, _t.c.number, _t.c.digest, _t.c.ours, _t.c.theirs)
    query = sa.select(*columns).where(_t.c.kind == kind, is_in(conn, _t.c.plan_slug, sorted(set(plan_slugs))))
    found = conn.execute(query.order_by(_t.c.plan_slug, _t.c.number, _t.c.id))
    return [Clash(**row._asdict()) for row in found]
