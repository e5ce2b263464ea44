"""Secrets that belong to this ledger alone: made here at first use, of no use anywhere else."""

import sqlalchemy as sa

from connectors.ledger.database.sql import Instant
from connectors.ledger.tables.columns import metadata

secrets = sa.Table(
    "secrets",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    # hexadecimal
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("made_at", Instant, nullable=False),
)
