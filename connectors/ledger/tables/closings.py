"""Tables of closed and reopened months and of their reports."""

import sqlalchemy as sa

from connectors.ledger.database.sql import Instant
from connectors.ledger.tables.columns import a_link, an_id, metadata

closings = sa.Table(
    "closings",
    metadata,
    an_id(),
    sa.Column("competence", sa.Date, nullable=False),
    # last event of the journal in this closing: its reports read states as of this event
    sa.Column("last_event", sa.BigInteger, nullable=False),
    sa.Column("closed_at", Instant, nullable=False),
    sa.Column("closed_by", sa.Text, nullable=False),
    sa.Column("reopened_at", Instant),
    sa.Column("reopened_by", sa.Text),
    sa.Column("reopened_because", sa.Text),
    sa.CheckConstraint("(reopened_at IS NULL) = (reopened_by IS NULL)", name="whole_reopening"),
    sa.CheckConstraint("(reopened_at IS NULL) = (reopened_because IS NULL)", name="reopened_with_reason"),
    sa.Index(
        "uq_closings_standing",
        "competence",
        unique=True,
        sqlite_where=sa.text("reopened_at IS NULL"),
        postgresql_where=sa.text("reopened_at IS NULL"),
    ),
)

# each report of a closing, stored once: the same closing gives the same bytes
closing_reports = sa.Table(
    "closing_reports",
    metadata,
    an_id(),
    a_link("closing_id", "closings"),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("sha256", sa.Text, nullable=False),
    sa.Column("size_bytes", sa.BigInteger, nullable=False),
    sa.Column("written_at", Instant, nullable=False),
    sa.UniqueConstraint("closing_id", "name"),
)
