"""Tables of closed and reopened months, of their reports, and of detached months."""

import sqlalchemy as sa

from connectors.ledger.database.sql import Instant
from connectors.ledger.tables.columns import a_link, an_id, metadata, partial_index

closings = sa.Table(
    "closings",
    metadata,
    an_id(),
    sa.Column("competence", sa.Date, nullable=False),
    # id of the last event that this closing includes: its reports show the states after this event
    sa.Column("last_event", sa.BigInteger, nullable=False),
    # ids of the newest contract version, and of the mirror's newest paid invoice, that this closing includes; 0: none
    sa.Column("last_contract", sa.BigInteger, nullable=False),
    sa.Column("last_payment", sa.BigInteger, nullable=False),
    sa.Column("closed_at", Instant, nullable=False),
    sa.Column("closed_by", sa.Text, nullable=False),
    sa.Column("reopened_at", Instant),
    sa.Column("reopened_by", sa.Text),
    sa.Column("reopened_because", sa.Text),
    sa.CheckConstraint("(reopened_at IS NULL) = (reopened_by IS NULL)", name="whole_reopening"),
    sa.CheckConstraint("(reopened_at IS NULL) = (reopened_because IS NULL)", name="reopened_with_reason"),
    partial_index("uq_closings_standing", "competence", where="reopened_at IS NULL", unique=True),
)

# digest and size of each report of a closing, stored once: the same closing gives the same bytes
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

# a closed month past its term: a file has the texts of its rows and invoices, its attempts, and the journal up to
# `last_event`; see `connectors.ledger.detached`
detached_months = sa.Table(
    "detached_months",
    metadata,
    an_id(),
    sa.Column("competence", sa.Date, nullable=False, unique=True),
    sa.Column("file", sa.Text, nullable=False),
    # SHA-256 of the file's lines before compression and encryption
    sa.Column("sha256", sa.Text, nullable=False),
    # the file's row counts by table, and the sum of its invoices' services in cents
    sa.Column("counts", sa.JSON, nullable=False),
    sa.Column("service_cents", sa.BigInteger, nullable=False),
    # id of the last event in this file or the file of an earlier month; 0: none
    sa.Column("last_event", sa.BigInteger, nullable=False),
    sa.Column("detached_at", Instant, nullable=False),
    sa.Column("detached_by", sa.Text, nullable=False),
    # when the last content of the file was deleted from the tables; null until then
    sa.Column("emptied_at", Instant),
)

# states after the detached part of the journal, by ranges of ids; the rest of the journal continues from them
carried_states = sa.Table(
    "carried_states",
    metadata,
    sa.Column("entity", sa.Text, nullable=False),
    sa.Column("block", sa.BigInteger, nullable=False),
    sa.Column("first_id", sa.BigInteger, nullable=False),
    sa.Column("last_id", sa.BigInteger, nullable=False),
    sa.Column("becomes", sa.Text, nullable=False),
    sa.PrimaryKeyConstraint("entity", "block", "first_id"),
    sa.CheckConstraint("first_id <= last_id", name="run"),
)
