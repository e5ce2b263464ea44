"""Make a rehearsal's ledger from a copy: the same content, bound to no provider account."""

from pathlib import Path
from typing import Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.backup.copies import open_copy
from connectors.ledger.backup.restoring import load_parts
from connectors.ledger.engine import Ledger
from connectors.ledger.migrations.triggers import disable_guards

_REMOTE: Final = (tables.emitters, tables.batches, tables.invoices)


def make_rehearsal(url: str, path: Path) -> None:
    """Make a new ledger at `url` from the unencrypted copy at `path`.

    Never connect it to the provider: unlike a restored ledger, it trusts the copy without a comparison. The provider's
    ids become negative, so that no id of the sandbox equals one of them.
    """
    with open_copy(path) as (copy, parts):

        def load(conn: sa.Connection) -> None:
            load_parts(conn, copy, parts)
            with disable_guards(conn):
                conn.execute(sa.delete(tables.account))
                for table in _REMOTE:
                    conn.execute(sa.update(table).values(remote_id=-table.c.remote_id))

        Ledger.fill(url, load)
