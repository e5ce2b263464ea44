"""Query the present situation for an operator: stalled files, rows that wait for a correction, and recent months."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from connectors.ledger import files, tables
from connectors.ledger.database.sql import clock, is_in
from connectors.ledger.rows import stalled_readings
from connectors.ledger.sheets.row_families import ORIGIN
from connectors.ledger.sheets.unsettled_rows import CAN_BE_CORRECTED, filter_unsettled
from domain.corrections.reports import LEFT_ALONE
from domain.states import InvoiceState

_rows = tables.rows
_readings = tables.readings
_files = tables.files


@dataclass(frozen=True, slots=True)
class StalledFile:
    """A file whose import stopped. `is_read`: all its rows are in the ledger, so that the next sweep continues it."""

    file_id: int
    name: str
    reading_id: int
    since: datetime
    is_read: bool


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file with refused rows that wait for a correction: how many, and since when."""

    file_id: int
    name: str
    count: int
    since: datetime


@dataclass(frozen=True, slots=True)
class _Refused:
    """The columns of a refused row that `refused_files` needs; cells are left out to save memory."""

    id: int
    family: int
    business_key: str | None
    problems: list[dict[str, Any]]
    file_id: int
    name: str
    finished_at: datetime


@dataclass(frozen=True, slots=True)
class MonthSoFar:
    """One competence so far: invoices by state, and the sum of the accepted ones in cents."""

    competence: date
    states: dict[InvoiceState, int]
    accepted_cents: int


def stalled_files(conn: sa.Connection, *, idle_s: float) -> list[StalledFile]:
    """Return the files whose newest reading is unfinished without a heartbeat for `idle_s` seconds.

    Include the files of `stalled_readings`: their rows are all read, but not all have become invoices in a batch.
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
    """Return files read within `days` days with refused rows that a person may correct, newest file first.

    A row counts until its charge has a later row or a living invoice, in any file. Rows without a fault (`LEFT_ALONE`)
    do not count, nor rows whose person was erased.
    """
    query = (
        sa.select(
            _rows.c.id,
            ORIGIN.label("family"),
            _rows.c.business_key,
            _rows.c.problems,
            _files.c.id.label("file_id"),
            _files.c.name,
            _readings.c.finished_at,
        )
        .select_from(_readings)
        .join(_files, _files.c.id == _readings.c.file_id)
        .join(_rows, _rows.c.reading_id == _readings.c.id)
        .where(_readings.c.finished_at > clock(conn, plus_s=-days * 86_400.0))
        .where(CAN_BE_CORRECTED)
        .order_by(_files.c.id.desc(), _rows.c.id)
    )
    refused = [_Refused(*row) for row in conn.execute(query)]
    faulty = (row for row in refused if not any(each["code"] in LEFT_ALONE for each in row.problems))
    by_file: dict[int, list[_Refused]] = {}
    for row in filter_unsettled(conn, faulty):
        by_file.setdefault(row.file_id, []).append(row)
    return [
        RefusedFile(file_id, rows[0].name, len(rows), max(row.finished_at for row in rows))
        for file_id, rows in by_file.items()
    ]


def months_so_far(conn: sa.Connection, months: Collection[date]) -> list[MonthSoFar]:
    """Return counts and sums of those of these competences (first days of months) with invoices, newest first."""
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
