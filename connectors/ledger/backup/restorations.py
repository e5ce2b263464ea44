"""Query the restorations of a ledger: its quarantine, and the invoices issued after the copy."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import Statement
from domain.problems import Problem

BILLED: Final = "batch.billed_before_loss"
"""Incident code: rows of a batch may have been billed in another batch after the copy."""
CHARGE: Final = "charge"
"""Parameter of a finding about a note: the key of its charge (`charge_key` or `sale_key` of `domain.keys`)."""
CUSTOMER: Final = "customer"
"""Parameter of a finding about a note: the key of its charge without an amount (`charge_key`)."""

_NOTE_THERE: Final = frozenset({"note", "invoice"})
"""Parameters of a finding about a note, of which one has the provider's id of the note."""

_t = tables.restorations


@dataclass(frozen=True, slots=True)
class Restoration:
    """A restored copy. `findings`: unexplained differences from the provider at the last comparison (`checked_at`)."""

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
    """Return the newest restoration that is still in quarantine, or None."""
    found = _find_waiting(conn).one_or_none()
    return None if found is None else _restoration(found)


@Statement
def _find_waiting(_conn: sa.Connection) -> sa.Select[Any]:
    return sa.select(_t).where(_t.c.freed_at.is_(None)).order_by(_t.c.id.desc()).limit(1)


def restorations(conn: sa.Connection) -> list[Restoration]:
    """Return all restorations, oldest first."""
    return [_restoration(row) for row in _find_all(conn)]


@Statement
def _find_all(_conn: sa.Connection) -> sa.Select[Any]:
    return sa.select(_t).order_by(_t.c.id)


def lost_charges(conn: sa.Connection) -> dict[str, tuple[str, int]]:
    """Return serie and number of each invoice found at the provider but not in the restored ledger.

    The dictionary's keys are the charge keys of these invoices: those of `CHARGE` and of `CUSTOMER`.
    """
    findings = (each for restoration in restorations(conn) for each in restoration.findings)
    return {
        str(each.params[name]): (str(each.params["serie"]), int(each.params["number"]))
        for each in findings
        for name in (CHARGE, CUSTOMER)
        if name in each.params
    }


def unrestored_numbers(conn: sa.Connection, emitter_id: int, serie: str) -> frozenset[int]:
    """Return the numbers of a serie that invoices like those of `lost_charges` have at the provider."""
    findings = (each.params for restoration in restorations(conn) for each in restoration.findings)
    return frozenset(
        int(params["number"])
        for params in findings
        if (params.get("emitter"), params.get("serie")) == (emitter_id, serie) and _NOTE_THERE & params.keys()
    )


def undecided_charges(conn: sa.Connection, batch_id: int) -> dict[str, tuple[str, int]]:
    """Return `lost_charges`, or {} if the batch's incident `BILLED` was closed after the newest restoration."""
    lost = lost_charges(conn)
    if not lost:
        return {}
    incidents, newest = tables.incidents, restorations(conn)[-1]
    decided = sa.select(incidents.c.id).where(
        incidents.c.batch_id == batch_id, incidents.c.code == BILLED, incidents.c.closed_at >= newest.restored_at
    )
    return lost if conn.execute(decided.limit(1)).first() is None else {}


def _restoration(row: sa.Row[Any]) -> Restoration:
    values = row._asdict() | {"findings": tuple(Problem.from_json(each) for each in row.findings)}
    return Restoration(**values)
