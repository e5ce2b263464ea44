"""Families of rows: all rows of one charge. They are one place of a sheet in all readings, and their corrections.

The first row is the origin of its family. A unique index on the origin allows a family at most one living invoice.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import is_in
from connectors.ledger.files import finished_readings_query, is_reading_finished
from connectors.ledger.invoices import LEADER
from domain.corrections.twice_corrected import FailedRow, Place
from domain.states import InvoiceState, RowState

_rows = tables.rows
_invoices = tables.invoices
ORIGIN: Final = sa.func.coalesce(_rows.c.origin_id, _rows.c.id)
"""The id of the first row of a row's family."""
_UNWANTED: Final = "row.not_wanted"
_failed = _rows.alias("failed")


def with_failed(query: sa.Select[Any]) -> sa.Select[Any]:
    """Add to a query of rows the columns for `failed_rows`."""
    is_corrected = sa.and_(_failed.c.id == _rows.c.origin_id, _failed.c.file_id != _rows.c.file_id)
    columns = (_failed.c.file_id, _failed.c.sheet, _failed.c.row_number, _failed.c.cells)
    return query.add_columns(*columns).outerjoin(_failed, is_corrected)


def failed_rows(file_id: int | None, sheet: str, row_number: int, cells: Mapping[str, Any]) -> tuple[FailedRow, ...]:
    """Return the first row of a row's charge, where it is in another file: a failed one that the row corrects."""
    return () if file_id is None else (FailedRow(Place(file_id, sheet, row_number), cells),)


@dataclass(frozen=True, slots=True)
class Living:
    """The living invoice of a family, and the file and row that it was made from."""

    state: InvoiceState
    serie: str | None
    number: int | None
    file_name: str
    row_number: int


def living_families(conn: sa.Connection, origins: Collection[int]) -> dict[int, Living]:
    """Return the living invoice of each of these families by origin. A row may share it with other rows."""
    if not origins:
        return {}
    columns = (ORIGIN, _invoices.c.state, _invoices.c.serie, _invoices.c.number)
    query = (
        sa.select(*columns, tables.files.c.name, _rows.c.row_number)
        .select_from(_rows)
        .join(_invoices, _invoices.c.row_id == LEADER)
        .join(tables.files, tables.files.c.id == _rows.c.file_id)
        .where(_is_of(conn, origins), _invoices.c.is_living)
        .order_by(_invoices.c.id)
    )
    return {row[0]: Living(InvoiceState(row[1]), *row[2:]) for row in conn.execute(query)}


def corrected_families(conn: sa.Connection, file_id: int) -> set[int]:
    """Return the families, by origin, that have a correction in this file."""
    is_there = _rows.c.reading_id.in_(finished_readings_query(file_id))
    query = sa.select(ORIGIN).where(is_there, _rows.c.follows_id.is_not(None))
    return set(conn.execute(query).scalars())


class Member(NamedTuple):
    """A row of a family. `family` is the id of the family's first row. `is_unwanted`: its person wants no invoice."""

    family: int
    row_id: int
    file_id: int
    is_unwanted: bool


def members_of_families(conn: sa.Connection, origins: Collection[int]) -> list[Member]:
    """Return every row of these families in a finished reading, oldest first."""
    is_unwanted = sa.and_(
        _rows.c.state == str(RowState.REFUSED), sa.cast(_rows.c.problems, sa.Text).contains(_UNWANTED)
    )
    query = sa.select(ORIGIN, _rows.c.id, _rows.c.file_id, is_unwanted)
    query = query.where(_is_of(conn, origins), is_reading_finished(_rows.c.reading_id))
    return [Member(*row) for row in conn.execute(query.order_by(_rows.c.id))]


def newest_members(conn: sa.Connection, origins: Collection[int]) -> dict[int, Member]:
    """Return the row of each of these families that counts: the newest one.

    A person's answer that the charge is not wanted counts until a later file says otherwise: an earlier file that is
    read again only repeats what the person has answered.
    """
    newest: dict[int, Member] = {}
    for each in members_of_families(conn, origins):
        last = newest.get(each.family)
        if last is None or not last.is_unwanted or last.file_id <= each.file_id:
            newest[each.family] = each
    return newest


def _is_of(conn: sa.Connection, origins: Collection[int]) -> sa.ColumnElement[bool]:
    # Two conditions use one index each; a condition on `ORIGIN` would scan the table.
    return sa.or_(is_in(conn, _rows.c.origin_id, origins), is_in(conn, _rows.c.id, origins))
