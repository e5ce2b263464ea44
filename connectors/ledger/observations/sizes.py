"""Measure the ledger's size by table, and count its recent notes."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import is_sqlite, now

LATELY_DAYS: Final = 30
_PAGES: Final = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
_BY_TABLE: Final = (
    "SELECT m.tbl_name, sum(s.pgsize) FROM dbstat AS s JOIN sqlite_schema AS m ON m.name = s.name GROUP BY m.tbl_name"
)
_BY_RELATION: Final = (
    "SELECT relname, pg_total_relation_size(oid) FROM pg_class "
    "WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
)


@dataclass(frozen=True, slots=True)
class LedgerSize:
    """Bytes in total and by table (with indexes, largest first); notes in total and of the last 30 days.

    `by_table` is empty if SQLite was built without `dbstat`.
    """

    bytes: int
    by_table: tuple[tuple[str, int], ...]
    notes: int
    lately: int

    @property
    def bytes_per_note(self) -> int:
        return self.bytes // self.notes if self.notes else 0

    def bytes_after(self, days: int) -> int:
        """Return the expected bytes in `days` days, with the growth of the last 30 days."""
        return self.bytes + self.lately * days // LATELY_DAYS * self.bytes_per_note


def ledger_size(conn: sa.Connection) -> LedgerSize:
    """Measure the database. On PostgreSQL only the ledger's own tables count, on SQLite the whole file."""
    if is_sqlite(conn):
        total = int(conn.exec_driver_sql(_PAGES).scalar_one())
        has_view = conn.exec_driver_sql("SELECT count(*) FROM pragma_module_list WHERE name = 'dbstat'").scalar_one()
        found = conn.exec_driver_sql(_BY_TABLE).all() if has_view else []
    else:
        found = conn.exec_driver_sql(_BY_RELATION).all()
        total = sum(int(size) for _, size in found)
    invoices = tables.invoices
    since = now(conn) - timedelta(days=LATELY_DAYS)
    # Count first events, because an invoice stores no instant of its creation.
    born = (
        sa.select(sa.func.coalesce(sa.func.sum(tables.events.c.last_id - tables.events.c.first_id + 1), 0))
        .select_from(tables.events)
        .where(tables.events.c.entity == "invoice", tables.events.c.was.is_(None), tables.events.c.at >= since)
    )
    return LedgerSize(
        total,
        tuple(sorted(((str(name), int(size)) for name, size in found), key=lambda each: -each[1])),
        conn.execute(sa.select(sa.func.count()).select_from(invoices)).scalar_one(),
        int(conn.execute(born).scalar_one()),
    )
