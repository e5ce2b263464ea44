"""`transitions`, the only writer of states: compare-and-set, one journal event a step, no step back."""

import pytest
import sqlalchemy as sa

from connectors.ledger import approvals, batches, incidents, tables, transitions
from connectors.ledger.engine import Ledger
from connectors.ledger.issuance import posting
from domain.problems import IllegalTransition
from domain.states import BatchState, Entity, InvoiceState, RowState
from tests.connectors.ledger import scene as scenes
from tests.ledgers import sqlite_url


def test_a_move_is_a_state_and_an_event_in_one_transaction(ledger):
    scene = ledger.write(scenes.furnish, 3)

    def move_then_fail(conn):
        transitions.move(conn, scene.invoice_ids, was=InvoiceState.RESERVED, becomes=InvoiceState.RETIRED, because="x")
        raise RuntimeError

    before = ledger.read(scenes.contents)
    with pytest.raises(RuntimeError):
        ledger.write(move_then_fail)
    assert ledger.read(scenes.contents) == before
    moved = ledger.write(
        transitions.move,
        scene.invoice_ids,
        was=InvoiceState.RESERVED,
        becomes=InvoiceState.RETIRED,
        because="withdrawn",
    )
    assert moved == scene.invoice_ids
    last = ledger.read(transitions.events_of, Entity.INVOICE, scene.invoice_ids[:1])[-1]
    assert (last.was, last.becomes, last.because, last.is_observed) == ("reserved", "retired", "withdrawn", False)
    scenes.assert_journal_tells_states(ledger)


def test_a_second_move_skips_rows_that_moved_already(ledger):
    scene = ledger.write(scenes.furnish, 3)
    retire = {"was": InvoiceState.RESERVED, "becomes": InvoiceState.RETIRED, "because": "x"}
    assert ledger.write(transitions.move, scene.invoice_ids[:1], **retire) == scene.invoice_ids[:1]
    assert ledger.write(transitions.move, scene.invoice_ids, **retire) == scene.invoice_ids[1:]
    assert ledger.write(transitions.move, [], **retire) == []


def test_only_those_that_moved_are_returned_and_reported(ledger):
    # More than one block of the journal, with gaps.
    scene = ledger.write(scenes.furnish, 300)
    retire = {"was": InvoiceState.RESERVED, "becomes": InvoiceState.RETIRED, "because": "x"}
    gone = scene.invoice_ids[5:280:7]
    assert ledger.write(transitions.move, gone, **retire) == gone
    rest = [each for each in scene.invoice_ids if each not in gone]
    assert ledger.write(transitions.move, [*reversed(scene.invoice_ids), *rest], **retire) == rest
    assert ledger.write(transitions.move, scene.invoice_ids, **retire) == []
    scenes.assert_journal_tells_states(ledger)


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        (InvoiceState.CREATED, InvoiceState.RESERVED),
        (InvoiceState.REJECTED, InvoiceState.RESERVED),
        (BatchState.OPEN, BatchState.SENDING),
        (RowState.REFUSED, RowState.READ),
        (InvoiceState.RESERVED, BatchState.OPEN),
    ],
)
def test_a_pair_outside_the_table_is_our_own_bug(ledger, was, becomes):
    with pytest.raises(IllegalTransition):
        ledger.write(transitions.move, [1], was=was, becomes=becomes, because="x")


def test_a_dead_invoices_number_is_retired_with_the_reason(ledger):
    scene = ledger.write(scenes.furnish, 2)
    first = scene.invoice_ids[:1]
    ledger.write(transitions.move, first, was=InvoiceState.RESERVED, becomes=InvoiceState.RETIRED, because="withdrawn")
    numbers = ledger.read(lambda conn: conn.execute(sa.select(tables.numbers).order_by("number")).all())
    assert [each.retired_because for each in numbers] == ["retired: withdrawn", None]
    assert numbers[0].retired_at is not None


def test_an_invoice_is_living_until_a_move_ends_it(ledger):
    scene = ledger.write(scenes.furnish, 3)
    gone, *rest = scene.invoice_ids
    ledger.write(transitions.move, [gone], was=InvoiceState.RESERVED, becomes=InvoiceState.RETIRED, because="withdrawn")
    living = sa.select(tables.invoices.c.id).where(tables.invoices.c.is_living).order_by("id")
    assert ledger.read(lambda conn: list(conn.execute(living).scalars())) == rest


