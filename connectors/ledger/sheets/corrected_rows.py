"""Find the invoices of rows that may correct one failed row with other rows: by the place of the failed row."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import is_in
from connectors.ledger.sheets.row_families import failed_rows
from domain.corrections.twice_corrected import BillableRow, FailedRow, Place, names_of, texts_of
from domain.states import RowState

_rows, _invoices, _files, _readings = tables.rows, tables.invoices, tables.files, tables.readings
_failed = _rows.alias("failed")


@dataclass(frozen=True, slots=True)
class BilledRow:
    """A row with a living invoice. `order_key` is that of a sale."""

    row: BillableRow
    file_name: str
    order_key: str | None
    emitter_id: int
    competence: date
    serie: str | None
    number: int | None

    @property
    def row_number(self) -> int:
        return self.row.place.row_number


def billed_corrections(conn: sa.Connection, *, kind: str, since: datetime, but_file: int) -> list[BilledRow]:
    """Return the corrections of refused rows that are billed, oldest first.

    The refused rows are in files of this kind that came after `since`, other than `but_file`.
    """
    of_failed = (_failed.c.file_id, _failed.c.sheet, _failed.c.row_number, _failed.c.cells)
    query = (
        _billed(*of_failed, but_file=but_file)
        .join(_failed, sa.and_(_failed.c.id == _rows.c.origin_id, _failed.c.file_id != _rows.c.file_id))
        .where(
            _failed.c.reading_id.in_(_readings_of(kind).where(_files.c.received_at >= since)),
            _failed.c.state == str(RowState.REFUSED),
            _failed.c.file_id != but_file,
        )
    )
    return _found(conn, query)


def rows_billed_at(conn: sa.Connection, *, kind: str, places: Collection[Place], but_file: int) -> list[BilledRow]:
    """Return the rows at these places of later files of this kind that are billed, oldest first."""
    if not places:
        return []
    after = min(each.file_id for each in places)
    query = _billed(*(sa.null() for _ in range(4)), but_file=but_file).where(
        _rows.c.reading_id.in_(_readings_of(kind).where(_readings.c.file_id > after)),
        _rows.c.sheet.in_(sorted({each.sheet for each in places})),
        is_in(conn, _rows.c.row_number, {each.row_number for each in places}),
        _rows.c.follows_id.is_(None),
    )
    return _found(conn, query)


def refused_rows_at(
    conn: sa.Connection, *, kind: str, places: Collection[Place], since: datetime, but_file: int
) -> list[FailedRow]:
    """Return the refused rows at these places of other files of this kind that came after `since`.

    Leave out rows whose values were read: what such a row bills is compared by its customer and month.
    """
    if not places:
        return []
    query = sa.select(_rows.c.file_id, _rows.c.sheet, _rows.c.row_number, _rows.c.cells).where(
        _rows.c.reading_id.in_(_readings_of(kind).where(_files.c.received_at >= since)),
        _rows.c.state == str(RowState.REFUSED),
        _rows.c.line.is_(None),
        _rows.c.file_id != but_file,
        _rows.c.sheet.in_(sorted({each.sheet for each in places})),
        is_in(conn, _rows.c.row_number, {each.row_number for each in places}),
    )
    return [FailedRow(Place(*row[:3]), row[3]) for row in conn.execute(query)]


def files_since(conn: sa.Connection, file_ids: Collection[int], since: datetime) -> set[int]:
    """Return those of these files that came after an instant."""
    query = sa.select(_files.c.id).where(_files.c.id.in_(sorted(file_ids)), _files.c.received_at >= since)
    return set(conn.execute(query).scalars())


def months_of_files(conn: sa.Connection, file_ids: Collection[int]) -> dict[int, set[date]]:
    """Return the months that the typed rows of these files say, by file id."""
    month = _rows.c.line["competence"].as_string()
    readings = sa.select(_readings.c.id).where(_readings.c.file_id.in_(sorted(file_ids)))
    query = sa.select(_rows.c.file_id, month).where(_rows.c.reading_id.in_(readings), month.is_not(None)).distinct()
    found: dict[int, set[date]] = {file_id: set() for file_id in file_ids}
    for file_id, text in conn.execute(query):
        found[file_id].add(date.fromisoformat(text))
    return found


def _readings_of(kind: str) -> sa.Select[Any]:
    return sa.select(_readings.c.id).join(_files, _files.c.id == _readings.c.file_id).where(_files.c.kind == kind)


def _billed(*of_failed: sa.ColumnElement[Any], but_file: int) -> sa.Select[Any]:
    return (
        sa.select(
            _rows.c.file_id,
            _rows.c.sheet,
            _rows.c.row_number,
            _rows.c.line,
            _files.c.name,
            _invoices.c.emitter_id,
            _invoices.c.competence,
            _invoices.c.serie,
            _invoices.c.number,
            *of_failed,
        )
        .select_from(_invoices)
        .join(_rows, _rows.c.id == _invoices.c.row_id)
        .join(_files, _files.c.id == _rows.c.file_id)
        .where(_invoices.c.is_living, _rows.c.file_id != but_file)
        .order_by(_invoices.c.id)
    )


def _found(conn: sa.Connection, query: sa.Select[Any]) -> list[BilledRow]:
    return [
        BilledRow(
            BillableRow(Place(*row[:3]), names_of(row[3] or {}), failed_rows(*row[9:]), texts_of(row[3] or {})),
            row[4],
            (row[3] or {}).get("order_key"),
            *row[5:9],
        )
        for row in conn.execute(query)
    ]
