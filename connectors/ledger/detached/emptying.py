"""Delete a detached month's content from the tables, in small transactions, after its file was proved.

Each transaction compares lines of the file with the tables and deletes only equal content: a line that was changed
meanwhile stays in the tables, and an edited line of the journal ends the work. If the process is killed, the next one
continues. Two processes at once delete each line once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.backup.copies import stored_tables
from connectors.ledger.backup.encryption import Identity
from connectors.ledger.backup.line_files import as_read, reading_parts
from connectors.ledger.database.sql import clock, is_in
from connectors.ledger.detached.carried import carry
from connectors.ledger.engine import Ledger
from domain.problems import FaturistaError, Problem

_t = tables.detached_months
_GONE: Final[Mapping[str, Sequence[str]]] = {
    "rows": ("cells", "line", "problems"),
    "invoices": ("content", "errors"),
    "attempts": tuple(tables.attempts.columns.keys()),
    "events": tuple(tables.events.columns.keys()),
}
"""The columns that leave the tables with the file, all of attempts and events."""


def empty_month(ledger: Ledger, competence: date, path: Path, identities: Sequence[Identity] = ()) -> Iterator[str]:
    """Delete the file's content from the tables. Yield the table's name after each transaction: a stop there is safe.

    The caller has read and proved the whole file, and every earlier month is emptied.
    """
    stored = {table.name: table for table in ledger.read(stored_tables)}
    with reading_parts(path, identities) as parts:
        for part in parts:
            for group in part.groups:
                if part.table in _GONE:
                    lines = _lines(part.table, part.columns, group)
                    ledger.write(_remove, competence, stored[part.table], lines)
                    yield part.table
    ledger.write(_mark_emptied, competence)


def _lines(table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[int, list[Any]]:
    """Return, for each row of the file by its id, the values to delete from the tables."""
    at, places = columns.index("id"), [columns.index(name) for name in _GONE[table]]
    return {row[at]: [row[place] for place in places] for row in rows}


def _remove(conn: sa.Connection, competence: date, stored: sa.Table, lines: Mapping[int, list[Any]]) -> None:
    """Remove the lines that are as the file has them. Raises `FaturistaError` if a line of the journal is not."""
    # two processes that empty the month take turns: the states of an event are carried once
    conn.execute(sa.select(_t.c.id).where(_t.c.competence == competence).with_for_update())
    query = sa.select(stored.c.id, *(stored.c[name] for name in _GONE[stored.name]))
    found = conn.execute(query.where(is_in(conn, stored.c.id, lines)).order_by(stored.c.id).with_for_update()).all()
    same = [row[0] for row in found if as_read(row[1:]) == lines[row[0]]]
    if stored.name == "events" and len(same) != len(found):
        raise FaturistaError(Problem("ledger.detach_journal"))
    if same:
        _TAKE_OUT[stored.name](conn, same)


def _bare_rows(conn: sa.Connection, ids: Sequence[int]) -> None:
    rows = tables.rows
    conn.execute(sa.update(rows).where(is_in(conn, rows.c.id, ids)).values(cells={}, line=None, problems=[]))


def _bare_invoices(conn: sa.Connection, ids: Sequence[int]) -> None:
    invoices = tables.invoices
    conn.execute(sa.update(invoices).where(is_in(conn, invoices.c.id, ids)).values(content="{}", errors=[]))


def _delete_attempts(conn: sa.Connection, ids: Sequence[int]) -> None:
    conn.execute(sa.delete(tables.attempts).where(is_in(conn, tables.attempts.c.id, ids)))


def _delete_events(conn: sa.Connection, ids: Sequence[int]) -> None:
    """Delete lines of the journal; carry the states that they leave. No earlier line of the same entities remains."""
    carry(conn, after=ids[0] - 1, until=ids[-1])
    events = tables.events
    conn.execute(sa.delete(events).where(events.c.id >= ids[0], events.c.id <= ids[-1]))


_TAKE_OUT: Final[Mapping[str, Callable[[sa.Connection, Sequence[int]], None]]] = {
    "rows": _bare_rows,
    "invoices": _bare_invoices,
    "attempts": _delete_attempts,
    "events": _delete_events,
}


def _mark_emptied(conn: sa.Connection, competence: date) -> None:
    is_open = sa.and_(_t.c.competence == competence, _t.c.emptied_at.is_(None))
    conn.execute(sa.update(_t).where(is_open).values(emptied_at=clock(conn)))
