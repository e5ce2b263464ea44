"""The situation for an operator: stalled files, rows that wait for a correction, and recent months."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime

import sqlalchemy as sa

from connectors.ledger import files, tables
from connectors.ledger.database.sql import Instant, clock, is_in
from connectors.ledger.rows import stalled_readings
from domain.states import InvoiceState, RowState

_rows = tables.rows
_readings = tables.readings
_files = tables.files


@dataclass(frozen=True, slots=True)
class StalledFile:
    """A file whose import stopped. `is_read`: its rows are in the ledger, so a sweep continues it."""

    file_id: int
    name: str
    reading_id: int
    since: datetime
    is_read: bool


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file with refused rows that no later row corrects: how many, and since when."""

    file_id: int
    name: str
    count: int
    since: datetime


@dataclass(frozen=True, slots=True)
class MonthSoFar:
    """One competence so far: invoices by state, and the sum of the accepted ones in cents."""

    competence: date
    states: dict[InvoiceState, int]
    accepted_cents: int


def stalled_files(conn: sa.Connection, *, idle_s: float) -> list[StalledFile]:
    """Return files whose newest reading was neither finished nor assembled, and gave no sign of life for `idle_s`.

    A finished reading whose process has ended on this machine is among them at once.
    """
    later = _readings.alias("later")
    is_newest = ~sa.exists().where(later.c.file_id == _readings.c.file_id, later.c.ordinal > _readings.c.ordinal)
    is_unread = sa.and_(_readings.c.finished_at.is_(None), files.is_silent(conn, idle_s=idle_s), is_newest)
    is_stalled = is_in(conn, _readings.c.id, stalled_readings(conn, idle_s=idle_s))
    query = (
        sa.select(_files.c.id, _files.c.name, _readings.c.id, _readings.c.started_at, _readings.c.finished_at)
        .join(_files, _files.c.id == _readings.c.file_id)
        .where(sa.or_(is_unread, is_stalled))
        .order_by(_readings.c.id)
    )
    return [StalledFile(row[0], row[1], row[2], row[3], row[4] is not None) for row in conn.execute(query)]


def refused_files(conn: sa.Connection, *, days: int) -> list[RefusedFile]:
    """Return files read within `days` days whose newest reading has refused rows, newest file first.

    A row counts until a later row of the same charge exists, in any file.
    """
    later, newer = _rows.alias("later"), _readings.alias("newer")
    is_newest = ~sa.exists().where(
        newer.c.file_id == _readings.c.file_id,
        newer.c.finished_at.is_not(None),
        newer.c.ordinal > _readings.c.ordinal,
    )
    is_corrected = sa.exists().where(
        later.c.origin_id == sa.func.coalesce(_rows.c.origin_id, _rows.c.id), later.c.id > _rows.c.id
    )
    query = (
        sa.select(_files.c.id, _files.c.name, sa.func.count(), sa.func.max(_readings.c.finished_at, type_=Instant))
        .select_from(_readings)
        .join(_files, _files.c.id == _readings.c.file_id)
        .join(_rows, _rows.c.reading_id == _readings.c.id)
        .where(_readings.c.finished_at > clock(conn, plus_s=-days * 86_400.0), is_newest)
        .where(_rows.c.state == str(RowState.REFUSED), ~is_corrected)
        .group_by(_files.c.id, _files.c.name)
        .order_by(_files.c.id.desc())
    )
    return [RefusedFile(*row) for row in conn.execute(query)]


def months_so_far(conn: sa.Connection, months: Collection[date]) -> list[MonthSoFar]:
    """Return the figures of each of these competences (first day of a month) that has invoices, newest first."""
    notes = tables.invoices
    query = (
        sa.select(notes.c.competence, notes.c.state, sa.func.count(), sa.func.sum(notes.c.service_cents))
        .where(notes.c.competence.in_(sorted(months)))
        .group_by(notes.c.competence, notes.c.state)
    )
    states: dict[date, dict[InvoiceState, int]] = {}
    cents: dict[date, int] = {}
    for competence, state, count, total in conn.execute(query):
        states.setdefault(competence, {})[InvoiceState(state)] = count
        if state == str(InvoiceState.ACCEPTED):
            cents[competence] = int(total)
    return [MonthSoFar(month, states[month], cents.get(month, 0)) for month in sorted(states, reverse=True)]


def files_of_batches(conn: sa.Connection, batch_ids: Collection[int]) -> dict[int, str]:
    """Return the name of each batch's file by the batch's id."""
    batches = tables.batches
    query = (
        sa.select(batches.c.id, _files.c.name)
        .join(_readings, _readings.c.id == batches.c.reading_id)
        .join(_files, _files.c.id == _readings.c.file_id)
        .where(is_in(conn, batches.c.id, batch_ids))
    )
    return {row[0]: row[1] for row in conn.execute(query)}
