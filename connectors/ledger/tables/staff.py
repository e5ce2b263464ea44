"""Tables of enrolled people, their secrets, their one-time codes, and the journal of changes."""

import sqlalchemy as sa

from connectors.ledger.database.sql import Instant
from connectors.ledger.tables.columns import a_link, an_id, is_any, metadata

staff = sa.Table(
    "staff",
    metadata,
    an_id(),
    sa.Column("email", sa.Text, nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False),
    # values of `domain.staff.Role`, sorted, with a comma between two
    sa.Column("roles", sa.Text, nullable=False),
    # largest amount of one approval in cents; null: any amount
    sa.Column("limit_cents", sa.BigInteger),
    # counts changes of roles, limit and secret, and the revocation
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("enrolled_at", Instant, nullable=False),
    sa.Column("enrolled_by", sa.Text, nullable=False),
    sa.Column("revoked_at", Instant),
    sa.Column("revoked_by", sa.Text),
    # failed attempts since the last success
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("locked_until", Instant),
    sa.CheckConstraint("(revoked_at IS NULL) = (revoked_by IS NULL)", name="whole_revocation"),
    sa.CheckConstraint("limit_cents IS NULL OR limit_cents >= 0", name="limit"),
)

# the hash of a person's secret: Argon2id, as a PHC string. A temporary secret expires; it only serves to choose a
# password.
staff_secrets = sa.Table(
    "staff_secrets",
    metadata,
    a_link("staff_id", "staff"),
    sa.Column("verifier", sa.Text, nullable=False),
    sa.Column("temporary_until", Instant),
    sa.PrimaryKeyConstraint("staff_id"),
)

# normalized names of a person: machine users, owners of files, folders of the inbox
staff_names = sa.Table(
    "staff_names",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    a_link("staff_id", "staff", index=True),
)

# codes for one approval in the dashboard; each is valid once, for exactly these contents
staff_codes = sa.Table(
    "staff_codes",
    metadata,
    an_id(),
    a_link("staff_id", "staff"),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("digest", sa.Text, nullable=False, unique=True),
    # batch → digest of its content
    sa.Column("batches", sa.JSON, nullable=False),
    sa.Column("expires_at", Instant, nullable=False),
    sa.Column("used_at", Instant),
)

staff_events = sa.Table(
    "staff_events",
    metadata,
    an_id(),
    # null: an attempt with an unknown address
    a_link("staff_id", "staff", nullable=True, index=True),
    sa.Column("what", sa.Text, nullable=False),
    sa.Column("was", sa.Text),
    sa.Column("becomes", sa.Text),
    sa.Column("done_by", sa.Text, nullable=False),
    sa.Column("at", Instant, nullable=False),
    sa.CheckConstraint(
        is_any("what", "enrolled", "roles", "limit", "named", "secret", "reset", "revoked", "unlocked", "tried",
               "locked", "proved", "code", "redeemed", "erased"),
        name="known_what",
    ),
)  # fmt: skip
