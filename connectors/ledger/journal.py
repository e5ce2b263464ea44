"""The journal of states: one entry (event) for a range of ids that moved together, instead of one for each id.

A reading's rows and a batch's invoices have neighbouring ids and move in groups, so one entry covers up to `BLOCK` of
them: `first_id` to `last_id`, all in one block of ids. The index is on the block, so that a query for any id finds its
entries. A batch moves alone, and its block is its id.
"""

from typing import Any

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import Kinds, Statement, clock, param, values
from connectors.ledger.tables.journals import BLOCK
from domain.states import Entity

_events = tables.events
_IDS: Kinds = {"id": sa.BigInteger()}


def block_size(entity: Entity) -> int:
    """Return how many ids one block of the journal spans: 1 for batches, else `BLOCK`.

    One journal entry covers a range of ids within one block.
    """
    return 1 if entity is Entity.BATCH else BLOCK


def block_of(entity: Entity, entity_id: sa.ColumnElement[int]) -> sa.ColumnElement[int]:
    """Return the number of the block to which this id of a row, batch or invoice belongs."""
    return _block(entity_id, sa.literal_column(str(block_size(entity))))


def is_about(
    entity: Entity, entity_id: sa.ColumnElement[int], events: sa.FromClause = _events
) -> sa.ColumnElement[bool]:
    """Return the condition that a journal entry of `events` covers this id of the entity."""
    return sa.and_(
        events.c.entity == str(entity),
        events.c.block == block_of(entity, entity_id),
        events.c.first_id <= entity_id,
        events.c.last_id >= entity_id,
    )


def carried_state(entity: Entity, entity_id: sa.ColumnElement[int]) -> sa.ScalarSelect[str]:
    """Return a scalar subquery: the state of this id after the detached part of the journal, or null."""
    states = tables.carried_states
    return sa.select(states.c.becomes).where(is_about(entity, entity_id, states)).scalar_subquery()


def journal_subjects(conn: sa.Connection, entity: Entity, ids: Any) -> tuple[sa.FromClause, sa.ColumnElement[bool]]:
    """Return a table with the ids in its column `id`, and the condition that joins the journal."""
    asked = values(conn, "asked", _IDS, [(each,) for each in ids])
    return asked, is_about(entity, asked.c.id)


def latest_event(conn: sa.Connection) -> int:
    """Return the id of the newest entry; 0 for none. It grows with every change of a state."""
    return int(conn.execute(sa.select(sa.func.coalesce(sa.func.max(_events.c.id), 0))).scalar_one())


def lines_about(conn: sa.Connection, moved: sa.FromClause) -> sa.Insert:
    """Return the insert of the entries that cover each `id` of `moved`.

    The caller passes the parameters `entity`, `size` (its `block_size`), `was`, `becomes`, `because`, `is_observed` and
    `fence` when the statement runs.
    """
    block = _block(moved.c.id, param("size", sa.BigInteger))
    # Consecutive ids have the same difference to their rank.
    run = moved.c.id - sa.func.row_number().over(order_by=moved.c.id)
    ids = sa.select(moved.c.id, block.label("block"), run.label("run")).subquery("ids")
    line: dict[str, Any] = {
        "entity": param("entity", sa.Text),
        "block": ids.c.block,
        "first_id": sa.func.min(ids.c.id),
        "last_id": sa.func.max(ids.c.id),
        "was": param("was", sa.Text),
        "becomes": param("becomes", sa.Text),
        "because": param("because", sa.Text),
        "is_observed": param("is_observed", sa.Boolean),
        "fence": param("fence", sa.Integer),
        "at": clock(conn),
    }
    lines = sa.select(*line.values()).group_by(ids.c.block, ids.c.run).order_by(sa.func.min(ids.c.id))
    return sa.insert(_events).from_select(list(line), lines)


@Statement
def write_lines(conn: sa.Connection) -> sa.Insert:
    """Store the entries that cover these ids. `moved` is a list of one-element rows, each with an id."""
    return lines_about(conn, values(conn, "moved", _IDS, param("moved")))


def recorded_ids(conn: sa.Connection, *, up_to: int, count: int) -> set[int]:
    """Return the ids that the last `count` entries cover, up to and including the entry `up_to`.

    For SQLite, which numbers the entries of one insert without gaps.
    """
    lines = _find_runs.gather(conn, after=up_to - count, up_to=up_to)
    return {each for first, last in lines for each in range(first, last + 1)}


@Statement
def _find_runs(_conn: sa.Connection) -> sa.Select[Any]:
    is_new = _events.c.id.between(param("after") + 1, param("up_to"))
    return sa.select(_events.c.first_id, _events.c.last_id).where(is_new)


def _block(entity_id: sa.ColumnElement[int], size: sa.ColumnElement[Any]) -> sa.ColumnElement[int]:
    # Both operands are integers: both databases round down.
    return entity_id.op("/", return_type=sa.BigInteger())(size)
