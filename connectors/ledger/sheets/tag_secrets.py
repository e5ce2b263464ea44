"""Store secrets of this ledger, such as the one that signs row tags; each is created on first use."""

import secrets
from typing import Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.conflicts import insert_unless_known
from connectors.ledger.database.sql import clock

TAGS: Final = "row tags"
_BYTES: Final = 32


def secret_of(conn: sa.Connection, name: str) -> bytes:
    """Return the secret of this name; create it if there is none. Of several callers at once, all get the same."""
    table = tables.secrets
    made = {"name": name, "value": secrets.token_hex(_BYTES), "made_at": clock(conn)}
    conn.execute(insert_unless_known(conn, table).values(**made))
    return bytes.fromhex(conn.execute(sa.select(table.c.value).where(table.c.name == name)).scalar_one())
