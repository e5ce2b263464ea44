"""Journals of actions, observations and decisions, and the legal moves."""

from typing import Final

import sqlalchemy as sa

from connectors.ledger.database.sql import Instant
from connectors.ledger.tables.columns import a_link, an_id, is_any, metadata, partial_index, vacuum_often

BLOCK: Final = 128
"""Ids in one block of the journal of states: an entry covers rows or invoices of one block only."""

attempts = sa.Table(
    "attempts",
    metadata,
    an_id(),
    a_link("batch_id", "batches", index=True),
    a_link("invoice_id", "invoices", nullable=True, index=True),
    sa.Column("what", sa.Text, nullable=False),
    sa.Column("fence", sa.Integer, nullable=False),
    sa.Column("begun_at", Instant, nullable=False),
    sa.Column("last_byte_at", Instant),
    sa.Column("ended_at", Instant),
    # done | not_sent | refused | in_doubt | disturbed; null = unknown (the process died)
    sa.Column("outcome", sa.Text),
    sa.Column("status", sa.Integer),
    sa.Column("remote_id", sa.BigInteger),
    sa.Column("detail", sa.Text),
    sa.CheckConstraint(is_any("outcome", "done", "not_sent", "refused", "in_doubt", "disturbed"), name="known_outcome"),
)
vacuum_often(attempts)

# the journal of states: each entry covers a range of ids that moved together; see `connectors.ledger.journal`
events = sa.Table(
    "events",
    metadata,
    an_id(),
    sa.Column("entity", sa.Text, nullable=False),
    sa.Column("block", sa.BigInteger, nullable=False),
    sa.Column("first_id", sa.BigInteger, nullable=False),
    sa.Column("last_id", sa.BigInteger, nullable=False),
    sa.Column("was", sa.Text),
    sa.Column("becomes", sa.Text, nullable=False),
    sa.Column("because", sa.Text, nullable=False),
    sa.Column("is_observed", sa.Boolean, nullable=False),
    sa.Column("fence", sa.Integer),
    sa.Column("at", Instant, nullable=False),
    sa.CheckConstraint(
        "first_id <= last_id AND CASE entity WHEN 'batch' THEN block = first_id AND block = last_id"
        f" ELSE block = first_id / {BLOCK} AND block = last_id / {BLOCK} END",
        name="run_in_block",
    ),
    sa.Index("ix_events_entity_block", "entity", "block"),
)

incidents = sa.Table(
    "incidents",
    metadata,
    an_id(),
    a_link("batch_id", "batches", nullable=True, index=True),
    a_link("invoice_id", "invoices", nullable=True),
    sa.Column("code", sa.Text, nullable=False),
    sa.Column("params", sa.JSON, nullable=False),
    sa.Column("opened_at", Instant, nullable=False),
    sa.Column("closed_at", Instant),
    sa.Column("closed_by", sa.Text),
)

approvals = sa.Table(
    "approvals",
    metadata,
    an_id(),
    a_link("batch_id", "batches"),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("count", sa.Integer, nullable=False),
    sa.Column("total_cents", sa.BigInteger, nullable=False),
    sa.Column("approver", sa.Text, nullable=False),
    sa.Column("approved_at", Instant, nullable=False),
    sa.Column("void_at", Instant),
    sa.Column("void_because", sa.Text),
    # ids of the acknowledgements that the approval relies on
    sa.Column("acknowledgements", sa.JSON, nullable=False, server_default="[]"),
    # null if the profile approves automatically, or if the ledger has no enrolled person
    a_link("staff_id", "staff", nullable=True, index=True),
    partial_index("uq_approvals_standing", "batch_id", where="void_at IS NULL", unique=True),
)

