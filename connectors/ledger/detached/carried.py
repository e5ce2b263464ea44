"""Carried states: those of rows, batches and invoices after the detached part of the journal, as runs of ids.

The part of the journal that is still in the tables continues from them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import insert_many, is_in

_t = tables.carried_states
_events = tables.events
_TOGETHER: Final = 500


class Run(NamedTuple):
    """Consecutive ids of one entity that have the same state, `becomes`."""

    first_id: int
    last_id: int
    becomes: str


class Block(NamedTuple):
    """A block of ids of one entity (`journal.block_size`). No run crosses a block's end."""

    entity: str
    block: int


def after_line(runs: Sequence[Run], line: Run) -> list[Run]:
    """Return a block's runs after one more journal entry. The entry's ids get its state, the others keep theirs."""
    pieces = [line]
    for run in runs:
        if run.first_id < line.first_id:
            pieces.append(run._replace(last_id=min(run.last_id, line.first_id - 1)))
        if run.last_id > line.last_id:
            pieces.append(run._replace(first_id=max(run.first_id, line.last_id + 1)))
    joined: list[Run] = []
    for piece in sorted(pieces):
        if joined and joined[-1].last_id + 1 == piece.first_id and joined[-1].becomes == piece.becomes:
            joined[-1] = joined[-1]._replace(last_id=piece.last_id)
        else:
            joined.append(piece)
    return joined


def carry(conn: sa.Connection, *, after: int, until: int) -> None:
    """Store the states after the events with ids above `after` up to `until`. The caller deletes these events."""
    blocks = _changed_blocks(conn, after, until)
    while group := list(islice(blocks, _TOGETHER)):
        held: dict[Block, list[Run]] = {}
        for entity in sorted({block.entity for block, _ in group}):
            numbers = [block.block for block, _ in group if block.entity == entity]
            is_theirs = sa.and_(_t.c.entity == entity, is_in(conn, _t.c.block, numbers))
            for row in conn.execute(sa.select(_t).where(is_theirs).order_by(_t.c.block, _t.c.first_id)):
                held.setdefault(Block(row.entity, row.block), []).append(Run(row.first_id, row.last_id, row.becomes))
            conn.execute(sa.delete(_t).where(is_theirs))
        lines = [
            {**block._asdict(), **run._asdict()}
            for block, events in group
            for run in _apply_lines(held.get(block, []), events)
        ]
        insert_many(conn, _t, lines)


def differing_states(conn: sa.Connection, replayed: Mapping[Block, Sequence[Run]]) -> list[Block]:
    """Return the blocks whose carried states differ from `replayed`, the states computed from the files."""
    query = sa.select(_t).order_by(_t.c.entity, _t.c.block, _t.c.first_id)
    stored = {
        block: [Run(row.first_id, row.last_id, row.becomes) for row in rows]
        for block, rows in groupby(conn.execute(query), key=lambda row: Block(row.entity, row.block))
    }
    return sorted(each for each in stored.keys() | replayed.keys() if stored.get(each) != replayed.get(each))


def _changed_blocks(conn: sa.Connection, after: int, until: int) -> Iterator[tuple[Block, list[Run]]]:
    """Yield each block that these events change, with its events as runs, oldest first."""
    columns = (_events.c[name] for name in ("entity", "block", "first_id", "last_id", "becomes"))
    query = sa.select(*columns).where(_events.c.id > after, _events.c.id <= until)
    # Fetch everything before the first write: on SQLite an open cursor would see the changes.
    found: Sequence[Any] = conn.execute(query.order_by(_events.c.entity, _events.c.block, _events.c.id)).all()
    for block, rows in groupby(found, key=lambda row: Block(row[0], row[1])):
        yield block, [Run(*row[2:]) for row in rows]


def _apply_lines(runs: Sequence[Run], lines: Iterable[Run]) -> Sequence[Run]:
    for line in lines:
        runs = after_line(runs, line)
    return runs
