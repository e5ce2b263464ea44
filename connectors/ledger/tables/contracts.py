"""Contracts in all their versions, the price indexes that adjust them, and the sheets that we wrote for each month."""

import sqlalchemy as sa

from connectors.ledger.database.sql import Instant
from connectors.ledger.tables.columns import a_link, an_id, metadata

# one version of a contract: the newest is valid, the others show who changed what and why
contracts = sa.Table(
    "contracts",
    metadata,
    an_id(),
    # the user's key of the contract, normalized: without letter case, accents and punctuation
    sa.Column("folded_key", sa.Text, nullable=False),
    sa.Column("ordinal", sa.Integer, nullable=False),
    sa.Column("document", sa.Text, nullable=False),
    # `Contract.to_json`
    sa.Column("terms", sa.JSON, nullable=False),
    sa.Column("changed_at", Instant, nullable=False),
    sa.Column("changed_by", sa.Text, nullable=False),
    sa.Column("because", sa.Text, nullable=False),
    sa.UniqueConstraint("folded_key", "ordinal"),
    sa.CheckConstraint("ordinal > 0", name="positive"),
    sa.Index("ix_contracts_document", "document"),
)

# the change of one index in one month; the newest entry of a month is valid
index_changes = sa.Table(
    "index_changes",
    metadata,
    an_id(),
    sa.Column("index_name", sa.Text, nullable=False),
    sa.Column("month", sa.Date, nullable=False),
    # percent as decimal text: 0.48 is 0,48 %
    sa.Column("change", sa.Text, nullable=False),
    sa.Column("entered_at", Instant, nullable=False),
    sa.Column("entered_by", sa.Text, nullable=False),
)

# the sheets that we wrote with charges of contracts, or with paid invoices of orders: one or more for each month
contract_sheets = sa.Table(
    "contract_sheets",
    metadata,
    an_id(),
    a_link("file_id", "files"),
    # "contracts" or "payments"
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("competence", sa.Date, nullable=False),
    sa.Column("count", sa.Integer, nullable=False),
    # the newest version of a contract that its charges were computed from; 0 for payments
    sa.Column("last_contract", sa.BigInteger, nullable=False),
    sa.Column("written_at", Instant, nullable=False),
    sa.UniqueConstraint("file_id"),
    sa.Index("ix_contract_sheets_competence", "competence"),
)
