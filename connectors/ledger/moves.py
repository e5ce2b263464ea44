"""The only writer of a state column: compare-and-set plus one event each, in the caller's transaction.

Fewer ids returned than asked for = somebody was first: returned, not raised. Only a pair outside the table of
`domain.states` raises `IllegalMove`; the database refuses it as well. An invoice that dies retires its number here.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.incidents import open_incident
from connectors.ledger.sql import Instant, clock, gathered, is_in, is_sqlite, values
from domain.problems import IllegalMove, Problem
from domain.states import (
    LIVING,
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

_TABLES: Final[Mapping[Entity, sa.Table]] = {
    Entity.ROW: tables.rows,
    Entity.BATCH: tables.batches,
    Entity.INVOICE: tables.invoices,
}
_STATES: Final[Mapping[Entity, type[RowState] | type[BatchState] | type[InvoiceState]]] = {
    Entity.ROW: RowState,
    Entity.BATCH: BatchState,
    Entity.INVOICE: InvoiceState,
}
_SENT: Final = frozenset({BatchState.SENDING, BatchState.SCHEDULED, BatchState.PROCESSING, BatchState.PROCESSED})
_AFTER_SENDING: Final = frozenset(
    {InvoiceState.SCHEDULED, InvoiceState.PROCESSING, InvoiceState.ACCEPTED, InvoiceState.REJECTED}
)


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the append-only journal."""

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
class News:
    """Columns to write with a state: a table of values, one row with `id` for each thing, and expressions over it."""

    given: sa.FromClause
    columns: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Observed:
    """What became of one thing that the provider showed.

    `moved` is False when it was there already or the answer is older than what we know. `is_uncommanded`: we asked for
    nothing that leads there (somebody sent or cancelled in the web page, or the answer contradicts what we know); an
    incident was opened.
    """

    id: int
    was: State
    moved: bool
    is_uncommanded: bool


def born(conn: sa.Connection, ids: Sequence[int], *, state: State, because: str) -> None:
    """Journal the first state of things just inserted."""
    _journal(conn, ids, was=None, becomes=state, because=because)


def move(
    conn: sa.Connection,
    ids: Sequence[int],
    *,
    was: State,
    becomes: State,
    because: str,
    fence: int | None = None,
    only_where: sa.ColumnElement[bool] | None = None,
    news: News | None = None,
) -> list[int]:
    """Command one step for many things of one kind; returns the ids that moved, ascending.

    `because` is a short stable reason for the journal. For this package: `only_where` adds to the compare-and-set,
    `news` is what to write with the state, in the same statement. Raises `IllegalMove`.
    """
    if not can_move(was, becomes):
        params = {"entity": entity_of(was), "was": was, "becomes": becomes}
        raise IllegalMove(Problem("state.illegal_move", params={name: str(value) for name, value in params.items()}))
    return _change(conn, ids, was=was, becomes=becomes, because=because, fence=fence, only_where=only_where, news=news)


def observe(
    conn: sa.Connection, ids: Sequence[int], *, becomes: State, because: str, fence: int | None = None
) -> list[Observed]:
    """Report that the provider shows these invoices, or these batches, as `becomes`. Jumps forward, never back."""
    present = _present(conn, ids, becomes)
    moved: set[int] = set()
    for was in {was for was, _ in present.values() if can_observe(was, becomes)}:
        group = [each for each, (state, _) in present.items() if state is was]
        moved.update(_change(conn, group, was=was, becomes=becomes, because=because, fence=fence, is_observed=True))
    uncommanded = [each for each, (was, batch) in present.items() if _is_uncommanded(was, becomes, batch)]
    _open_incidents(conn, Counter(present[each][0] for each in uncommanded), uncommanded, becomes)
    strange = set(uncommanded)
    return [Observed(each, was, each in moved, each in strange) for each, (was, _) in present.items()]


