"""The ledger's tables. Money is integer cents, identifiers are text, instants are aware, state columns are text.

Only `moves` writes a state column; the database refuses a birth or a move that the `legal_moves` table does not hold.
What it refuses besides (a number changing hands, a journal line rewritten, a batch sent without its approval) stands as
triggers in `migrations.guards`. The baseline migration creates what stands here.
"""

from connectors.ledger.tables.columns import IS_DEAD, IS_LIVING, ISSUED_BY, Kind, metadata
from connectors.ledger.tables.contracts import contract_sheets, contracts, index_changes
from connectors.ledger.tables.journals import (
    approvals,
    attempts,
    cancellations,
    events,
    incidents,
    legal_moves,
    remote_changes,
    traffic,
)
from connectors.ledger.tables.notes import batches, documents, invoices, numbers, orphans
from connectors.ledger.tables.operations import alerts, certificates, erasures, latencies, paces, restorations, seals
from connectors.ledger.tables.parties import account, emitters, series, takers, templates
from connectors.ledger.tables.readings import files, readings, rows
from connectors.ledger.tables.secrets import secrets

__all__ = [
    "ISSUED_BY",
    "IS_DEAD",
    "IS_LIVING",
    "Kind",
    "account",
    "alerts",
    "approvals",
    "attempts",
    "batches",
    "cancellations",
    "certificates",
    "contract_sheets",
    "contracts",
    "documents",
    "emitters",
    "erasures",
    "events",
    "files",
    "incidents",
    "index_changes",
    "invoices",
    "latencies",
    "legal_moves",
    "metadata",
    "numbers",
    "orphans",
    "paces",
    "readings",
    "remote_changes",
    "restorations",
    "rows",
    "seals",
    "secrets",
    "series",
    "takers",
    "templates",
    "traffic",
]  # fmt: skip