# findings (differences from the month before): who acknowledged each and why, before an approval
acknowledgements = sa.Table(
    "acknowledgements",
    metadata,
    an_id(),
    a_link("reading_id", "readings"),
    # SHA-256 of the finding: with another amount, customer or month it is another finding
    sa.Column("finding", sa.Text, nullable=False),
    sa.Column("change", sa.Text, nullable=False),
    a_link("emitter_id", "emitters"),
    sa.Column("competence", sa.Date, nullable=False),
    a_link("taker_id", "takers", nullable=True),
    sa.Column("template", sa.Text),
    sa.Column("cents_before", sa.BigInteger),
    sa.Column("cents", sa.BigInteger),
    sa.Column("person", sa.Text, nullable=False),
    sa.Column("because", sa.Text, nullable=False),
    sa.Column("at", Instant, nullable=False),
    sa.UniqueConstraint("reading_id", "finding"),
    sa.CheckConstraint(is_any("change", "newcomer", "missing", "amount", "twice", "cancelled"), name="known_change"),
)

cancellations = sa.Table(
    "cancellations",
    metadata,
    an_id(),
    a_link("invoice_id", "invoices", index=True),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("requested_by", sa.Text, nullable=False),
    sa.Column("requested_at", Instant, nullable=False),
    sa.Column("approved_by", sa.Text),
    sa.Column("approved_at", Instant),
    # before this instant, no request about it is sent
    sa.Column("due_at", Instant, nullable=False),
    sa.Column("ended_at", Instant),
    # cancelled | refused | withdrawn | unanswered; null while it is open
    sa.Column("outcome", sa.Text),
    # who refused or withdrew it, and why: our problems, or the city's messages (`code`, `description`, `tip`)
    sa.Column("answers", sa.JSON, nullable=False),
    sa.CheckConstraint("(ended_at IS NULL) = (outcome IS NULL)", name="whole_end"),
    sa.CheckConstraint("(approved_by IS NULL) = (approved_at IS NULL)", name="whole_approval"),
    sa.CheckConstraint(is_any("outcome", "cancelled", "refused", "withdrawn", "unanswered"), name="known_outcome"),
    partial_index("uq_cancellations_open", "invoice_id", where="ended_at IS NULL", unique=True),
)

# changes of a provider's records that a person asked for by a command: emitters, members, orders and others
remote_changes = sa.Table(
    "remote_changes",
    metadata,
    an_id(),
    sa.Column("system", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("verb", sa.Text, nullable=False),
    # id of the record at the provider; for a record without an id, the ids of what contains it
    sa.Column("subject", sa.Text, nullable=False),
    # names of the changed fields, never their values; and the digest of the whole request
    sa.Column("fields", sa.JSON, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("asked_by", sa.Text, nullable=False),
    sa.Column("because", sa.Text, nullable=False),
    sa.Column("begun_at", Instant, nullable=False),
    sa.Column("ended_at", Instant),
    # done | refused | not_sent | absent; null while it is under way or in doubt
    sa.Column("outcome", sa.Text),
    sa.Column("answered", sa.Text),
    sa.CheckConstraint("(ended_at IS NULL) = (outcome IS NULL)", name="whole_end"),
    sa.CheckConstraint(is_any("outcome", "done", "refused", "not_sent", "absent"), name="known_outcome"),
    partial_index("uq_remote_changes_open", "digest", where="ended_at IS NULL", unique=True),
    partial_index("ix_remote_changes_done", "digest", where="outcome = 'done'"),
)

traffic = sa.Table(
    "traffic",
    metadata,
    an_id(),
    sa.Column("station", sa.Text, nullable=False),
    sa.Column("requests", sa.Integer, nullable=False),
    sa.Column("at", Instant, nullable=False),
)

# filled by the migrations from `domain.states`; `was` is empty for a first state
legal_moves = sa.Table(
    "legal_moves",
    metadata,
    sa.Column("entity", sa.Text, nullable=False),
    sa.Column("was", sa.Text, nullable=False),
    sa.Column("becomes", sa.Text, nullable=False),
    sa.PrimaryKeyConstraint("entity", "was", "becomes"),
)
