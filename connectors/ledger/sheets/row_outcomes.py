"""Query the newest row of each location in a file, with the invoice of the location.

A location is a sheet, a row number and the month that the run set, if any (`rows.RowLocation`). A reading has at most
one row of a location.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from connectors.ledger import files, tables
from connectors.ledger.database.sql import is_in
from connectors.ledger.invoices import LEADER, RECORD, InvoiceRecord, invoice_record
from connectors.ledger.rows import LOCATION, RowLocation, RowOutcome, rows_by_ids

_rows = tables.rows
_invoices = tables.invoices
_takers = tables.takers


class OutcomeIds(NamedTuple):
    """The ids of a location's newest row and of its invoice (`newest_ids`); None if the location has no invoice."""

    row_id: int
    invoice_id: int | None


def newest_rows(conn: sa.Connection, file_id: int) -> list[RowOutcome]:
    """Return the newest row and the invoice of every location in the file, in their order.

    The rules are those of `newest_ids`. For a large file, call that, and read the rows in parts with `outcomes_of`.
    """
    return outcomes_of(conn, newest_ids(conn, file_id))


def newest_ids(conn: sa.Connection, file_id: int, *, is_unbilled: bool = False) -> list[OutcomeIds]:
    """Return the ids of every location's newest row and invoice, by sheet and row number.

    Of several invoices of a location, return the newest living one, else the newest. All rows that share an invoice
    have it. Leave out a location without an invoice if a newer location has the same sheet and row number (a later run
    set another month), unless the location's month has invoices of the file. `is_unbilled`: only locations without a
    living invoice.
    """
    is_there = _rows.c.reading_id.in_(files.finished_readings_query(file_id))
    locations = conn.execute(sa.select(_rows.c.id, *LOCATION).where(is_there).order_by(_rows.c.id))
    newest = {RowLocation(*row[1:]): int(row[0]) for row in locations}
    billing = _billing(conn, is_there)
    shown = sorted(
        (
            location
            for location in _without_given_up(newest, billing)
            if not (is_unbilled and location in billing and billing[location][1])
        ),
        key=_sheet_and_number,
    )
    return [OutcomeIds(newest[location], billing[location][0] if location in billing else None) for location in shown]


def outcomes_of(conn: sa.Connection, found: Sequence[OutcomeIds]) -> list[RowOutcome]:
    """Return these rows with their invoices, in this order."""
    rows = {row.id: row for row in rows_by_ids(conn, [each.row_id for each in found])}
    invoices = _invoices_by_ids(conn, {each.invoice_id for each in found if each.invoice_id is not None})
    return [
        RowOutcome(rows[each.row_id], None if each.invoice_id is None else invoices[each.invoice_id]) for each in found
    ]


def _billing(conn: sa.Connection, is_there: sa.ColumnElement[bool]) -> dict[RowLocation, tuple[int, bool]]:
    """Return the newest living invoice of each location, else its newest, and whether it is living."""
    is_living = sa.case((_invoices.c.is_living, 1), else_=0)
    query = sa.select(_invoices.c.id, is_living, *LOCATION).join(_rows, _invoices.c.row_id == LEADER).where(is_there)
    found = conn.execute(query.order_by(is_living, _invoices.c.id))
    return {RowLocation(*row[2:]): (int(row[0]), bool(row[1])) for row in found}


def _invoices_by_ids(conn: sa.Connection, ids: Collection[int]) -> dict[int, InvoiceRecord]:
    billed = _invoices.outerjoin(_takers, _takers.c.id == _invoices.c.taker_id)
    query = sa.select(*RECORD).select_from(billed).where(is_in(conn, _invoices.c.id, ids))
    return {found.id: found for found in map(invoice_record, conn.execute(query))}


def _without_given_up(newest: Mapping[RowLocation, int], invoices: Collection[RowLocation]) -> Iterator[RowLocation]:
    """Yield the locations with an invoice, of a billed month, or newest of their sheet and row number."""
    billed = {location.run_competence for location in invoices}
    by_id = sorted(newest.items(), key=lambda item: item[1])
    last = {(location.sheet, location.row_number): row_id for location, row_id in by_id}
    for location, row_id in newest.items():
        is_kept = location in invoices or (location.run_competence is not None and location.run_competence in billed)
        if is_kept or last[location.sheet, location.row_number] == row_id:
            yield location


def _sheet_and_number(location: RowLocation) -> tuple[str, int, str]:
    return location.sheet, location.row_number, location.run_competence or ""
