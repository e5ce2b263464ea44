"""Restored ledgers that wait until the provider was looked at, and the pace of each line to the outside."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_WORDS = "a restored ledger issues nothing before it is freed"
_IS_RESTORED = "EXISTS (SELECT 1 FROM restorations WHERE freed_at IS NULL)"
_GUARDS = (
    ("batches_quarantined", "batches", "NEW.state = 'sending' AND NEW.state <> OLD.state"),
    ("invoices_quarantined", "invoices", "NEW.state = 'posting' AND NEW.state <> OLD.state"),
)


def upgrade() -> None:
    """Two tables; the database itself refuses to post or send while a restored ledger waits."""
    key = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "restorations",
        sa.Column("id", key, nullable=False),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("taken_at", sa.BigInteger, nullable=False),
        sa.Column("restored_at", sa.BigInteger, nullable=False),
        sa.Column("restored_by", sa.Text, nullable=False),
        sa.Column("checked_at", sa.BigInteger),
        sa.Column("findings", sa.JSON, nullable=False),
        sa.Column("freed_at", sa.BigInteger),
        sa.Column("freed_by", sa.Text),
        sa.Column("freed_because", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_restorations"),
        sa.CheckConstraint("(freed_at IS NULL) = (freed_by IS NULL)", name="freed_by_somebody"),
    )
    op.create_table(
        "paces",
        sa.Column("line", sa.Text, nullable=False),
        sa.Column("next_at", sa.BigInteger),
        sa.Column("per_minute", sa.Integer),
        sa.Column("slowed_at", sa.BigInteger),
        sa.Column("rests", sa.Integer, nullable=False, server_default="0"),
        sa.Column("resting_since", sa.BigInteger),
        sa.Column("resting_until", sa.BigInteger),
        sa.Column("because", sa.Text),
        sa.PrimaryKeyConstraint("line", name="pk_paces"),
        sa.CheckConstraint("per_minute IS NULL OR per_minute > 0", name="moving"),
    )
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    (_guard_sqlite if is_sqlite else _guard_postgresql)()


def _guard_sqlite() -> None:
    for name, table, when in _GUARDS:
        op.execute(
            f"CREATE TRIGGER {name} BEFORE UPDATE OF state ON {table} WHEN {when} AND {_IS_RESTORED}"
            f" BEGIN SELECT RAISE(ABORT, '{_WORDS}'); END"
        )
    op.execute(
        "CREATE TRIGGER restorations_freed BEFORE UPDATE ON restorations WHEN OLD.freed_at IS NOT NULL"
        " BEGIN SELECT RAISE(ABORT, 'a ledger is freed once'); END"
    )
    op.execute(
        "CREATE TRIGGER restorations_kept BEFORE DELETE ON restorations"
        " BEGIN SELECT RAISE(ABORT, 'the ledger keeps everything'); END"
    )


def _guard_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION faturista_quarantine() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" IF {_IS_RESTORED} THEN RAISE EXCEPTION '{_WORDS}' USING ERRCODE = 'check_violation'; END IF;"
        " RETURN NEW; END $$"
    )
    for name, table, when in _GUARDS:
        op.execute(
            f"CREATE TRIGGER {name} BEFORE UPDATE OF state ON {table} FOR EACH ROW WHEN ({when})"
            " EXECUTE FUNCTION faturista_quarantine()"
        )
    op.execute(
        "CREATE TRIGGER restorations_freed BEFORE UPDATE ON restorations FOR EACH ROW"
        " WHEN (OLD.freed_at IS NOT NULL) EXECUTE FUNCTION faturista_refuse('a ledger is freed once')"
    )
    op.execute(
        "CREATE TRIGGER restorations_kept BEFORE DELETE OR TRUNCATE ON restorations FOR EACH STATEMENT"
        " EXECUTE FUNCTION faturista_refuse('the ledger keeps everything')"
    )
