"""Families of rows: every reading of one place, and every row that corrects one of them, is the same charge.

The first of them is the origin of all. A family has at most one living invoice: the ledger's own index on the origin
sees to it, whoever drafts.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import is_in
from connectors.ledger.files import is_whole
from connectors.ledger.invoices import LEADER
from connectors.ledger.rows import RowRecord, rows_where
from domain.states import LIVING, InvoiceState

_rows = tables.rows
_invoices = tables.invoices
_LIVING: Final = sorted(str(state) for state in LIVING)
ORIGIN: Final = sa.func.coalesce(_rows.c.origin_id, _rows.c.id)
"""The first row of a row's family."""


@dataclass(frozen=True, slots=True)
class Living:
    """The living invoice of a family, and the row of which file that it was made from."""

    state: InvoiceState
    serie: str | None
    number: int | None
    file_name: str
    row_number: int


def living_families(conn: sa.Connection, origins: Collection[int]) -> dict[int, Living]:
    """Return, by origin, the living invoice of each of these families that has one, its own or its order's."""
    if not origins:
        return {}
    columns = (ORIGIN, _invoices.c.state, _invoices.c.serie, _invoices.c.number)
    query = (
        sa.select(*columns, tables.files.c.name, _rows.c.row_number)
        .select_from(_rows)
        .join(_invoices, _invoices.c.row_id == LEADER)
        .join(tables.files, tables.files.c.id == _rows.c.file_id)
        .where(_is_of(conn, origins), _invoices.c.state.in_(_LIVING))
        .order_by(_invoices.c.id)
    )
    return {row[0]: Living(InvoiceState(row[1]), *row[2:]) for row in conn.execute(query)}


def rows_of_families(conn: sa.Connection, origins: Collection[int]) -> list[RowRecord]:
    """Return every row of these families that counts, oldest first."""
    return rows_where(conn, sa.and_(_is_of(conn, origins), is_whole(_rows.c.reading_id)))


def _is_of(conn: sa.Connection, origins: Collection[int]) -> sa.ColumnElement[bool]:
    # two conditions, each with an index of its own; the one over both columns would read the whole table
    return sa.or_(is_in(conn, _rows.c.origin_id, origins), is_in(conn, _rows.c.id, origins))
