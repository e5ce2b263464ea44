"""Find living product invoices from other files for the same customers, in any month."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import is_in, is_sqlite
from connectors.ledger.sheets.row_families import ORIGIN, failed_rows, with_failed
from domain.corrections.twice_corrected import BillableRow, FailedRow, Place

_rows, _invoices, _files, _emitters = tables.rows, tables.invoices, tables.files, tables.emitters


@dataclass(frozen=True, slots=True)
class LivingOrder:
    """A living product invoice, and the row that owns it.

    `family` is the id of the first row of the charge. `order_key` is the order as typed; None if the invoice's month
    was detached. `document` is the customer's. `corrects` is the failed row of another file that the row corrects, or
    none.
    """

    invoice_id: int
    family: int
    file_id: int
    file_name: str
    received_at: datetime
    sheet: str
    row_number: int
    cnpj: str
    document: str
    competence: date
    total_cents: int
    order_key: str | None
    business_key: str
    serie: str | None
    number: int | None
    corrects: tuple[FailedRow, ...] = field(kw_only=True)

    @property
    def billed(self) -> BillableRow:
        """Return the row, to find whether another row corrects the same failed one."""
        names = [self.order_key] if self.order_key else []
        return BillableRow(Place(self.file_id, self.sheet, self.row_number), names, self.corrects)


def living_orders(
    conn: sa.Connection,
    documents: Collection[str],
    *,
    months: Collection[date],
    totals: Collection[int],
    but_file: int,
) -> list[LivingOrder]:
    """Return living invoices of these customers from all files but `but_file`, oldest first.

    They are of one of these months, or of any month with one of these totals in cents.
    """
    if not documents:
        return []
    document = _document(conn)
    query = with_failed(
        sa.select(
            _invoices.c.id,
            ORIGIN,
            _files.c.id,
            _files.c.name,
            _files.c.received_at,
            _rows.c.sheet,
            _rows.c.row_number,
            _emitters.c.cnpj,
            document,
            _invoices.c.competence,
            _invoices.c.service_cents,
            _rows.c.line["order_key"].as_string(),
            _invoices.c.business_key,
            _invoices.c.serie,
            _invoices.c.number,
        )
        .select_from(_invoices)
        .join(_rows, _rows.c.id == _invoices.c.row_id)
        .join(_files, _files.c.id == _rows.c.file_id)
        .join(_emitters, _emitters.c.id == _invoices.c.emitter_id)
        .where(
            # the index on customer and month has the product invoices together: their customer is in the content
            _invoices.c.taker_id.is_(None),
            sa.or_(_invoices.c.competence.in_(sorted(months)), is_in(conn, _invoices.c.service_cents, totals)),
            _invoices.c.is_living,
            _rows.c.file_id != but_file,
            is_in(conn, document, documents),
        )
        .order_by(_invoices.c.id)
    )
    return [LivingOrder(*row[:-4], corrects=failed_rows(*row[-4:])) for row in conn.execute(query)]


def _document(conn: sa.Connection) -> sa.ColumnElement[Any]:
    content = _invoices.c.content
    parsed = sa.type_coerce(content, sa.JSON) if is_sqlite(conn) else sa.cast(content, sa.JSON)
    text: sa.ColumnElement[Any] = parsed["customer"]["document"]["number"].as_string()
    return sa.func.coalesce(text, "")  # an unnamed customer, as `sale_of` has it
