"""Seals over the journal, restorations, erasures, rate limits and latencies, alerts, certificates, hints."""

import sqlalchemy as sa

from connectors.ledger.database.sql import Instant
from connectors.ledger.tables.columns import a_link, an_id, metadata, partial_index

restorations = sa.Table(
    "restorations",
    metadata,
    an_id(),
    # the copy's digest, and an instant not later than its content
    sa.Column("sha256", sa.Text, nullable=False),
    sa.Column("taken_at", Instant, nullable=False),
    sa.Column("restored_at", Instant, nullable=False),
    sa.Column("restored_by", sa.Text, nullable=False),
    # the last comparison with the provider, and its unexplained findings, as `Problem.to_json`
    sa.Column("checked_at", Instant),
    sa.Column("findings", sa.JSON, nullable=False),
    # while null, the ledger is in quarantine: no invoice is posted and no batch is sent
    sa.Column("freed_at", Instant),
    sa.Column("freed_by", sa.Text),
    sa.Column("freed_because", sa.Text),
    sa.CheckConstraint("(freed_at IS NULL) = (freed_by IS NULL)", name="freed_by_somebody"),
)

# the seals of the hash chain over the events; see `backup.seals`
seals = sa.Table(
    "seals",
    metadata,
    an_id(),
    sa.Column("last_event", sa.BigInteger, nullable=False),
    sa.Column("count", sa.Integer, nullable=False),
    # SHA-256 in hexadecimal: of the previous seal, empty for the first seal, and of this seal
    sa.Column("previous", sa.Text, nullable=False),
    sa.Column("head", sa.Text, nullable=False),
    sa.Column("sealed_at", Instant, nullable=False),
)

# the journal of erasures: for a person (`erased`) or at the end of a retention term (`expired`); without names
erasures = sa.Table(
    "erasures",
    metadata,
    an_id(),
    sa.Column("what", sa.Text, nullable=False),
    # keyed digest of the CPF or CNPJ: with that and the ledger's secret, one can find the entry again
    sa.Column("pseudonym", sa.Text),
    sa.Column("done_by", sa.Text, nullable=False),
    sa.Column("because", sa.Text, nullable=False),
    # how many rows of each table changed
    sa.Column("counts", sa.JSON, nullable=False),
    # the journal's newest seal at that time, as `str(Head)`
    sa.Column("head", sa.Text),
    sa.Column("at", Instant, nullable=False),
    sa.CheckConstraint("what IN ('erased', 'expired')", name="known_what"),
)

# the shared rate limit of each outside system; no value matters after a day
rate_limits = sa.Table(
    "rate_limits",
    metadata,
    sa.Column("system", sa.Text, primary_key=True),
    # when the next request may begin; the limit of requests a minute, null without a 429 response
    sa.Column("next_at", Instant),
    sa.Column("per_minute", sa.Integer),
    sa.Column("slowed_at", Instant),
    # no worker sends until `resting_until`; `rests` counts the pauses in a row
    sa.Column("rests", sa.Integer, nullable=False, server_default="0"),
    sa.Column("resting_since", Instant),
    sa.Column("resting_until", Instant),
    sa.Column("because", sa.Text),
    sa.CheckConstraint("per_minute IS NULL OR per_minute > 0", name="moving"),
)

# how many requests each session of a system may have in flight; see `connectors.ledger.request_slots`
request_slots = sa.Table(
    "request_slots",
    metadata,
    sa.Column("system", sa.Text, nullable=False),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("slots", sa.Integer, nullable=False),
    # when the session got its slot or began to wait for one
    sa.Column("since", Instant, nullable=False),
    # when every request that the session may have started has ended
    sa.Column("until", Instant, nullable=False),
    sa.PrimaryKeyConstraint("system", "owner"),
    sa.CheckConstraint("slots >= 0", name="whole"),
)

# outcomes and durations of requests since the ledger began; see `connectors.http.request_stats`
latencies = sa.Table(
    "latencies",
    metadata,
    sa.Column("system", sa.Text, nullable=False),
    # a class of HTTP statuses such as "2xx", or "silent": no answer came
    sa.Column("outcome", sa.Text, nullable=False),
    # index of the histogram bucket
    sa.Column("bucket", sa.Integer, nullable=False),
    sa.Column("requests", sa.BigInteger, nullable=False),
    sa.Column("micros", sa.BigInteger, nullable=False),
    sa.PrimaryKeyConstraint("system", "outcome", "bucket"),
)

# alerts to people, each sent once to each recipient; open until the cause ends
alerts = sa.Table(
    "alerts",
    metadata,
    an_id(),
    sa.Column("topic", sa.Text, nullable=False),
    # distinguishes alerts of one topic: a flow's name, a batch's id
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("code", sa.Text, nullable=False),
    sa.Column("params", sa.JSON, nullable=False),
    sa.Column("raised_at", Instant, nullable=False),
    # until when a sender has claimed it; null: nobody has
    sa.Column("claimed_until", Instant),
    # names of the recipients who got the message; when the last of them got it
    sa.Column("delivered_to", sa.JSON, nullable=False),
    sa.Column("delivered_at", Instant),
    sa.Column("cleared_at", Instant),
    partial_index("uq_alerts_open", "topic", "subject", where="cleared_at IS NULL", unique=True),
)

# when a company's certificate expires, from its file; the newest row of a company at a provider is valid
certificates = sa.Table(
    "certificates",
    metadata,
    an_id(),
    sa.Column("system", sa.Text, nullable=False),
    sa.Column("cnpj", sa.Text, nullable=False),
    sa.Column("ends_at", Instant, nullable=False),
    sa.Column("entered_at", Instant, nullable=False),
    sa.Column("entered_by", sa.Text, nullable=False),
    sa.Index("ix_certificates_system_cnpj", "system", "cnpj"),
)

# webhook claims that an invoice under way has ended; they only change the time of the next look
hints = sa.Table(
    "hints",
    metadata,
    sa.Column("invoice_id", sa.ForeignKey("invoices.id"), primary_key=True, autoincrement=False),
    a_link("batch_id", "batches", index=True),
    sa.Column("heard_at", Instant, nullable=False),
)

# deliveries of webhooks since the ledger began, counted by result
deliveries = sa.Table(
    "deliveries",
    metadata,
    sa.Column("outcome", sa.Text, primary_key=True),
    sa.Column("count", sa.BigInteger, nullable=False),
    sa.Column("last_at", Instant, nullable=False),
)
