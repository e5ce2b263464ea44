"""Query the newest row of each place in a file, with the invoice of the place.

A place is a sheet, a row number and the month that the run set, if any (`rows.Place`). A reading has at most one row of
a place.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from connectors.ledger import files, tables
from connectors.ledger.database.sql import is_in
from connectors.ledger.invoices import LEADER, RECORD, InvoiceRecord, invoice_record
from connectors.ledger.rows import PLACE, Place, RowOutcome, rows_by_ids

_rows = tables.rows
_invoices = tables.invoices
_takers = tables.takers


class OutcomeIds(NamedTuple):
    """The ids of a place's newest row and of its invoice (`newest_ids`); None if the place has no invoice."""

    row_id: int
    invoice_id: int | None


def newest_rows(conn: sa.Connection, file_id: int) -> list[RowOutcome]:
    """Return the newest row and the invoice of every place in the file, in their order.

    The rules are those of `newest_ids`. For a large file, call that, and read the rows in parts with `outcomes_of`.
    """
    return outcomes_of(conn, newest_ids(conn, file_id))


def newest_ids(conn: sa.Connection, file_id: int, *, is_unbilled: bool = False) -> list[OutcomeIds]:
    """Return the ids of every place's newest row and invoice, by sheet and row number.

    Of several invoices of a place, return the newest living one, else the newest. All rows that share an invoice have
    it. Leave out a place without an invoice if a newer place has the same sheet and row number (a later run set another
    month), unless the place's month has invoices of the file. `is_unbilled`: only places without a living invoice.
    """
    is_there = _rows.c.reading_id.in_(files.whole_readings_of(file_id))
    places = conn.execute(sa.select(_rows.c.id, *PLACE).where(is_there).order_by(_rows.c.id))
    newest = {Place(*row[1:]): int(row[0]) for row in places}
    billing = _billing(conn, is_there)
    shown = sorted(
        (
            place
            for place in _without_given_up(newest, billing)
            if not (is_unbilled and place in billing and billing[place][1])
        ),
        key=_sheet_and_number,
    )
    return [OutcomeIds(newest[place], billing[place][0] if place in billing else None) for place in shown]


def outcomes_of(conn: sa.Connection, found: Sequence[OutcomeIds]) -> list[RowOutcome]:
    """Return these rows with their invoices, in this order."""
    rows = {row.id: row for row in rows_by_ids(conn, [each.row_id for each in found])}
    invoices = _invoices_by_ids(conn, {each.invoice_id for each in found if each.invoice_id is not None})
    return [
        RowOutcome(rows[each.row_id], None if each.invoice_id is None else invoices[each.invoice_id]) for each in found
    ]


def _billing(conn: sa.Connection, is_there: sa.ColumnElement[bool]) -> dict[Place, tuple[int, bool]]:
    """Return the newest living invoice of each place, else its newest, and whether it is living."""
    is_living = sa.case((_invoices.c.is_living, 1), else_=0)
    query = sa.select(_invoices.c.id, is_living, *PLACE).join(_rows, _invoices.c.row_id == LEADER).where(is_there)
    found = conn.execute(query.order_by(is_living, _invoices.c.id))
    return {Place(*row[2:]): (int(row[0]), bool(row[1])) for row in found}


def _invoices_by_ids(conn: sa.Connection, ids: Collection[int]) -> dict[int, InvoiceRecord]:
    billed = _invoices.outerjoin(_takers, _takers.c.id == _invoices.c.taker_id)
    query = sa.select(*RECORD).select_from(billed).where(is_in(conn, _invoices.c.id, ids))
    return {found.id: found for found in map(invoice_record, conn.execute(query))}


def _without_given_up(newest: Mapping[Place, int], invoices: Collection[Place]) -> Iterator[Place]:
    """Yield the places with an invoice, of a billed month, or newest of their sheet and row number."""
    billed = {place.run_competence for place in invoices}
    by_id = sorted(newest.items(), key=lambda item: item[1])
    last = {(place.sheet, place.row_number): row_id for place, row_id in by_id}
    for place, row_id in newest.items():
        is_kept = place in invoices or (place.run_competence is not None and place.run_competence in billed)
        if is_kept or last[place.sheet, place.row_number] == row_id:
            yield place


def _sheet_and_number(place: Place) -> tuple[str, int, str]:
    return place.sheet, place.row_number, place.run_competence or ""
