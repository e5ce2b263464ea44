"""Compare the ledger with its journal: states rebuilt from the events alone, and numbers from the invoices.

Each comparison is one statement in the database, so that a large ledger needs no export. The result names the first 20
differences of each comparison and counts the others.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.backup.seals import Head, broken_seals, head_of, unsealed_events
from connectors.ledger.journal import block_size, carried_state, is_about
from connectors.ledger.transitions import TABLES
from domain.problems import Problem
from domain.states import BatchState, Entity, InvoiceState

_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of `verify`. `events` and `unsealed` count events; `things` counts rows, batches and invoices.

    `head` is the newest seal. `remarks` list which detached months were compared with their files, and which were not.
    """

    events: int
    things: int
    problems: tuple[Problem, ...]
    head: Head | None = None
    unsealed: int = 0
    remarks: tuple[Problem, ...] = ()

    @property
    def is_sound(self) -> bool:
        return not self.problems


def verify(conn: sa.Connection) -> Verified:
    """Compare all states, numbers, approvals and seals of this snapshot with its journal."""
    events = _count(conn, tables.events)
    things = sum(_count(conn, table) for table in TABLES.values())
    problems = (*broken_seals(conn), *_differences(conn))
    return Verified(events, things, problems, head_of(conn), unsealed_events(conn))


def rebuilt_state(entity: Entity) -> sa.ColumnElement[str]:
    """Return the state according to the journal, as a column of a query over the entity's table."""
    events, entity_id = tables.events, TABLES[entity].c.id
    newest = sa.select(events.c.becomes).where(is_about(entity, entity_id)).order_by(events.c.id.desc()).limit(1)
    return sa.func.coalesce(newest.scalar_subquery(), carried_state(entity, entity_id))


def _differences(conn: sa.Connection) -> Iterator[Problem]:
    for entity in Entity:
        yield from _problems(conn, _broken_chains(entity), lambda row: _journal_problem("ledger.journal_broken", row))
    yield from _problems(conn, _illegal_moves(), lambda row: _journal_problem("ledger.journal_illegal", row))
    for entity in Entity:
        for query in _states_that_differ(entity):
            yield from _problems(conn, query, lambda row, entity=entity: _state_problem(entity, row))  # type: ignore[misc]
    yield from _problems(conn, _strange_numbers(), _number_problem)
    yield from _problems(
        conn, _series_behind(), lambda row: Problem("ledger.serie_behind", params={"serie": row.serie})
    )
    yield from _problems(conn, _select_unapproved(), lambda row: Problem("ledger.unapproved", params={"batch": row.id}))


def _problems(
    conn: sa.Connection, query: sa.Select[Any], problem: Callable[[sa.Row[Any]], Problem]
) -> Iterator[Problem]:
    found = conn.execute(query.limit(_NAMED + 1)).all()
    yield from (problem(row) for row in found[:_NAMED])
    if len(found) > _NAMED:
        total = conn.execute(sa.select(sa.func.count()).select_from(query.subquery())).scalar_one()
        yield Problem("ledger.more_of_these", params={"count": total - _NAMED})


def _broken_chains(entity: Entity) -> sa.Select[Any]:
    """Find events whose `was` is not the `becomes` of the entity's previous event."""
    events, table = tables.events, TABLES[entity]
    before = sa.func.lag(events.c.becomes).over(partition_by=table.c.id, order_by=events.c.id)
    known = sa.func.coalesce(before, carried_state(entity, table.c.id))
    steps = sa.select(events, table.c.id.label("entity_id"), known.label("before"))
    chain = steps.select_from(table.join(events, is_about(entity, table.c.id))).subquery("chain")
    return sa.select(chain).where(chain.c.was.is_distinct_from(chain.c.before)).order_by(chain.c.id, chain.c.entity_id)


def _illegal_moves() -> sa.Select[Any]:
    events, legal = tables.events, tables.legal_moves
    is_legal = sa.and_(
        legal.c.entity == events.c.entity,
        legal.c.was == sa.func.coalesce(events.c.was, ""),
        legal.c.becomes == events.c.becomes,
    )
    return (
        sa.select(events, events.c.first_id.label("entity_id"))
        .outerjoin(legal, is_legal)
        .where(legal.c.becomes.is_(None))
        .order_by(events.c.id)
    )