def events_of(conn: sa.Connection, entity: Entity, ids: Sequence[int]) -> list[Event]:
    """The journal of these things, in the order in which it was written."""
    journal = tables.events
    query = (
        sa.select(journal)
        .where(journal.c.entity == str(entity), is_in(conn, journal.c.entity_id, ids))
        .order_by(journal.c.id)
    )
    return [
        Event(row.id, Entity(row.entity), row.entity_id, row.was, row.becomes, row.because, *row[6:])
        for row in conn.execute(query)
    ]


def _change(
    conn: sa.Connection,
    ids: Sequence[int],
    *,
    was: State,
    becomes: State,
    because: str,
    fence: int | None = None,
    only_where: sa.ColumnElement[bool] | None = None,
    news: News | None = None,
    is_observed: bool = False,
) -> list[int]:
    if not ids:
        return []
    table = _TABLES[entity_of(was)]
    # By the news's own table where there is one: with both, SQLite would compare every id with every other.
    is_asked = is_in(conn, table.c.id, ids) if news is None else table.c.id == news.given.c.id
    conditions = [is_asked, table.c.state == str(was), *([] if only_where is None else [only_where])]
    change = sa.update(table).where(*conditions).values(state=str(becomes), **(news.columns if news else {}))
    if is_sqlite(conn):
        # Nobody else writes before this transaction ends: the same rows are found twice.
        moved = sorted(each for (each,) in gathered(conn, sa.select(table.c.id).where(*conditions)))
        if moved:
            conn.execute(change)
    else:
        moved = sorted(conn.execute(change.returning(table.c.id)).scalars())
    _journal(conn, moved, was=was, becomes=becomes, because=because, fence=fence, is_observed=is_observed)
    if moved and isinstance(becomes, InvoiceState) and becomes not in LIVING:
        _retire_numbers(conn, moved, because=f"{becomes}: {because}")
    return moved


def _journal(
    conn: sa.Connection,
    ids: Sequence[int],
    *,
    was: State | None,
    becomes: State,
    because: str,
    fence: int | None = None,
    is_observed: bool = False,
) -> None:
    if not ids:
        return
    given = values(conn, "moved", {"id": sa.BigInteger()}, [(each,) for each in ids])
    line: dict[str, Any] = {
        "entity": sa.literal(str(entity_of(becomes)), sa.Text),
        "entity_id": given.c.id,
        "was": sa.literal(None if was is None else str(was), sa.Text),
        "becomes": sa.literal(str(becomes), sa.Text),
        "because": sa.literal(because, sa.Text),
        "is_observed": sa.literal(is_observed, sa.Boolean),
        "fence": sa.literal(fence, sa.Integer),
        "at": sa.type_coerce(clock(conn), Instant),
    }
    conn.execute(sa.insert(tables.events).from_select(list(line), sa.select(*line.values()).select_from(given)))


def _retire_numbers(conn: sa.Connection, invoice_ids: Sequence[int], *, because: str) -> None:
    numbers = tables.numbers
    conn.execute(
        sa.update(numbers)
        .where(is_in(conn, numbers.c.invoice_id, invoice_ids), numbers.c.retired_at.is_(None))
        .values(retired_at=clock(conn), retired_because=because)
    )


def _present(conn: sa.Connection, ids: Sequence[int], becomes: State) -> dict[int, tuple[State, BatchState | None]]:
    """State of each thing, and of an invoice's batch, locked until the transaction ends."""
    entity = entity_of(becomes)
    table = _TABLES[entity]
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
    return becomes in _AFTER_SENDING and batch not in _SENT


def _open_incidents(conn: sa.Connection, counts: Mapping[State, int], ids: Sequence[int], becomes: State) -> None:
    """One incident per kind of move, not per note: somebody who sends a batch by hand moves all of its notes."""
    if not ids:
        return
    batch_id: int | None = ids[0]
    if entity_of(becomes) is Entity.INVOICE:
        table = tables.invoices
        batch_id = conn.execute(sa.select(table.c.batch_id).where(table.c.id == ids[0])).scalar_one()
    for was, count in counts.items():
        params: dict[str, str | int] = {"was": str(was), "becomes": str(becomes), "count": count}
        open_incident(conn, code="state.not_commanded", params=params, batch_id=batch_id)
