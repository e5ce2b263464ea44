"""Store customers' CPFs and CNPJs that were unclear in the sheet and that a register of customers made clear."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import values
from connectors.ledger.files import add_decisions
from connectors.ledger.rows import refuse_rows
from domain.problems import Problem
from domain.states import RowState

_rows = tables.rows
_GIVEN: Final = {"id": sa.BigInteger(), "line": sa.JSON()}


def store_documents(
    conn: sa.Connection,
    reading_id: int,
    lines: Mapping[int, Mapping[str, Any]],
    bad: Mapping[int, Sequence[Problem]],
    decisions: Sequence[Mapping[str, Any]],
) -> None:
    """Replace the typed lines of `read` rows, refuse the rows in `bad`, and add the decisions.

    All happens in one transaction, so that another process that continues later finds the same documents, even if the
    register has changed meanwhile.
    """
    if lines:
        given = values(conn, "given", _GIVEN, list(lines.items()))
        is_meant = (_rows.c.id == given.c.id, _rows.c.state == str(RowState.READ))
        conn.execute(sa.update(_rows).where(*is_meant).values(line=given.c.line))
    if bad:
        refuse_rows(conn, bad, because="parties not resolved")
    if decisions:
        add_decisions(conn, reading_id, decisions)
