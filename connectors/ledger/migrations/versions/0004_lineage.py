"""Rows that correct rows: which one each follows, one living invoice for all of them, and the secret of their tags."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_LIVING = (
    "state IN ('accepted', 'cancelling', 'created', 'drafted', 'in_doubt', 'posting', 'processing', 'reserved', "
    "'scheduled', 'unresolved')"
)
_FIRST_OF_PLACE = """
    SELECT min(first.id) FROM rows first WHERE first.file_id = rows.file_id AND first.sheet = rows.sheet
        AND first.row_number = rows.row_number
"""
_GUARDS = (
    ("rows_lineage", "rows", "follows_id, origin_id", "what a row corrects never changes"),
    ("invoices_origin", "invoices", "origin_id", "the origin of an invoice never changes"),
)


def upgrade() -> None:
    """Readings of one place were one charge all along: they get their first row as origin, and so do their invoices."""
    op.create_table(
        "secrets",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("made_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_secrets"),
    )
    link = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.add_column("rows", sa.Column("follows_id", link))
    op.add_column("rows", sa.Column("origin_id", link))
    op.add_column("invoices", sa.Column("origin_id", link))
    op.execute(f"UPDATE rows SET origin_id = ({_FIRST_OF_PLACE}) WHERE id <> ({_FIRST_OF_PLACE})")  # noqa: S608 - no word of it from outside
    op.execute(
        "UPDATE invoices SET origin_id = (SELECT coalesce(r.origin_id, r.id) FROM rows r WHERE r.id = invoices.row_id)"
    )
    op.create_index("ix_rows_origin_id", "rows", ["origin_id"])
    living = sa.text(_LIVING)
    op.create_index(
        "uq_invoices_living_origin",
        "invoices",
        ["origin_id"],
        unique=True,
        sqlite_where=living,
        postgresql_where=living,
    )
    for name, table, columns, words in _GUARDS:
        _guard(name, table, columns, words)


def _guard(name: str, table: str, columns: str, words: str) -> None:
    start = f"CREATE TRIGGER {name} BEFORE UPDATE OF {columns} ON {table}"
    if op.get_bind().dialect.name == "sqlite":
        op.execute(f"{start} BEGIN SELECT RAISE(ABORT, '{words}'); END")
    else:
        op.execute(f"{start} FOR EACH ROW EXECUTE FUNCTION faturista_refuse('{words}')")
