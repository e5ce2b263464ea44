"""The mirror's tables. Money is integer cents, instants are aware; `(plan_slug, number)` is unique in each table."""

from typing import Final

import sqlalchemy as sa

from connectors.ledger.database.sql import Instant
from connectors.ledger.tables import metadata

__all__ = ["clashes", "cursors", "metadata", "orders", "paid_invoices"]

_ID: Final = sa.BigInteger().with_variant(sa.Integer, "sqlite")

paid_invoices = sa.Table(
    "mirror_paid_invoices",
    metadata,
    sa.Column("id", _ID, primary_key=True),
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
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("paid_at", Instant, nullable=False),
    sa.Column("charge_on", sa.Date),
    sa.Column("mirrored_at", Instant, nullable=False),
    sa.Index("uq_mirror_paid_invoices_key", "plan_slug", "number", unique=True),
    sa.Index("ix_mirror_paid_invoices_paid_at", "plan_slug", "paid_at"),
)

orders = sa.Table(
    "mirror_orders",
    metadata,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("plan_slug", sa.Text, nullable=False),
    sa.Column("number", sa.BigInteger, nullable=False),
    sa.Column("account_uuid", sa.Text, nullable=False),
    sa.Column("client_name", sa.Text),
    sa.Column("client_document", sa.Text),
    sa.Column("amount_cents", sa.BigInteger, nullable=False),
    sa.Column("charge_day", sa.Integer),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("activated_at", Instant),
    sa.Column("active_until", Instant),
    sa.Column("next_payment_at", Instant),
    sa.Column("is_active", sa.Boolean, nullable=False),
    sa.Column("is_paid", sa.Boolean, nullable=False),
    sa.Column("is_trial", sa.Boolean, nullable=False),
    sa.Column("is_recurring", sa.Boolean, nullable=False),
    sa.Column("mirrored_at", Instant, nullable=False),
    # name of the last pull that saw the order; an order that a later complete pull did not see is gone
    sa.Column("seen_in", sa.Text, nullable=False),
    sa.Index("uq_mirror_orders_key", "plan_slug", "number", unique=True),
)

cursors = sa.Table(
    "mirror_cursors",
    metadata,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("plan_slug", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    # the instants of payment between which complete pulls covered the list
    sa.Column("covered_since", Instant),
    sa.Column("covered_until", Instant),
    sa.Column("synced_at", Instant),
    sa.Column("synced_in", sa.Text),
    # the running or interrupted pull and its owner; all null when there is none
    sa.Column("pull", sa.Text),
    sa.Column("holder", sa.Text),
    sa.Column("pulling_since", Instant),
    sa.Column("page_size", sa.Integer),
    sa.Column("next_page", sa.Integer),
    sa.Index("uq_mirror_cursors_key", "plan_slug", "kind", unique=True),
)

clashes = sa.Table(
    "mirror_clashes",
    metadata,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("plan_slug", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("number", sa.BigInteger, nullable=False),
    # digest of the service's values (`theirs`); the mirror keeps its own (`ours`)
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("ours", sa.JSON, nullable=False),
    sa.Column("theirs", sa.JSON, nullable=False),
    sa.Column("seen_at", Instant, nullable=False),
    # names of the last pull that showed the service's values, and of the last that showed the mirror's
    sa.Column("theirs_seen_in", sa.Text),
    sa.Column("ours_seen_in", sa.Text),
    # all null while the clash is open
    sa.Column("settlement", sa.Text),
    sa.Column("settled_by", sa.Text),
    sa.Column("settled_because", sa.Text),
    sa.Column("settled_at", Instant),
    sa.Index("uq_mirror_clashes_key", "plan_slug", "kind", "number", "digest", unique=True),
)
