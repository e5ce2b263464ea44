"""The only writer of state columns: compare-and-set plus a journal entry, in the caller's transaction.

If fewer ids return than were given, another worker was first: that is no error. Only a move that `domain.states` does
not allow raises `IllegalTransition`; the database refuses it as well. When an invoice dies, its number is retired here.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import Kinds, Statement, clock, is_in, is_sqlite, param, values
from connectors.ledger.incidents import open_incident
from connectors.ledger.journal import block_size, journal_subjects, lines_about, recorded_ids, write_lines
from domain.problems import IllegalTransition, Problem
from domain.states import (
    LIVING,
    SENT,
    BatchState,
    Entity,
    InvoiceState,
    RowState,
    State,
    can_move,
    can_observe,
    entity_of,
    is_behind,
)

TABLES: Final[Mapping[Entity, sa.Table]] = {
    Entity.ROW: tables.rows,
    Entity.BATCH: tables.batches,
    Entity.INVOICE: tables.invoices,
}
_STATES: Final[Mapping[Entity, type[RowState] | type[BatchState] | type[InvoiceState]]] = {
    Entity.ROW: RowState,
    Entity.BATCH: BatchState,
    Entity.INVOICE: InvoiceState,
}
_AFTER_SENDING: Final = frozenset(
    {InvoiceState.SCHEDULED, InvoiceState.PROCESSING, InvoiceState.ACCEPTED, InvoiceState.REJECTED}
)


@dataclass(frozen=True, slots=True)
class Event:
    """One change of state of one row, invoice or batch, from a journal entry that may cover several."""

    id: int
    entity: Entity
    entity_id: int
    was: str | None
    becomes: str
    because: str
    is_observed: bool
    fence: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class ObservationEffect:
    """The effect of an observation on one invoice or batch.

    Attributes:
        was: The state in the ledger before.
        moved: False if the state was reached before, or if the answer is older than our knowledge or contradicts it.
        is_uncommanded: We sent no command that leads to the state, so an incident was opened. Somebody sent or
            cancelled on the provider's website, or the answer contradicts our knowledge.
    """

    id: int
    was: State
    moved: bool
    is_uncommanded: bool


class Change:
    """Bulk compare-and-set of a state column plus journal insert. Build once: statements are cached.

    `param` names the values that are known only at the call; the caller passes them to `move`. Only a move that ends an
    invoice sets `is_living`, because SQLite writes an index again when a statement sets a column of its condition.

    Args:
        only_where: One more condition for a row to move.
        given: Columns of a table of values, `id` first. The caller passes `given`, one row of values for each id.
        news: Returns the columns to set besides the state, from the table of values.
        also: Returns inserts and updates about the moved rows, run as parts of the same statement to save a round trip.
            PostgreSQL only. If the last one returns (id, number) for each moved row, `move_and` returns these numbers.
    """

    def __init__(
        self,
        table: sa.Table,
        *,
        only_where: sa.ColumnElement[bool] | None = None,
        given: Kinds | None = None,
        news: Callable[[sa.Connection, sa.FromClause], Mapping[str, Any]] | None = None,
        also: Callable[[sa.Connection, sa.FromClause], Sequence[sa.Insert | sa.Update]] | None = None,
    ) -> None:
        self._table = table
        self._only_where = only_where
        self._given = given
        self._news = news
        self._also = also
        self._write_lines = Statement(self._lines_of_moved)
        self._change = {ends: Statement(partial(self._change_statement, ends=ends)) for ends in (False, True)}
        self._change_and_write = {
            ends: Statement(partial(self._changing_and_writing, ends=ends)) for ends in (False, True)
        }

    def __call__(self, conn: sa.Connection, ids: Sequence[int], line: Mapping[str, Any], **params: Any) -> list[int]:
        """Move the rows that may move. Return their ids, ascending. `line`: the entry's parameters, from `_line`."""
        return [moved for moved, *_ in self.rows(conn, ids, line, **params)]

    def rows(self, conn: sa.Connection, ids: Sequence[int], line: Mapping[str, Any], **params: Any) -> list[Any]:
        """Move like a call. Return a tuple for each moved row: its id, or (id, number) if `also` returns numbers."""
        asked = {"was": line["was"], "becomes": line["becomes"], "ids": ids, **params}
        if not is_sqlite(conn):
            return sorted(tuple(row) for row in self._change_and_write[_ends(line)](conn, **{**line, **asked}))
        # Nobody else writes before this transaction ends: both statements find the same rows.
        written = self._write_lines(conn, **line, ids=ids, **{name: params[name] for name in params.keys() - {"given"}})
        if written.rowcount == 0:
            return []
        if self._given:
            del asked["ids"]
        is_whole = self._change[_ends(line)](conn, **asked).rowcount == len(set(ids))
        moved = set(ids) if is_whole else recorded_ids(conn, up_to=written.lastrowid, count=written.rowcount)
        return [(each,) for each in sorted(moved)]

    def _lines_of_moved(self, conn: sa.Connection) -> sa.Insert:
        return lines_about(conn, sa.select(self._table.c.id).where(*self._conditions(conn, None)).subquery("moved"))

    def _change_statement(self, conn: sa.Connection, *, ends: bool) -> sa.Update:
        rows = self._rows(conn)
        news = {} if self._news is None or rows is None else dict(self._news(conn, rows))
        if ends:
            news["is_living"] = sa.false()
        return sa.update(self._table).where(*self._conditions(conn, rows)).values(state=param("becomes"), **news)

    def _changing_and_writing(self, conn: sa.Connection, *, ends: bool) -> sa.Select[Any]:
        moved = self._change_statement(conn, ends=ends).returning(self._table.c.id).cte("moved")
        parts = [] if self._also is None else [each.cte() for each in self._also(conn, moved)]
        gives = parts[-1] if parts and parts[-1].c else moved
        return sa.select(*gives.c).add_cte(lines_about(conn, moved).cte("written"), *parts)

    def _rows(self, conn: sa.Connection) -> sa.FromClause | None:
        return None if self._given is None else values(conn, "given", self._given, param("given"))

    def _conditions(self, conn: sa.Connection, rows: sa.FromClause | None) -> list[sa.ColumnElement[bool]]:
        is_meant: list[sa.ColumnElement[bool]] = [self._table.c.state == param("was")]
        if not is_sqlite(conn):
            # PostgreSQL expects almost no rows in a short-lived state. It would search by state first, in all batches,
            # and compare each row with each id. For a CASE it expects half of the rows.
            is_meant = [sa.case((is_meant[0], sa.true()), else_=sa.false())]
        if rows is not None:
            is_meant.append(self._table.c.id == rows.c.id)
        # With this condition beside the join on `given`, SQLite would compare every id with every other.
        if rows is None or not is_sqlite(conn):
            is_meant.append(is_in(conn, self._table.c.id, param("ids")))
        return is_meant if self._only_where is None else [*is_meant, self._only_where]


