"""The table of this ledger's secrets, each created on first use."""

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
