"""Make a ledger to rehearse on from a copy: the same content, bound to no provider's account."""

from pathlib import Path
from typing import Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.backup.copies import open_copy
from connectors.ledger.backup.restoring import load_parts
from connectors.ledger.engine import Ledger
from connectors.ledger.migrations.guards import lifted

_REMOTE: Final = (tables.emitters, tables.batches, tables.invoices)


def make_rehearsal(url: str, path: Path) -> None:
    """Make the ledger at `url`, which holds none yet, from the plain copy at `path`.

    It must never meet the provider: it takes what the copy says for true, without the doubts of a restored ledger. The
    provider's ids become negative, so that another provider's ids are never taken for them.
    """
    with open_copy(path) as (copy, parts):

        def load(conn: sa.Connection) -> None:
            load_parts(conn, copy, parts)
            with lifted(conn):
                conn.execute(sa.delete(tables.account))
                for table in _REMOTE:
                    conn.execute(sa.update(table).values(remote_id=-table.c.remote_id))

        Ledger.fill(url, load)
