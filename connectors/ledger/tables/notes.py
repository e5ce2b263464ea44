"""Batches, their invoices, and the permanent numbers of the invoices."""

from typing import Final

import sqlalchemy as sa

from connectors.ledger.database.sql import Instant
from connectors.ledger.tables.columns import (
    IS_LIVING,
    IS_STAGED,
    ISSUED_BY,
    a_link,
    an_id,
    is_any,
    issued_by,
    metadata,
    of_same_issuer,
    partial_index,
    vacuum_often,
)
from domain.states import BatchState, InvoiceState

_B, _I = BatchState, InvoiceState

batches = sa.Table(
    "batches",
    metadata,
    an_id(),
    a_link("reading_id", "readings", index=True),
    a_link("emitter_id", None),
    *issued_by(),
    sa.Column("competence", sa.Date, nullable=False),
    sa.Column("ordinal", sa.Integer, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False, server_default="1"),
    sa.Column("state", sa.Text, nullable=False),
    # name at the provider, with a nonce; stored before the request that creates the batch there
    sa.Column("name", sa.Text),
    sa.Column("remote_id", sa.BigInteger),
    # emission instant of every note whose row has none; set when the batch is opened or reopened; null if the issuer
    # does not stage
    sa.Column("emission_at", Instant),
    sa.Column("count", sa.Integer, nullable=False),
    sa.Column("total_cents", sa.BigInteger, nullable=False),
    sa.Column("digest", sa.Text),
    # the lease, by the database's clock; `lease_owner` null: no worker has the batch
    sa.Column("fence", sa.Integer, nullable=False, server_default="0"),
    sa.Column("lease_owner", sa.Text),
    sa.Column("lease_until", Instant),
    # when the newest lease began: earlier hints have led to a look
    sa.Column("claimed_at", Instant),
    # end of the last lease that another worker took over: its owner may have had requests in flight until then
    sa.Column("settle_after", Instant),
    # true after a doubt, takeover, restart or mismatch: only the listed proof is enough
    sa.Column("must_list", sa.Boolean, nullable=False, server_default=sa.false()),
    # discarded only to be issued under new numbers: its rows are drafted again when its last note is deleted
    sa.Column("renews", sa.Boolean, nullable=False, server_default=sa.false()),
    # a canary goes first; the rest of its emitter and month in the reading waits until it is accepted, or a person
    # releases it
    sa.Column("is_canary", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("waits_for_canary", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("proven_by", sa.Text),
    sa.Column("due_at", Instant, nullable=False),
    sa.Column("looks", sa.Integer, nullable=False, server_default="0"),
    sa.Column("counters", sa.JSON(none_as_null=True)),
    sa.Column("last_answer_at", Instant),
    sa.Column("sent_at", Instant),
    sa.Column("closed_at", Instant),
    # when the counters were last read after the end (somebody may cancel on the provider's website)
    sa.Column("recounted_at", Instant),
    sa.CheckConstraint('"count" >= 0 AND total_cents >= 0', name="not_negative"),
    sa.CheckConstraint("(lease_owner IS NULL) = (lease_until IS NULL)", name="whole_lease"),
    sa.CheckConstraint(
        is_any("state", _B.PLANNED, _B.OPENING, _B.DISTURBED, _B.DISCARDING, _B.DISCARDED)
        + f" OR remote_id IS NOT NULL OR NOT {IS_STAGED}",
        name="opened_has_remote_id",
    ),
    # for an issuer without staging, the batch exists only in the ledger
    sa.CheckConstraint(f"{IS_STAGED} OR (name IS NULL AND remote_id IS NULL)", name="unstaged_is_ours_alone"),
    of_same_issuer("emitter_id", "emitters"),
    sa.UniqueConstraint("id", *ISSUED_BY),
    sa.UniqueConstraint("issuer", "remote_id"),
    sa.Index("ix_batches_state_due_at", "state", "due_at"),
)

orphans = sa.Table(
    "orphans",
    metadata,
    an_id(),
    a_link("batch_id", "batches"),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("remote_id", sa.BigInteger),
    sa.Column("at", Instant, nullable=False),
)

_IS_LIVING: Final = sa.column("is_living", sa.Boolean) == sa.true()
_IS_DEAD: Final = sa.column("is_living", sa.Boolean) == sa.false()
_REPLACES: Final = sa.column("replaces_id").is_not(None)

invoices = sa.Table(
    "invoices",
    metadata,
    an_id(),
    a_link("row_id", "rows", index=True),
    a_link("batch_id", None, nullable=True),
    a_link("emitter_id", None),
    # null for a product invoice, whose content has its customer, if any
    a_link("taker_id", "takers", nullable=True),
    a_link("template_id", "templates", nullable=True),
    # the dead invoice that this invoice repeats
    a_link("follows_id", "invoices", nullable=True),
    # the issued invoice that this invoice replaces at the city
    a_link("replaces_id", "invoices", nullable=True),
    # the first row of this charge, so that a corrected row gets no second living invoice
    sa.Column("origin_id", sa.BigInteger().with_variant(sa.Integer, "sqlite")),
    *issued_by(),
    sa.Column("state", sa.Text, nullable=False),
    # whether the state is a living one, for the conditions of the indexes below: with the state in a condition, SQLite
    # would write these indexes again at every move
    sa.Column("is_living", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("business_key", sa.Text, nullable=False),
    sa.Column("competence", sa.Date, nullable=False),
    sa.Column("emission_at", Instant),
    sa.Column("serie", sa.Text),
    sa.Column("number", sa.BigInteger),
    # the canonical invoice as JSON text, and its SHA-256
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("service_cents", sa.BigInteger, nullable=False),
    sa.Column("liquid_cents", sa.BigInteger, nullable=False),
    # every amount by name, in cents
    sa.Column("amounts", sa.JSON, nullable=False),
    sa.Column("remote_id", sa.BigInteger),
    # for a product invoice: its number and its access key
    sa.Column("nfse_number", sa.Text),
    sa.Column("nfse_key", sa.Text),
    sa.Column("errors", sa.JSON, nullable=False),
    # digest of the provider's answer (id, batch, number, amounts), which the approved digest of the batch includes
    sa.Column("answer_digest", sa.Text),
    sa.Column("doubts", sa.Integer, nullable=False, server_default="0"),
    # last instant at which a byte of a post may have left; and when the first stable listing without the note began
    sa.Column("last_byte_at", Instant),
    sa.Column("absent_at", Instant),
    sa.UniqueConstraint("emitter_id", "serie", "number"),
    sa.UniqueConstraint("issuer", "remote_id"),
    of_same_issuer("emitter_id", "emitters"),
    of_same_issuer("batch_id", "batches"),
    sa.CheckConstraint("kind <> 'service' OR taker_id IS NOT NULL", name="service_has_taker"),
    sa.CheckConstraint(
        f"{IS_STAGED} OR {is_any('state', _I.CREATED, _I.SCHEDULED, but=True)}", name="unstaged_is_issued_at_once"
    ),
    sa.CheckConstraint("(serie IS NULL) = (number IS NULL)", name="whole_number"),
    sa.CheckConstraint(
        f"{is_any('state', _I.DRAFTED, _I.RETIRED)} OR (number IS NOT NULL AND batch_id IS NOT NULL)",
        name="reserved_has_number",
    ),
    sa.CheckConstraint(
        is_any("state", _I.CREATED, _I.SCHEDULED, _I.PROCESSING, _I.ACCEPTED, _I.CANCELLING, but=True)
        + " OR remote_id IS NOT NULL",
        name="created_has_remote_id",
    ),
    sa.CheckConstraint("service_cents >= 0 AND liquid_cents >= 0", name="not_negative"),
    partial_index("uq_invoices_living_business_key", "business_key", where=_IS_LIVING, unique=True),
    partial_index("uq_invoices_living_origin", "origin_id", where=_IS_LIVING, unique=True),
    partial_index("ix_invoices_replaces_id", "replaces_id", where=_REPLACES),
    partial_index("uq_invoices_living_replaces_id", "replaces_id", where=_REPLACES & _IS_LIVING, unique=True),
    # for the number audit, which reads only the dead invoices: few, however old the ledger is
    partial_index("ix_invoices_dead_number", "emitter_id", "serie", "number", where=_IS_DEAD),
    sa.CheckConstraint(f"is_living = ({IS_LIVING})", name="living_by_state"),
    sa.Index("ix_invoices_batch_id_state", "batch_id", "state"),
    sa.Index("ix_invoices_business_key", "business_key"),
    sa.Index("ix_invoices_taker_id_competence", "taker_id", "competence"),
)

numbers = sa.Table(
    "numbers",
    metadata,
    a_link("emitter_id", "emitters"),
    sa.Column("serie", sa.Text, nullable=False),
    sa.Column("number", sa.BigInteger, nullable=False),
    a_link("invoice_id", "invoices"),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("retired_at", Instant),
    sa.Column("retired_because", sa.Text),
    sa.PrimaryKeyConstraint("emitter_id", "serie", "number"),
    sa.UniqueConstraint("invoice_id"),
    sa.CheckConstraint("number > 0", name="positive"),
    sa.CheckConstraint("(retired_at IS NULL) = (retired_because IS NULL)", name="retired_with_reason"),
)
vacuum_often(invoices, numbers)

documents = sa.Table(
    "documents",
    metadata,
    an_id(),
    a_link("invoice_id", "invoices"),
    sa.Column("kind", sa.Text, nullable=False),
    # digest of the document in the archive; null until the document was fetched
    sa.Column("sha256", sa.Text),
    sa.Column("size_bytes", sa.BigInteger),
    sa.Column("fetched_at", Instant),
    sa.Column("tried_at", Instant, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False),
    # the problem code of the last failed fetch
    sa.Column("problem", sa.Text),
    sa.CheckConstraint(is_any("kind", "xml", "pdf"), name="known_kind"),
    sa.CheckConstraint("(sha256 IS NULL) = (fetched_at IS NULL)", name="whole_document"),
    sa.UniqueConstraint("invoice_id", "kind"),
)
