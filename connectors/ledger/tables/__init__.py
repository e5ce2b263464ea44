"""The ledger's tables. Money is integer cents, identifiers are text, instants are aware, state columns are text.

Only `transitions` changes a state column; the database refuses a first state or a move that is not legal. The triggers
of `migrations.guards` refuse other forbidden changes: another owner of a number, an edited journal entry, a batch sent
without its approval. The baseline migration creates the tables of this package.
"""

from connectors.ledger.tables.closings import carried_states, closing_reports, closings, detached_months
from connectors.ledger.tables.columns import ISSUED_BY, Kind, metadata
from connectors.ledger.tables.contracts import contract_sheets, contracts, index_changes
from connectors.ledger.tables.journals import (
    acknowledgements,
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
from connectors.ledger.tables.operations import (
    alerts,
    certificates,
    deliveries,
    erasures,
    hints,
    latencies,
    rate_limits,
    request_slots,
    restorations,
    seals,
)
from connectors.ledger.tables.parties import account, emitters, series, takers, templates
from connectors.ledger.tables.readings import answers, files, readings, rows
from connectors.ledger.tables.secrets import secrets
from connectors.ledger.tables.staff import staff, staff_codes, staff_events, staff_names, staff_secrets

__all__ = [
    "ISSUED_BY",
    "Kind",
    "account",
    "acknowledgements",
    "alerts",
    "answers",
    "approvals",
    "attempts",
    "batches",
    "cancellations",
    "carried_states",
    "certificates",
    "closing_reports",
    "closings",
    "contract_sheets",
    "contracts",
    "deliveries",
    "detached_months",
    "documents",
    "emitters",
    "erasures",
    "events",
    "files",
    "hints",
    "incidents",
    "index_changes",
    "invoices",
    "latencies",
    "legal_moves",
    "metadata",
    "numbers",
    "orphans",
    "rate_limits",
    "readings",
    "remote_changes",
    "request_slots",
    "restorations",
    "rows",
    "seals",
    "secrets",
    "series",
    "staff",
    "staff_codes",
    "staff_events",
    "staff_names",
    "staff_secrets",
    "takers",
    "templates",
    "traffic",
]  # fmt: skip
