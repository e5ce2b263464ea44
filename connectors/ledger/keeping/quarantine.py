"""A restored ledger waits: nothing is opened, posted or sent until it has been compared with the provider.

The database refuses it by itself (`batches_quarantined`, `invoices_quarantined`); this says so in words, and frees it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.sql import clock
from domain.problems import Problem

_t = tables.restorations


@dataclass(frozen=True, slots=True)
class Restoration:
    """A restored copy. `findings` is what the last look at the provider, at `checked_at`, left unexplained."""

    id: int
    sha256: str
    taken_at: datetime
    restored_at: datetime
    restored_by: str
    checked_at: datetime | None
    findings: tuple[Problem, ...]
    freed_at: datetime | None
    freed_by: str | None
    freed_because: str | None


def quarantine_of(conn: sa.Connection) -> Restoration | None:
    """The newest restoration that waits to be freed; None in everyday life."""
    query = sa.select(_t).where(_t.c.freed_at.is_(None)).order_by(_t.c.id.desc()).limit(1)
    found = conn.execute(query).one_or_none()
    return None if found is None else _restoration(found)


def restorations(conn: sa.Connection) -> list[Restoration]:
    """Every restoration there ever was, oldest first."""
    return [_restoration(row) for row in conn.execute(sa.select(_t).order_by(_t.c.id))]


def note_findings(conn: sa.Connection, findings: Sequence[Problem]) -> None:
    """What a look at the provider left unexplained."""
    _change(conn, checked_at=clock(conn), findings=[finding.to_json() for finding in findings])


def free(conn: sa.Connection, *, by: str, because: str) -> bool:
    """The ledger works again; False when it was not in quarantine."""
    return _change(conn, freed_at=clock(conn), freed_by=by, freed_because=because)


def _change(conn: sa.Connection, **news: Any) -> bool:
    return conn.execute(sa.update(_t).where(_t.c.freed_at.is_(None)).values(**news)).rowcount > 0


def _restoration(row: sa.Row[Any]) -> Restoration:
    said = row._asdict() | {"findings": tuple(Problem.from_json(each) for each in row.findings)}
    return Restoration(**said)
