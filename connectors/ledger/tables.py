"""The ledger's tables. Money is integer cents, identifiers are text, instants are aware, state columns are text.

Only `moves` writes a state column; the database refuses a birth or a move that the `legal_moves` table does not hold.
What it refuses besides (a number changing hands, a journal line rewritten, a batch sent without its approval) stands as
triggers in `migrations/versions/0001_*.sql`; a test compares the tables made there with the ones here.
"""

from typing import Final

import sqlalchemy as sa

from connectors.ledger.sql import Instant
from domain.states import LIVING, BatchState, InvoiceState

metadata: Final = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True)


def _link(name: str, target: str, *, nullable: bool = False, index: bool = False) -> sa.Column[int]:
    kind = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    return sa.Column(name, kind, sa.ForeignKey(f"{target}.id"), nullable=nullable, index=index)


def _is_any(column: str, *values: str, but: bool = False) -> str:
    listed = ", ".join(repr(str(value)) for value in sorted(values))
    return f"{column} {'NOT IN' if but else 'IN'} ({listed})"


IS_LIVING: Final = _is_any("state", *LIVING)
IS_DEAD: Final = _is_any("state", *LIVING, but=True)
_B, _I = BatchState, InvoiceState

account = sa.Table(
    "account",
    metadata,
    _id(),
    sa.Column("uuid", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("bound_at", Instant, nullable=False),
    sa.CheckConstraint("id = 1", name="only_one"),
)

files = sa.Table(
    "files",
    metadata,
    _id(),
    sa.Column("sha256", sa.Text, nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("size_bytes", sa.BigInteger, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("received_at", Instant, nullable=False),
)

readings = sa.Table(
    "readings",
    metadata,
    _id(),
    _link("file_id", "files"),
    sa.Column("ordinal", sa.Integer, nullable=False),
    sa.Column("operator", sa.Text, nullable=False),
    sa.Column("started_at", Instant, nullable=False),
    sa.Column("finished_at", Instant),
    # what the operator asked for: emitter_cnpj, competence "2026-11", allow_repeats, retry_rejected
    sa.Column("options", sa.JSON, nullable=False),
    # what the reader made of the file: sheet, header row, mapping, control total, warnings
    sa.Column("understood", sa.JSON(none_as_null=True)),
    sa.UniqueConstraint("file_id", "ordinal"),
)

emitters = sa.Table(
    "emitters",
    metadata,
    _id(),
    sa.Column("remote_id", sa.BigInteger, nullable=False, unique=True),
    sa.Column("cnpj", sa.Text, nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("city_code", sa.Text, nullable=False),
    sa.Column("is_active", sa.Boolean, nullable=False),
    sa.Column("looked_at", Instant, nullable=False),
)

series = sa.Table(
    "series",
    metadata,
    _id(),
    _link("emitter_id", "emitters"),
    sa.Column("serie", sa.Text, nullable=False),
    # what lies below it is somebody else's and known
    sa.Column("first_number", sa.BigInteger, nullable=False),
    sa.Column("next_number", sa.BigInteger, nullable=False),
    sa.Column("highest_posted", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("started_by", sa.Text, nullable=False),
    sa.UniqueConstraint("emitter_id", "serie"),
)

templates = sa.Table(
    "templates",
    metadata,
    _id(),
    _link("emitter_id", "emitters"),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("remote_id", sa.BigInteger, nullable=False),
    sa.Column("body", sa.JSON, nullable=False),
    sa.Column("looked_at", Instant, nullable=False),
    sa.UniqueConstraint("emitter_id", "name"),
)

takers = sa.Table(
    "takers",
    metadata,
    _id(),
    sa.Column("document", sa.Text, nullable=False, unique=True),
    sa.Column("remote_id", sa.BigInteger, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("body", sa.JSON, nullable=False),
    sa.Column("is_complete", sa.Boolean, nullable=False),
    sa.Column("looked_at", Instant, nullable=False),
)

rows = sa.Table(
    "rows",
    metadata,
    _id(),
    _link("file_id", "files"),
    _link("reading_id", "readings"),
    sa.Column("sheet", sa.Text, nullable=False),
    sa.Column("row_number", sa.Integer, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    # {field: text as the person sees it}; the typed line; the problems, as `Problem.to_json`
    sa.Column("cells", sa.JSON, nullable=False),
    sa.Column("line", sa.JSON(none_as_null=True)),
    sa.Column("problems", sa.JSON, nullable=False),
    sa.Column("business_key", sa.Text),
    _link("emitter_id", "emitters", nullable=True),
    _link("taker_id", "takers", nullable=True),
    _link("template_id", "templates", nullable=True),
    sa.UniqueConstraint("reading_id", "sheet", "row_number"),
    sa.Index("ix_rows_file_id_sheet_row_number", "file_id", "sheet", "row_number"),
    sa.Index("ix_rows_reading_id_state", "reading_id", "state"),
)

batches = sa.Table(
    "batches",
    metadata,
    _id(),
    _link("reading_id", "readings", index=True),
    _link("emitter_id", "emitters"),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("competence", sa.Date, nullable=False),
    sa.Column("ordinal", sa.Integer, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False, server_default="1"),
    sa.Column("state", sa.Text, nullable=False),
    # name at the provider, nonce of the attempt included; written before the request that opens it
    sa.Column("name", sa.Text),
    sa.Column("remote_id", sa.BigInteger, unique=True),
    # emission instant of every note whose sheet gave none; fixed when the revision is first opened
    sa.Column("emission_at", Instant),
    sa.Column("count", sa.Integer, nullable=False),
    sa.Column("total_cents", sa.BigInteger, nullable=False),
    sa.Column("digest", sa.Text),
    # lease: `lease_until` is the database's clock; `lease_owner` null = given back, nothing in flight
    sa.Column("fence", sa.Integer, nullable=False, server_default="0"),
    sa.Column("lease_owner", sa.Text),
    sa.Column("lease_until", Instant),
    # end of the last lease that was taken over: its owner may have had requests in flight until then
    sa.Column("settle_after", Instant),
    # a doubt, takeover, restart or mismatch happened: the counted proof no longer suffices
    sa.Column("must_list", sa.Boolean, nullable=False, server_default=sa.false()),
    # discarded only to be issued under new numbers: its rows are drafted again when its last note is gone
    sa.Column("renews", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("proven_by", sa.Text),
    sa.Column("due_at", Instant, nullable=False),
    sa.Column("looks", sa.Integer, nullable=False, server_default="0"),
    sa.Column("counters", sa.JSON(none_as_null=True)),
    sa.Column("last_answer_at", Instant),
    sa.Column("sent_at", Instant),
    sa.Column("closed_at", Instant),
    # after closing: when it was last counted again (somebody may cancel in the provider's web page)
    sa.Column("recounted_at", Instant),
    sa.CheckConstraint('"count" >= 0 AND total_cents >= 0', name="not_negative"),
    sa.CheckConstraint("(lease_owner IS NULL) = (lease_until IS NULL)", name="whole_lease"),
    sa.CheckConstraint(
        _is_any("state", _B.PLANNED, _B.OPENING, _B.DISTURBED, _B.DISCARDING, _B.DISCARDED)
        + " OR remote_id IS NOT NULL",
        name="opened_has_remote_id",
    ),
    sa.Index("ix_batches_state_due_at", "state", "due_at"),
)

orphans = sa.Table(
    "orphans",
    metadata,
    _id(),
    _link("batch_id", "batches"),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("remote_id", sa.BigInteger),
    sa.Column("at", Instant, nullable=False),
)

invoices = sa.Table(
    "invoices",
    metadata,
    _id(),
    _link("row_id", "rows", index=True),
    _link("batch_id", "batches", nullable=True),
    _link("emitter_id", "emitters"),
    _link("taker_id", "takers"),
    _link("template_id", "templates", nullable=True),
    # the dead invoice whose row this one takes up again
    _link("follows_id", "invoices", nullable=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("business_key", sa.Text, nullable=False),
    sa.Column("competence", sa.Date, nullable=False),
    sa.Column("emission_at", Instant),
    sa.Column("serie", sa.Text),
    sa.Column("number", sa.BigInteger),
    # the request as JSON text without batch, number and default emission instant, and its SHA-256
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("service_cents", sa.BigInteger, nullable=False),
    sa.Column("liquid_cents", sa.BigInteger, nullable=False),
    # every amount by its wire name, in cents
    sa.Column("amounts", sa.JSON, nullable=False),
    sa.Column("remote_id", sa.BigInteger),
    sa.Column("nfse_number", sa.Text),
    sa.Column("nfse_key", sa.Text),
    sa.Column("errors", sa.JSON, nullable=False),
    # digest of what the provider answered (id, batch, number, amounts): what approval is bound to
    sa.Column("answer_digest", sa.Text),
    sa.Column("doubts", sa.Integer, nullable=False, server_default="0"),
    # last instant at which a byte of a post may have left; the first stable listing that lacked the note since
    sa.Column("last_byte_at", Instant),
    sa.Column("absent_at", Instant),
    sa.UniqueConstraint("emitter_id", "serie", "number"),
    sa.UniqueConstraint("kind", "remote_id"),
    sa.CheckConstraint("(serie IS NULL) = (number IS NULL)", name="whole_number"),
    sa.CheckConstraint(
        f"{_is_any('state', _I.DRAFTED, _I.RETIRED)} OR (number IS NOT NULL AND batch_id IS NOT NULL)",
        name="reserved_has_number",
    ),
    sa.CheckConstraint(
        _is_any("state", _I.CREATED, _I.SCHEDULED, _I.PROCESSING, _I.ACCEPTED, _I.CANCELLING, but=True)
        + " OR remote_id IS NOT NULL",
        name="created_has_remote_id",
    ),
    sa.CheckConstraint("service_cents >= 0 AND liquid_cents >= 0", name="not_negative"),
    sa.Index(
        "uq_invoices_living_business_key",
        "business_key",
        unique=True,
        sqlite_where=sa.text(IS_LIVING),
        postgresql_where=sa.text(IS_LIVING),
    ),
    # the number audit looks at the dead only: few, however long the ledger has been in use
    sa.Index(
        "ix_invoices_dead_number",
        "emitter_id",
        "serie",
        "number",
        sqlite_where=sa.text(IS_DEAD),
        postgresql_where=sa.text(IS_DEAD),
    ),
    sa.Index("ix_invoices_batch_id_state", "batch_id", "state"),
    sa.Index("ix_invoices_business_key", "business_key"),
)

numbers = sa.Table(
    "numbers",
    metadata,
    _link("emitter_id", "emitters"),
    sa.Column("serie", sa.Text, nullable=False),
    sa.Column("number", sa.BigInteger, nullable=False),
    _link("invoice_id", "invoices"),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("posted_at", Instant),
    sa.Column("retired_at", Instant),
    sa.Column("retired_because", sa.Text),
    sa.PrimaryKeyConstraint("emitter_id", "serie", "number"),
    sa.UniqueConstraint("invoice_id"),
    sa.CheckConstraint("number > 0", name="positive"),
    sa.CheckConstraint("(retired_at IS NULL) = (retired_because IS NULL)", name="retired_with_reason"),
)

attempts = sa.Table(
    "attempts",
    metadata,
    _id(),
    _link("batch_id", "batches", index=True),
    _link("invoice_id", "invoices", nullable=True, index=True),
    sa.Column("what", sa.Text, nullable=False),
    sa.Column("fence", sa.Integer, nullable=False),
    sa.Column("begun_at", Instant, nullable=False),
    sa.Column("last_byte_at", Instant),
    sa.Column("ended_at", Instant),
    # done | not_sent | refused | doubtful | disturbed; null = never heard of again (the process died)
    sa.Column("outcome", sa.Text),
    sa.Column("status", sa.Integer),
    sa.Column("remote_id", sa.BigInteger),
    sa.Column("detail", sa.Text),
    sa.CheckConstraint(
        _is_any("outcome", "done", "not_sent", "refused", "doubtful", "disturbed"), name="known_outcome"
    ),
)

events = sa.Table(
    "events",
    metadata,
    _id(),
    sa.Column("entity", sa.Text, nullable=False),
    sa.Column("entity_id", sa.BigInteger, nullable=False),
    sa.Column("was", sa.Text),
    sa.Column("becomes", sa.Text, nullable=False),
    sa.Column("because", sa.Text, nullable=False),
    sa.Column("is_observed", sa.Boolean, nullable=False),
    sa.Column("fence", sa.Integer),
    sa.Column("at", Instant, nullable=False),
    sa.Index("ix_events_entity_entity_id", "entity", "entity_id"),
)

incidents = sa.Table(
    "incidents",
    metadata,
    _id(),
    _link("batch_id", "batches", nullable=True, index=True),
    _link("invoice_id", "invoices", nullable=True),
    sa.Column("code", sa.Text, nullable=False),
    sa.Column("params", sa.JSON, nullable=False),
    sa.Column("opened_at", Instant, nullable=False),
    sa.Column("closed_at", Instant),
    sa.Column("closed_by", sa.Text),
)

approvals = sa.Table(
    "approvals",
    metadata,
    _id(),
    _link("batch_id", "batches"),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("count", sa.Integer, nullable=False),
    sa.Column("total_cents", sa.BigInteger, nullable=False),
    sa.Column("approver", sa.Text, nullable=False),
    sa.Column("approved_at", Instant, nullable=False),
    sa.Column("void_at", Instant),
    sa.Column("void_because", sa.Text),
    sa.Index(
        "uq_approvals_standing",
        "batch_id",
        unique=True,
        sqlite_where=sa.text("void_at IS NULL"),
        postgresql_where=sa.text("void_at IS NULL"),
    ),
)

traffic = sa.Table(
    "traffic",
    metadata,
    _id(),
    _link("reading_id", "readings", nullable=True, index=True),
    _link("batch_id", "batches", nullable=True, index=True),
    sa.Column("station", sa.Text, nullable=False),
    sa.Column("requests", sa.Integer, nullable=False),
    sa.Column("at", Instant, nullable=False),
)

# filled by the migrations from `domain.states`; `was` is empty where a thing is born
legal_moves = sa.Table(
    "legal_moves",
    metadata,
    sa.Column("entity", sa.Text, nullable=False),
    sa.Column("was", sa.Text, nullable=False),
    sa.Column("becomes", sa.Text, nullable=False),
    sa.PrimaryKeyConstraint("entity", "was", "becomes"),
)
