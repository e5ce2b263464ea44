"""The journal of states: one line for a run of neighbours, and each of them is found by its id."""

import pytest
import sqlalchemy as sa

from connectors.ledger import tables, transitions
from connectors.ledger.backup.verify import verify
from connectors.ledger.journal import block_size, latest_event
from connectors.ledger.tables.journals import BLOCK
from domain.states import Entity, InvoiceState
from tests.connectors.ledger import scene as scenes

RETIRE = {"was": InvoiceState.RESERVED, "becomes": InvoiceState.RETIRED, "because": "withdrawn"}


def runs(ledger, becomes):
    table = tables.events
    query = sa.select(table.c.first_id, table.c.last_id).where(table.c.becomes == becomes).order_by(table.c.id)
    return [tuple(row) for row in ledger.read(lambda conn: conn.execute(query).all())]


def test_neighbours_that_moved_together_share_a_line(ledger):
    scene = ledger.write(scenes.furnish, 2 * BLOCK + 10)
    ids = scene.invoice_ids
    assert runs(ledger, "reserved") == [(1, BLOCK - 1), (BLOCK, 2 * BLOCK - 1), (2 * BLOCK, ids[-1])]
    moved = [*ids[:5], ids[7], *ids[9 : BLOCK + 4]]
    assert ledger.write(transitions.move, moved, **RETIRE) == moved
    assert runs(ledger, "retired") == [(1, 5), (8, 8), (10, BLOCK - 1), (BLOCK, BLOCK + 4)]
    scenes.assert_journal_tells_states(ledger)
    assert ledger.read(verify).is_sound


def test_each_row_of_a_line_is_found_by_its_id(ledger):
    scene = ledger.write(scenes.furnish, BLOCK + 3)
    chosen = [scene.invoice_ids[place] for place in (1, 2, BLOCK - 2, BLOCK - 1, BLOCK + 2)]
    ledger.write(transitions.move, chosen, **RETIRE)
    steps = ledger.read(transitions.events_of, Entity.INVOICE, scene.invoice_ids)
    assert [step.entity_id for step in steps if step.becomes == "retired"] == chosen
    (alone,) = scene.invoice_ids[3:4]
    assert [step.becomes for step in ledger.read(transitions.events_of, Entity.INVOICE, [alone])] == [
        "drafted",
        "reserved",
    ]
    assert ledger.read(latest_event) == max(step.id for step in steps)


def test_a_batch_has_lines_of_its_own(ledger):
    assert block_size(Entity.BATCH) == 1
    first = ledger.write(scenes.furnish, 2)
    second = ledger.write(scenes.furnish, 2, sha256="b" * 64)
    steps = ledger.read(transitions.events_of, Entity.BATCH, [first.batch_id, second.batch_id])
    assert [(step.entity_id, step.becomes) for step in steps] == [
        (first.batch_id, "planned"),
        (second.batch_id, "planned"),
    ]


@pytest.mark.parametrize(("block", "first", "last"), [(0, 2, 1), (1, 1, 1), (0, 1, BLOCK)])
def test_a_run_outside_of_its_block_is_refused(ledger, block, first, last):
    ledger.write(scenes.furnish, 2)
    line = {"entity": "invoice", "block": block, "first_id": first, "last_id": last}
    at = sa.select(sa.func.max(tables.events.c.at)).scalar_subquery()
    facts = {"becomes": "drafted", "because": "x", "is_observed": False, "at": at}
    with pytest.raises(sa.exc.IntegrityError):
        ledger.write(lambda conn: conn.execute(sa.insert(tables.events).values(**line, **facts)))