def test_a_step_of_living_invoices_writes_one_index(tmp_path):
    """SQLite writes each index that has a column which the statement sets, also in its condition."""
    written = []

    def explain(_conn, cursor, statement, parameters, *_rest):
        if statement.startswith("UPDATE invoices"):
            names = dict(cursor.execute("SELECT rootpage, name FROM sqlite_master"))
            steps = cursor.execute(f"EXPLAIN {statement}", parameters).fetchall()
            written.append({names[step[3]] for step in steps if step[1] == "OpenWrite"})

    with Ledger.open(sqlite_url(tmp_path)) as ledger:
        scene, lease = ledger.write(scenes.opened, 3)

        def watched(conn):
            sa.event.listen(conn, "before_cursor_execute", explain)
            return posting.begin_posting(conn, lease, scene.invoice_ids, seconds=60)

        assert len(ledger.write(watched).attempts) == 3
    assert written == [{"invoices", "ix_invoices_batch_id_state"}]


def test_an_observation_skips_states_and_returns_the_old_one(ledger):
    scene, lease = ledger.write(scenes.staged)
    approved_and_sent(ledger, scene, lease)
    a, b, *_ = scene.invoice_ids
    seen = ledger.write(transitions.observe, [a, b], becomes=InvoiceState.ACCEPTED, because="listed")
    assert [(each.id, each.was, each.moved, each.is_uncommanded) for each in seen] == [
        (a, InvoiceState.SCHEDULED, True, False), (b, InvoiceState.SCHEDULED, True, False),
    ]  # fmt: skip
    again = ledger.write(transitions.observe, [a], becomes=InvoiceState.ACCEPTED, because="listed")
    late = ledger.write(transitions.observe, [a], becomes=InvoiceState.PROCESSING, because="listed")
    assert [(each.moved, each.is_uncommanded) for each in (*again, *late)] == [(False, False)] * 2
    assert ledger.read(transitions.events_of, Entity.INVOICE, [a])[-1].is_observed
    assert ledger.read(incidents.incidents_open) == []


def approved_and_sent(ledger, scene, lease):
    for was, becomes in ((BatchState.APPROVED, BatchState.SENDING),):
        ledger.write(approve, scene.batch_id)
        ledger.write(transitions.move, [scene.batch_id], was=was, becomes=becomes, because="x")
    ledger.write(batches.mark_sent, lease, counters={})


def approve(conn, batch_id):
    batch = batches.batch_of(conn, batch_id)
    approvals.approve(
        conn, batch_id, revision=1, digest="d", count=batch.count, total_cents=batch.total_cents, approver="ana"
    )


def test_a_city_may_refuse_a_cancellation(ledger):
    scene, lease = ledger.write(scenes.staged)
    approved_and_sent(ledger, scene, lease)
    note = scene.invoice_ids[:1]
    for state in (InvoiceState.ACCEPTED, InvoiceState.CANCELLING, InvoiceState.ACCEPTED):
        assert ledger.write(transitions.observe, note, becomes=state, because="listed")[0].moved
    # We never asked for the cancellation.
    assert [each.params["becomes"] for each in ledger.read(incidents.incidents_open)] == ["cancelling"]


@pytest.mark.parametrize("becomes", [InvoiceState.SCHEDULED, InvoiceState.ACCEPTED, InvoiceState.CANCELLED])
def test_uncommanded_changes_open_one_incident_for_all_notes(ledger, becomes):
    scene, _ = ledger.write(scenes.staged)
    seen = ledger.write(transitions.observe, scene.invoice_ids, becomes=becomes, because="listed")
    assert all(each.moved and each.is_uncommanded for each in seen)
    [incident] = ledger.read(incidents.incidents_open, scene.batch_id)
    assert incident.params == {"was": "created", "becomes": str(becomes), "count": 4}


@pytest.mark.parametrize(
    ("died", "shown"),
    [(InvoiceState.DELETED, InvoiceState.ACCEPTED), (InvoiceState.CANCELLED, InvoiceState.REJECTED)],
)
def test_a_contradiction_moves_nothing_and_is_shown_to_a_person(ledger, died, shown):
    scene, _ = ledger.write(scenes.staged)
    note = scene.invoice_ids[:1]
    ledger.write(transitions.move, note, was=InvoiceState.CREATED, becomes=died, because="x")
    [seen] = ledger.write(transitions.observe, note, becomes=shown, because="listed")
    assert (seen.moved, seen.is_uncommanded) == (False, died is InvoiceState.DELETED)


def test_observing_processed_moves_a_sent_batch(ledger):
    scene, lease = ledger.write(scenes.staged)
    approved_and_sent(ledger, scene, lease)
    [seen] = ledger.write(transitions.observe, [scene.batch_id], becomes=BatchState.PROCESSED, because="looked at")
    assert seen.moved
    assert not seen.is_uncommanded
    scenes.assert_journal_tells_states(ledger)


def test_a_batch_that_somebody_else_sent_is_an_incident(ledger):
    scene, _ = ledger.write(scenes.staged)
    [seen] = ledger.write(transitions.observe, [scene.batch_id], becomes=BatchState.SCHEDULED, because="looked at")
    assert (seen.moved, seen.is_uncommanded) == (False, True)
    assert ledger.read(incidents.incidents_open, scene.batch_id)
