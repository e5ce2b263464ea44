"""Emitters, templates and takers, as last seen at the provider, and the series of numbers."""

import sqlalchemy as sa

from connectors.ledger.database.sql import Instant
from connectors.ledger.tables.columns import ISSUED_BY, KINDS, a_link, an_id, is_any, issued_by, metadata

account = sa.Table(
    "account",
    metadata,
    an_id(),
    sa.Column("uuid", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("bound_at", Instant, nullable=False),
    sa.CheckConstraint("id = 1", name="only_one"),
)

emitters = sa.Table(
    "emitters",
    metadata,
    an_id(),
    sa.Column("remote_id", sa.BigInteger, nullable=False),
    sa.Column("cnpj", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("city_code", sa.Text, nullable=False),
    sa.Column("is_active", sa.Boolean, nullable=False),
    sa.Column("looked_at", Instant, nullable=False),
    # one row for each company and issuer, so that series and numbers of different issuers stay separate
    *issued_by(),
    sa.UniqueConstraint("issuer", "remote_id"),
    sa.UniqueConstraint("issuer", "cnpj"),
    sa.UniqueConstraint("id", *ISSUED_BY),
    sa.CheckConstraint(is_any("kind", *KINDS), name="known_kind"),
)

series = sa.Table(
    "series",
    metadata,
    an_id(),
    a_link("emitter_id", "emitters"),
    sa.Column("serie", sa.Text, nullable=False),
    # numbers below it belong to another system
    sa.Column("first_number", sa.BigInteger, nullable=False),
    sa.Column("next_number", sa.BigInteger, nullable=False),
    sa.Column("highest_posted", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("started_by", sa.Text, nullable=False),
    sa.UniqueConstraint("emitter_id", "serie"),
)

templates = sa.Table(
    "templates",
    metadata,
    an_id(),
    a_link("emitter_id", "emitters"),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("remote_id", sa.BigInteger, nullable=False),
    sa.Column("body", sa.JSON, nullable=False),
    sa.Column("looked_at", Instant, nullable=False),
    # a renamed template and one that was created again get new rows: an invoice keeps the name that it was billed under
    sa.UniqueConstraint("emitter_id", "name", "remote_id"),
)

takers = sa.Table(
    "takers",
    metadata,
    an_id(),
    sa.Column("document", sa.Text, nullable=False),
    sa.Column("remote_id", sa.BigInteger, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("body", sa.JSON, nullable=False),
    sa.Column("is_complete", sa.Boolean, nullable=False),
    sa.Column("looked_at", Instant, nullable=False),
    # the issuer whose register it is: one id may mean different customers at two issuers
    sa.Column("issuer", sa.Text, nullable=False),
    sa.UniqueConstraint("issuer", "document"),
)
