"""The mirror of the order service: paid invoices, orders, how far each list was pulled, and what clashed."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Four tables; instants are microseconds since 1970."""
    _create_paid_invoices()
    _create_orders()
    op.create_table(
        "mirror_marks",
        sa.Column("id", _ID),
        sa.Column("plan_slug", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("covered_since", sa.BigInteger),
        sa.Column("covered_until", sa.BigInteger),
        sa.Column("synced_at", sa.BigInteger),
        sa.Column("synced_in", sa.Text),
        sa.Column("pull", sa.Text),
        sa.Column("holder", sa.Text),
        sa.Column("pulling_since", sa.BigInteger),
        sa.Column("page_size", sa.Integer),
        sa.Column("next_page", sa.Integer),
        sa.PrimaryKeyConstraint("id", name="pk_mirror_marks"),
    )
    op.create_index("uq_mirror_marks_key", "mirror_marks", ["plan_slug", "kind"], unique=True)
    op.create_table(
        "mirror_clashes",
        sa.Column("id", _ID),
        sa.Column("plan_slug", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("ours", sa.JSON, nullable=False),
        sa.Column("theirs", sa.JSON, nullable=False),
        sa.Column("seen_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_mirror_clashes"),
    )
    op.create_index("uq_mirror_clashes_key", "mirror_clashes", ["plan_slug", "kind", "number", "digest"], unique=True)


def _create_paid_invoices() -> None:
    op.create_table(
        "mirror_paid_invoices",
        sa.Column("id", _ID),
        sa.Column("plan_slug", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("plan_name", sa.Text, nullable=False),
        sa.Column("order_number", sa.BigInteger, nullable=False),
        sa.Column("client_name", sa.Text),
        sa.Column("client_document", sa.Text),
        sa.Column("payment_method", sa.Text),
        sa.Column("amount_cents", sa.BigInteger, nullable=False),
        sa.Column("total_cents", sa.BigInteger, nullable=False),
        sa.Column("adjustments", sa.JSON, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("paid_at", sa.BigInteger, nullable=False),
        sa.Column("charge_on", sa.Date),
        sa.Column("mirrored_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_mirror_paid_invoices"),
    )
    op.create_index("uq_mirror_paid_invoices_key", "mirror_paid_invoices", ["plan_slug", "number"], unique=True)
    op.create_index("ix_mirror_paid_invoices_paid_at", "mirror_paid_invoices", ["plan_slug", "paid_at"])


def _create_orders() -> None:
    op.create_table(
        "mirror_orders",
        sa.Column("id", _ID),
        sa.Column("plan_slug", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("account_uuid", sa.Text, nullable=False),
        sa.Column("client_name", sa.Text),
        sa.Column("client_document", sa.Text),
        sa.Column("amount_cents", sa.BigInteger, nullable=False),
        sa.Column("charge_day", sa.Integer),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("activated_at", sa.BigInteger),
        sa.Column("active_until", sa.BigInteger),
        sa.Column("next_payment_at", sa.BigInteger),
        sa.Column("is_active", sa.Boolean, nullable=False),
        sa.Column("is_paid", sa.Boolean, nullable=False),
        sa.Column("is_trial", sa.Boolean, nullable=False),
        sa.Column("is_recurring", sa.Boolean, nullable=False),
        sa.Column("mirrored_at", sa.BigInteger, nullable=False),
        sa.Column("seen_in", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_mirror_orders"),
    )
    op.create_index("uq_mirror_orders_key", "mirror_orders", ["plan_slug", "number"], unique=True)
