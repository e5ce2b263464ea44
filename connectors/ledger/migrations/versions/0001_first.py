"""The ledger as first released: tables, legal moves, and triggers that refuse what must never happen."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None

_FOLDER = Path(__file__).parent


def upgrade() -> None:
    """Run the script of this database, then fill `legal_moves`."""
    connection = op.get_bind()
    for script in (f"0001_{connection.dialect.name}.sql", "0001_moves.sql"):
        for statement in _statements((_FOLDER / script).read_text(encoding="utf-8"), connection.dialect.name):
            connection.exec_driver_sql(statement, execution_options={"no_parameters": True})


def _statements(script: str, dialect: str) -> Iterator[str]:
    """One by one for SQLite, whose driver would commit before running a whole script; PostgreSQL takes it as it is."""
    if dialect != "sqlite":
        yield script
        return
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