class FirstStates:
    """Journals the first state of thousands of inserted rows whose ids a query finds, so that no ids are sent."""

    def __init__(self, find: sa.Select[tuple[int]]) -> None:
        self._write_lines = Statement(lambda conn: lines_about(conn, find.subquery("born")))

    def __call__(self, conn: sa.Connection, *, state: State, because: str, **params: Any) -> None:
        """Store journal entries with the first state of the rows that the query finds. `params` are the query's."""
        self._write_lines(conn, **_line(None, state, because), **params)


def record_first_states(conn: sa.Connection, ids: Sequence[int], *, state: State, because: str) -> None:
    """Store journal entries with the first state of these inserted rows, batches or invoices."""
    if ids:
        write_lines(conn, moved=[(each,) for each in ids], **_line(None, state, because))


def move(
    conn: sa.Connection,
    ids: Sequence[int],
    *,
    was: State,
    becomes: State,
    because: str,
    fence: int | None = None,
    change: Change | None = None,
    **params: Any,
) -> list[int]:
    """Move many rows, batches or invoices one step by our own command. Return the ids that moved, ascending.

    Ids in another state than `was` do not move. `because` is a short stable reason for the journal. For this package
    only: `change` adds conditions and columns, and `params` are its values. Raises `IllegalTransition`.
    """
    _check(was, becomes)
    change = change or _CHANGES[entity_of(was)]
    return _change(conn, ids, change, _line(was, becomes, because, fence=fence), params)


def move_and(
    conn: sa.Connection,
    ids: Sequence[int],
    *,
    was: State,
    becomes: State,
    because: str,
    fence: int,
    change: Change,
    **params: Any,
) -> dict[int, int]:
    """Move like `move`, on PostgreSQL. Return by id the numbers from the last statement of the change's `also`."""
    _check(was, becomes)
    return dict(change.rows(conn, ids, _line(was, becomes, because, fence=fence), **params)) if ids else {}


def observe(
    conn: sa.Connection, ids: Sequence[int], *, becomes: State, because: str, fence: int | None = None
) -> list[ObservationEffect]:
    """Store that the provider shows these invoices or batches in the state `becomes`.

    States may skip ahead, but never go back, except cancelling → accepted (a refused cancellation). A state that we did
    not command opens an incident.
    """
    present = _present(conn, ids, becomes)
    moved: set[int] = set()
    for was in {was for was, _ in present.values() if can_observe(was, becomes)}:
        group = [each for each, (state, _) in present.items() if state is was]
        line = _line(was, becomes, because, fence=fence, is_observed=True)
        moved.update(_change(conn, group, _CHANGES[entity_of(was)], line, {}))
    uncommanded = [each for each, (was, batch) in present.items() if _is_uncommanded(was, becomes, batch)]
    _open_incidents(conn, Counter(present[each][0] for each in uncommanded), uncommanded, becomes)
    strange = set(uncommanded)
    return [ObservationEffect(each, was, each in moved, each in strange) for each, (was, _) in present.items()]


