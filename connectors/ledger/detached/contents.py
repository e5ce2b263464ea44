"""The content of a month's file: the month's invoices, the rows of all tables about them, and a part of the journal.

The file can be read without the ledger, because it also has the invoices' customers, templates and companies.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger.backup.copies import stored_tables
from connectors.ledger.backup.line_files import Part
from connectors.ledger.backup.seals import detached_until
from connectors.ledger.detached.months import invoices_of_month, journal_bound
from connectors.ledger.engine import version_of

FORMAT: Final = "faturista-month"
EDITION: Final = 1
FORMATS: Final = {FORMAT: EDITION}
_AT_ONCE: Final = 1_000

_Tables = Mapping[str, sa.Table]


@dataclass(frozen=True, slots=True)
class Scope:
    """A month, and the part of the journal in its file: the events with ids above `after` up to `until`."""

    competence: date
    after: int
    until: int


def scope_of(conn: sa.Connection, competence: date) -> Scope:
    """Return the scope of a month's file if the month were detached now."""
    return Scope(competence, detached_until(conn), journal_bound(conn, competence))


def head_of_month(conn: sa.Connection, scope: Scope) -> dict[str, Any]:
    """Return the head of a month's file. It has no instant, so that the same content gives the same bytes."""
    return {
        "format": FORMAT,
        "edition": EDITION,
        "version": version_of(conn),
        "competence": scope.competence.isoformat(),
        "after_event": scope.after,
        "last_event": scope.until,
    }


def parts_of(conn: sa.Connection, scope: Scope) -> Iterator[Part]:
    """Yield the tables of a month's file. Rows come in the order of primary keys and are fetched lazily."""
    found = {table.name: table for table in stored_tables(conn)}
    for name, which in _PARTS.items():
        table = found[name]
        query = sa.select(table).where(which(found, scope)).order_by(*table.primary_key.columns)
        with conn.execute(query, execution_options={"yield_per": _AT_ONCE}) as rows:
            yield Part(name, [column.name for column in table.columns], rows.partitions())


def rows_of_month(found: _Tables, competence: date) -> sa.ColumnElement[bool]:
    """Return the condition that a row owns an invoice of this month, or shares one with its owner."""
    rows = found["rows"]
    bearing = invoices_of_month(found, competence, "row_id")
    # A row and the row that owns its invoice are of one reading: with the readings, an index finds the rows.
    owners, followers = rows.alias("owners"), rows.alias("followers")
    readings = sa.select(owners.c.reading_id).where(owners.c.id.in_(bearing))
    following = sa.select(followers.c.id).where(
        followers.c.reading_id.in_(readings), followers.c.leader_id.in_(bearing)
    )
    # Not two conditions with OR: PostgreSQL would scan the month's invoices once for each row.
    return rows.c.id.in_(sa.union_all(sa.select(bearing.subquery("bearing").c.row_id), following))


def _names_row_of_month(column: str, table: str) -> Callable[[_Tables, str, date], sa.ColumnElement[bool]]:
    """Return a function that builds a condition: `column` is the id of a row in `table` of the month."""

    def which(found: _Tables, name: str, competence: date) -> sa.ColumnElement[bool]:
        if table == "invoices":
            return found[name].c[column].in_(invoices_of_month(found, competence, "id"))
        named = found[table]
        return found[name].c[column].in_(sa.select(named.c.id).where(named.c.competence == competence))

    return which


def _named_by_invoices(column: str) -> Callable[[_Tables, str, date], sa.ColumnElement[bool]]:
    def which(found: _Tables, name: str, competence: date) -> sa.ColumnElement[bool]:
        return found[name].c.id.in_(invoices_of_month(found, competence, column))

    return which


def _named_by_rows(column: str) -> Callable[[_Tables, str, date], sa.ColumnElement[bool]]:
    def which(found: _Tables, name: str, competence: date) -> sa.ColumnElement[bool]:
        named = sa.select(found["rows"].c[column]).where(rows_of_month(found, competence))
        return found[name].c.id.in_(named)

    return which


def _month(found: _Tables, name: str, competence: date) -> sa.ColumnElement[bool]:
    return found[name].c.competence == competence


_OF_MONTH: Final[Mapping[str, Callable[[_Tables, str, date], sa.ColumnElement[bool]]]] = {
    "emitters": _named_by_invoices("emitter_id"),
    "templates": _named_by_invoices("template_id"),
    "takers": _named_by_invoices("taker_id"),
    "files": _named_by_rows("file_id"),
    "readings": _named_by_rows("reading_id"),
    "rows": lambda found, _, competence: rows_of_month(found, competence),
    "batches": _month,
    "invoices": _named_by_invoices("id"),
    "numbers": _names_row_of_month("invoice_id", "invoices"),
    "attempts": _names_row_of_month("batch_id", "batches"),
    "approvals": _names_row_of_month("batch_id", "batches"),
    "incidents": _names_row_of_month("batch_id", "batches"),
    "orphans": _names_row_of_month("batch_id", "batches"),
    "cancellations": _names_row_of_month("invoice_id", "invoices"),
    "documents": _names_row_of_month("invoice_id", "invoices"),
    "acknowledgements": _month,
    "closings": _month,
    "closing_reports": _names_row_of_month("closing_id", "closings"),
}


def _all_of_month(name: str) -> Callable[[_Tables, Scope], sa.ColumnElement[bool]]:
    return lambda found, scope: _OF_MONTH[name](found, name, scope.competence)


def _journal(name: str, column: str) -> Callable[[_Tables, Scope], sa.ColumnElement[bool]]:
    def which(found: _Tables, scope: Scope) -> sa.ColumnElement[bool]:
        line = found[name].c[column]
        return sa.and_(line > scope.after, line <= scope.until)

    return which


_PARTS: Final[Mapping[str, Callable[[_Tables, Scope], sa.ColumnElement[bool]]]] = {
    **{name: _all_of_month(name) for name in _OF_MONTH},
    "seals": _journal("seals", "last_event"),
    "events": _journal("events", "id"),
}
"""The tables of a file in their order, each with a function that builds the condition for its rows."""
