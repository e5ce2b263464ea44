"""Query rows of dropped sheets that were refused or whose invoice failed, and that nobody has corrected or billed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol, TypeVar

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.contracts import living_keys
from connectors.ledger.files import is_reading_finished
from connectors.ledger.rows import RowRecord, rows_where
from connectors.ledger.sheets.row_families import living_families, newest_members
from domain.states import InvoiceState, RowState

_rows, _readings, _ours = tables.rows, tables.readings, tables.contract_sheets
_invoices = tables.invoices

CAN_BE_CORRECTED: Final = sa.and_(
    _rows.c.state == str(RowState.REFUSED), sa.or_(sa.cast(_rows.c.cells, sa.Text) != "{}", _rows.c.line.is_not(None))
)
"""The condition that a row was refused and its person was not erased. For this package only."""


@dataclass(frozen=True, slots=True)
class UnsettledRow:
    """A row with its file and the instant of its reading. `columns`: the field of each column letter."""

    row: RowRecord
    file_name: str
    read_at: datetime
    columns: Sequence[Mapping[str, Any]]


class _Charge(Protocol):
    """The identity of a row's charge. `family` is the id of the first row of its family."""

    @property
    def id(self) -> int: ...

    @property
    def family(self) -> int: ...

    @property
    def business_key(self) -> str | None: ...


C = TypeVar("C", bound=_Charge)


def unsettled_rows(conn: sa.Connection, *, since: datetime) -> list[UnsettledRow]:
    """Return refused rows, read since `since`, that are the newest of an unbilled charge.

    Leave out rows whose person was erased, which nobody can correct, and sheets that we wrote: their contracts and
    payments show what is open.
    """
    return _without_successor(conn, CAN_BE_CORRECTED, since=since)


def rows_of_failed_invoices(
    conn: sa.Connection, *, since: datetime, states: Collection[InvoiceState]
) -> list[UnsettledRow]:
    """Return rows, read since `since`, whose last invoice is in one of `states`.

    Only the newest row of each charge counts, and only if the charge has no living invoice. An invoice of several rows
    counts once, as the row that owns it. Leave out sheets that we wrote.
    """
    later, batches = _invoices.alias("later"), tables.batches
    is_last = ~sa.exists().where(later.c.row_id == _invoices.c.row_id, later.c.id > _invoices.c.id)
    untaken = (
        sa.select(_invoices.c.row_id)
        .join(batches, batches.c.id == _invoices.c.batch_id)
        .where(batches.c.reading_id.in_(_read(since)), _invoices.c.state.in_(sorted(map(str, states))), is_last)
    )
    return _without_successor(conn, _rows.c.id.in_(untaken), since=since)


def _read(since: datetime) -> sa.Select[tuple[int]]:
    is_dropped = _readings.c.file_id.not_in(sa.select(_ours.c.file_id))
    return sa.select(_readings.c.id).where(_readings.c.started_at >= since, is_dropped)


def _without_successor(conn: sa.Connection, is_asked: sa.ColumnElement[bool], *, since: datetime) -> list[UnsettledRow]:
    asked = rows_where(
        conn, sa.and_(is_asked, _rows.c.reading_id.in_(_read(since)), is_reading_finished(_rows.c.reading_id))
    )
    open_rows = filter_unsettled(conn, asked)
    if not open_rows:
        return []
    query = sa.select(_readings.c.id, _readings.c.started_at, _readings.c.understood, tables.files.c.name)
    query = query.join(tables.files, tables.files.c.id == _readings.c.file_id).where(_readings.c.started_at >= since)
    readings = {each.id: each for each in conn.execute(query)}
    return [
        UnsettledRow(row, read.name, read.started_at, (read.understood or {}).get("columns", ()))
        for row in open_rows
        for read in (readings[row.reading_id],)
    ]


def filter_unsettled(conn: sa.Connection, asked: Iterable[C]) -> list[C]:
    """Keep the rows that are the newest of their charge and whose charge has no living invoice."""
    rows = list(asked)
    families = {row.family for row in rows}
    if not families:
        return []
    newest = newest_members(conn, families)
    living = living_families(conn, families)
    billed = living_keys(conn, {row.business_key for row in rows if row.business_key})
    return [
        row
        for row in rows
        if newest[row.family].row_id == row.id and row.family not in living and row.business_key not in billed
    ]
