"""Delete a detached month's content from the tables, in small transactions, after its file was checked.

Each transaction compares rows of the file with the tables and deletes only equal content: a row that was changed
meanwhile stays in the tables, and an edited journal entry ends the work with an error. If the process is killed, the
next one continues. If two processes work at once, each row is deleted once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.backup.copies import stored_tables
from connectors.ledger.backup.encryption import Identity
from connectors.ledger.backup.line_files import json_round_trip, reading_parts
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
"""The columns that are emptied, by table. Attempts and events are deleted as whole rows."""


def empty_month(ledger: Ledger, competence: date, path: Path, identities: Sequence[Identity] = ()) -> Iterator[str]:
    """Delete the file's content from the tables. Yield the table's name after each transaction: a stop there is safe.

    The caller must have checked the whole file, and every earlier month must be emptied.
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
    """Return, by id of each row of the file, the values to delete from the tables."""
    at, places = columns.index("id"), [columns.index(name) for name in _GONE[table]]
    return {row[at]: [row[place] for place in places] for row in rows}


def _remove(conn: sa.Connection, competence: date, stored: sa.Table, lines: Mapping[int, list[Any]]) -> None:
    """Delete the content of rows that equal the file's. Raises `FaturistaError` if a journal entry differs."""
    # Two processes that empty the month take turns, so that the states of each event are carried once.
    conn.execute(sa.select(_t.c.id).where(_t.c.competence == competence).with_for_update())
    query = sa.select(stored.c.id, *(stored.c[name] for name in _GONE[stored.name]))
    found = conn.execute(query.where(is_in(conn, stored.c.id, lines)).order_by(stored.c.id).with_for_update()).all()
    same = [row[0] for row in found if json_round_trip(row[1:]) == lines[row[0]]]
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
    """Store the states that these events lead to, and delete the events. All earlier events are deleted already."""
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
