"""The triggers by which the database itself refuses what must never happen: which there are, and lifting them.

Only a restored copy is written past them: it was legal when it happened, and comes back as it was.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import sqlalchemy as sa

GUARDS: Final = frozenset(
    {
        "account_bound", "account_kept", "approvals_kept", "approvals_void", "attempts_closed", "attempts_kept",
        "batches_approved", "batches_birth", "batches_fixed", "batches_forward", "batches_issued", "batches_kept",
        "batches_move", "batches_quarantined", "batches_settled", "emitters_kept", "events_kept", "events_written",
        "files_kept", "incidents_kept", "invoices_alone", "invoices_birth", "invoices_content", "invoices_given",
        "invoices_joining", "invoices_kept", "invoices_move", "invoices_origin", "invoices_posting",
        "invoices_quarantined", "numbers_birth", "numbers_kept", "numbers_owner", "numbers_retire", "orphans_kept",
        "readings_finished", "readings_kept", "restorations_freed", "restorations_kept", "rows_birth",
        "rows_following", "rows_kept", "rows_lineage", "rows_move", "rows_whole", "series_forward", "series_kept",
        "takers_kept", "templates_kept", "traffic_kept",
    }
)  # fmt: skip
"""What a ledger of the newest version has; a test compares it with what the migrations make."""


def guards_of(conn: sa.Connection) -> set[str]:
    """The triggers that stand and are awake."""
    if conn.dialect.name == "sqlite":
        query = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    else:
        query = (
            "SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid"
            " JOIN pg_namespace ON pg_namespace.oid = relnamespace"
            " WHERE NOT tgisinternal AND tgenabled IN ('O', 'A') AND nspname = current_schema()"
        )
    return set(conn.execute(sa.text(query)).scalars())


@contextmanager
def lifted(conn: sa.Connection) -> Iterator[None]:
    """No guard stands while this lasts, and references are checked at its end; all in the caller's transaction."""
    if conn.dialect.name == "sqlite":
        held = conn.execute(sa.text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")).all()
        conn.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        for name, _ in held:
            conn.exec_driver_sql(f'DROP TRIGGER "{name}"')
        yield
        for _, statement in held:
            conn.exec_driver_sql(statement)
        return
    tables = sa.inspect(conn).get_table_names()
    for table in tables:
        conn.exec_driver_sql(f'ALTER TABLE "{table}" DISABLE TRIGGER USER')
    yield
    for table in tables:
        conn.exec_driver_sql(f'ALTER TABLE "{table}" ENABLE TRIGGER USER')