def _states_that_differ(entity: Entity) -> Iterator[sa.Select[Any]]:
    """Find entities whose state differs from the journal's, and entities that exist only in the journal."""
    table, events = TABLES[entity], _recorded_states()
    both = sa.select(table.c.id, table.c.state, rebuilt_state(entity).label("recorded")).subquery("both")
    yield sa.select(both).where(both.c.state.is_distinct_from(both.c.recorded)).order_by(both.c.id)
    length = events.c.last_id - events.c.first_id + 1
    stored_count = (
        sa.select(sa.func.count()).where(table.c.id.between(events.c.first_id, events.c.last_id)).scalar_subquery()
    )
    short = sa.select(events).where(events.c.entity == str(entity), stored_count < length).subquery("short")
    counted = sa.select(sa.literal_column("0").label("n")).cte("counted", recursive=True)
    counted = counted.union_all(sa.select(counted.c.n + 1).where(counted.c.n < block_size(entity) - 1))
    each = short.c.first_id + counted.c.n
    yield (
        sa.select(each.label("id"), sa.null().label("state"), sa.func.max(short.c.becomes).label("recorded"))
        .select_from(short.join(counted, each <= short.c.last_id))
        .where(~sa.exists().where(table.c.id == each))
        .group_by(each)
        .order_by(each)
    )


def _recorded_states() -> sa.FromClause:
    """Return entity, ids and state of each journal entry and of each carried state."""
    names = ("entity", "first_id", "last_id", "becomes")
    attached, detached = (
        sa.select(*(table.c[name] for name in names)) for table in (tables.events, tables.carried_states)
    )
    return attached.union_all(detached).subquery("recorded_states")


def _strange_numbers() -> sa.Select[Any]:
    """Find invoices whose number is not stored with their digest, or is wrongly retired or not retired."""
    invoices, numbers = tables.invoices, tables.numbers
    is_own = sa.and_(
        numbers.c.invoice_id == invoices.c.id,
        numbers.c.emitter_id == invoices.c.emitter_id,
        numbers.c.serie == invoices.c.serie,
        numbers.c.number == invoices.c.number,
        numbers.c.digest == invoices.c.digest,
    )
    is_dead, is_living = (invoices.c.is_living == each for each in (sa.false(), sa.true()))
    is_wrong = sa.or_(
        numbers.c.invoice_id.is_(None),
        sa.and_(is_dead, numbers.c.retired_at.is_(None)),
        sa.and_(is_living, numbers.c.retired_at.is_not(None)),
    )
    columns = (invoices.c.id, invoices.c.serie, invoices.c.number)
    query = sa.select(*columns).select_from(invoices.outerjoin(numbers, is_own)).where(invoices.c.number.is_not(None))
    return query.where(is_wrong).order_by(invoices.c.id)


def _series_behind() -> sa.Select[Any]:
    """Find series that would give a number again, or whose `highest_posted` is too low."""
    series, numbers = tables.series, tables.numbers
    is_in_it = sa.and_(numbers.c.emitter_id == series.c.emitter_id, numbers.c.serie == series.c.serie)
    # Only the few numbers above `highest_posted` cost a search in the journal.
    was_posted = sa.exists().where(
        is_about(Entity.INVOICE, numbers.c.invoice_id), tables.events.c.becomes == str(InvoiceState.POSTING)
    )
    is_missed = sa.and_(numbers.c.number > series.c.highest_posted, was_posted)
    posted = sa.case((is_missed, numbers.c.number), else_=0)
    return (
        sa.select(series.c.id, series.c.serie)
        .join(numbers, is_in_it)
        .group_by(series.c.id, series.c.serie, series.c.next_number, series.c.highest_posted)
        .having(
            sa.or_(
                sa.func.max(numbers.c.number) >= series.c.next_number,
                sa.func.max(posted) > series.c.highest_posted,
            )
        )
        .order_by(series.c.id)
    )


def _select_unapproved() -> sa.Select[Any]:
    batches, approvals = tables.batches, tables.approvals
    is_approved = sa.exists().where(
        approvals.c.batch_id == batches.c.id,
        approvals.c.revision == batches.c.revision,
        approvals.c.digest == batches.c.digest,
        approvals.c.void_at.is_(None),
    )
    needs_approval = batches.c.state.in_([str(BatchState.APPROVED), str(BatchState.HELD), str(BatchState.SENDING)])
    return sa.select(batches.c.id).where(needs_approval, ~is_approved).order_by(batches.c.id)


def _journal_problem(code: str, row: sa.Row[Any]) -> Problem:
    return Problem(
        code,
        params={
            "event": row.id,
            "entity": row.entity,
            "id": row.entity_id,
            "was": row.was or "-",
            "becomes": row.becomes,
        },
    )


def _state_problem(entity: Entity, row: sa.Row[Any]) -> Problem:
    params = {"entity": str(entity), "id": row.id, "state": row.state or "-", "becomes": row.recorded or "-"}
    return Problem("ledger.state_differs", params=params)


def _number_problem(row: sa.Row[Any]) -> Problem:
    return Problem("ledger.number_differs", params={"id": row.id, "serie": row.serie, "number": row.number})


def _count(conn: sa.Connection, table: sa.Table) -> int:
    return int(conn.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())
