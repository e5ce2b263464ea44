"""Create the whole ledger: all tables, the legal moves of `domain.states`, and the guards.

Until the first release, this migration always creates the present `connectors.ledger.tables`. The first release freezes
it.
"""

from collections.abc import Iterable

import sqlalchemy as sa
from alembic import op

from connectors.ledger import tables
from connectors.ledger.migrations.guards import BIRTHS
from connectors.ledger.migrations.triggers import create_guards
from connectors.ledger.mirror.tables import metadata
from domain.states import BatchState, InvoiceState, RowState, State, can_move, can_observe, entity_of

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create everything in the caller's transaction."""
    conn = op.get_bind()
    metadata.create_all(conn)
    conn.execute(sa.insert(tables.legal_moves), _legal_moves())
    create_guards(conn)


def _legal_moves() -> list[dict[str, str]]:
    born = [(state, "", state) for states in BIRTHS.values() for state in states]
    families: tuple[Iterable[State], ...] = (RowState, BatchState, InvoiceState)
    moved = [
        (was, was, becomes)
        for states in families
        for was in states
        for becomes in states
        if can_move(was, becomes) or can_observe(was, becomes)
    ]
    return [
        {"entity": str(entity_of(state)), "was": str(was), "becomes": str(becomes)}
        for state, was, becomes in (*born, *moved)
    ]
