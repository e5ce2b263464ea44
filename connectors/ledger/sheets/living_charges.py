"""Find living service invoices from other files for the same customers and months."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date, datetime

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import is_in
from connectors.ledger.sheets.row_families import ORIGIN, failed_rows, with_failed
from domain.corrections.twice_corrected import BillableRow, FailedRow, Place

_rows, _invoices, _files = tables.rows, tables.invoices, tables.files


@dataclass(frozen=True, slots=True)
class LivingCharge:
    """A living service invoice, and the row that owns it.

    `family` is the id of the first row of the charge. `own_key` is the row's key as typed. `source` is the paid invoice
    that the row bills, else its contract, followed by the month of a late charge. `corrects` is the failed row of
    another file that the row corrects, or none.
    """

    family: int
    file_id: int
    file_name: str
    received_at: datetime
    sheet: str
    row_number: int
    emitter_id: int
    taker_id: int
    template_id: int | None
    competence: date
    service_cents: int
    content: str
    own_key: str | None
    contract: str | None
    source: str | None
    serie: str | None
    number: int | None
    corrects: tuple[FailedRow, ...] = field(kw_only=True)

    @property
    def billed(self) -> BillableRow:
        """Return the row, to find whether another row corrects the same failed one."""
        names = [name for name in (self.own_key, self.contract) if name]
        return BillableRow(Place(self.file_id, self.sheet, self.row_number), names, self.corrects)


def living_charges(
    conn: sa.Connection, taker_ids: Collection[int], months: Collection[date], *, but_file: int
) -> list[LivingCharge]:
    """Return the living invoices of these customers and months from all files but `but_file`, oldest first."""
    if not taker_ids or not months:
        return []
    is_asked = sa.and_(is_in(conn, _invoices.c.taker_id, taker_ids), _rows.c.file_id != but_file)
    return _charges(conn, is_asked, months)


def living_charges_of_file(conn: sa.Connection, file_id: int, months: Collection[date]) -> list[LivingCharge]:
    """Return the living invoices of these months from one file, oldest first."""
    return _charges(conn, sa.and_(_rows.c.file_id == file_id, _invoices.c.taker_id.is_not(None)), months)


def _charges(conn: sa.Connection, is_asked: sa.ColumnElement[bool], months: Collection[date]) -> list[LivingCharge]:
    columns = (
        ORIGIN,
        _files.c.id,
        _files.c.name,
        _files.c.received_at,
        _rows.c.sheet,
        _rows.c.row_number,
        *(
            _invoices.c[name]
            for name in ("emitter_id", "taker_id", "template_id", "competence", "service_cents", "content")
        ),
        _rows.c.line["own_key"].as_string(),
        _rows.c.line["contract"].as_string(),
        sa.func.coalesce(
            _rows.c.line["paid_invoice"].as_string(),
            _rows.c.line["contract"].as_string() + " " + _rows.c.line["charge_month"].as_string(),
            _rows.c.line["contract"].as_string(),
        ),
        _invoices.c.serie,
        _invoices.c.number,
    )
    query = with_failed(
        sa.select(*columns)
        .select_from(_invoices)
        .join(_rows, _rows.c.id == _invoices.c.row_id)
        .join(_files, _files.c.id == _rows.c.file_id)
        .where(is_asked, _invoices.c.is_living, _invoices.c.competence.in_(sorted(months)))
        .order_by(_invoices.c.id)
    )
    return [LivingCharge(*row[:-4], corrects=failed_rows(*row[-4:])) for row in conn.execute(query)]
