"""A batch may be disturbed while it is taken back, and a contradiction of the order service may be settled."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """One more legal move; who settled a clash, how and why, and in which pulls it was seen. Instants as before."""
    op.execute("INSERT INTO legal_moves (entity, was, becomes) VALUES ('batch', 'discarding', 'disturbed')")
    for name in ("seen_in", "echoed_in", "settlement", "settled_by", "settled_because"):
        op.add_column("mirror_clashes", sa.Column(name, sa.Text))
    op.add_column("mirror_clashes", sa.Column("settled_at", sa.BigInteger))