def events_of(conn: sa.Connection, entity: Entity, ids: Sequence[int]) -> list[Event]:
    """Return the changes of state of these rows, batches or invoices, in their order."""
    journal = tables.events
    asked, is_theirs = journal_subjects(conn, entity, ids)
    facts = (journal.c[name] for name in ("was", "becomes", "because", "is_observed", "fence", "at"))
    query = sa.select(journal.c.id, asked.c.id, *facts).select_from(asked.join(journal, is_theirs))
    return [Event(row[0], entity, *row[1:]) for row in conn.execute(query.order_by(journal.c.id, asked.c.id))]


def _check(was: State, becomes: State) -> None:
    if not can_move(was, becomes):
        facts = {"entity": entity_of(was), "was": was, "becomes": becomes}
        raise IllegalTransition(
            Problem("state.illegal_move", params={name: str(value) for name, value in facts.items()})
        )


def _change(
    conn: sa.Connection, ids: Sequence[int], change: Change, line: Mapping[str, Any], params: Mapping[str, Any]
) -> list[int]:
    if not ids:
        return []
    moved = change(conn, ids, line, **params)
    if moved and _ends(line):
        _retire_numbers(conn, ids=moved, because=f"{line['becomes']}: {line['because']}")
    return moved


def _ends(line: Mapping[str, Any]) -> bool:
    """Return whether the move ends an invoice's life. No move leads back to a living state."""
    return line["entity"] == Entity.INVOICE and InvoiceState(line["becomes"]) not in LIVING


def _line(
    was: State | None, becomes: State, because: str, *, fence: int | None = None, is_observed: bool = False
) -> dict[str, Any]:
    """Return the parameters of `lines_about` for a move of any entity."""
    return {
        "entity": str(entity_of(becomes)),
        "size": block_size(entity_of(becomes)),
        "was": None if was is None else str(was),
        "becomes": str(becomes),
        "because": because,
        "is_observed": is_observed,
        "fence": fence,
    }


@Statement
def _retire_numbers(conn: sa.Connection) -> sa.Update:
    numbers = tables.numbers
    return (
        sa.update(numbers)
        .where(is_in(conn, numbers.c.invoice_id, param("ids")), numbers.c.retired_at.is_(None))
        .values(retired_at=clock(conn), retired_because=param("because"))
    )


def _present(conn: sa.Connection, ids: Sequence[int], becomes: State) -> dict[int, tuple[State, BatchState | None]]:
    """Lock these ids until the transaction ends. Return the state of each and, for an invoice, of its batch."""
    entity = entity_of(becomes)
    table = TABLES[entity]
    if entity is Entity.INVOICE:
        query = sa.select(table.c.id, table.c.state, tables.batches.c.state.label("batch")).select_from(
            table.outerjoin(tables.batches, tables.batches.c.id == table.c.batch_id)
        )
    else:
        query = sa.select(table.c.id, table.c.state, sa.null().label("batch"))
    query = query.where(is_in(conn, table.c.id, ids)).order_by(table.c.id).with_for_update(of=table)
    kind = _STATES[entity]
    return {
        row.id: (kind(row.state), None if row.batch is None else BatchState(row.batch)) for row in conn.execute(query)
    }


def _is_uncommanded(was: State, becomes: State, batch: BatchState | None) -> bool:
    if not can_observe(was, becomes):
        return not is_behind(was, becomes) and was is not becomes
    if not (isinstance(was, InvoiceState) and isinstance(becomes, InvoiceState)):
        return False
    if becomes in {InvoiceState.CANCELLING, InvoiceState.CANCELLED}:
        return was is not InvoiceState.CANCELLING
    return becomes in _AFTER_SENDING and batch not in SENT


def _open_incidents(conn: sa.Connection, counts: Mapping[State, int], ids: Sequence[int], becomes: State) -> None:
    """Open one incident for each pair of states. A batch sent by hand moves all its invoices at once."""
    if not ids:
        return
    batch_id: int | None = ids[0]
    if entity_of(becomes) is Entity.INVOICE:
        table = tables.invoices
        batch_id = conn.execute(sa.select(table.c.batch_id).where(table.c.id == ids[0])).scalar_one()
    for was, count in counts.items():
        params: dict[str, str | int] = {"was": str(was), "becomes": str(becomes), "count": count}
        open_incident(conn, code="state.not_commanded", params=params, batch_id=batch_id)


_CHANGES: Final[Mapping[Entity, Change]] = {entity: Change(table) for entity, table in TABLES.items()}
