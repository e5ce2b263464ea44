"""RPS numbers: assigned in order, once, for ever."""

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.ledger import invoices, numbers, tables, transitions
from connectors.ledger.engine import Ledger
from domain.problems import IllegalTransition
from domain.states import InvoiceState
from tests.connectors.ledger import scene as scenes
from tests.ledgers import sqlite_url


def all_numbers(conn):
    table = tables.numbers
    return [row.number for row in conn.execute(sa.select(table.c.number).order_by(table.c.number))]


def test_a_serie_starts_and_moves_on_but_never_back(ledger):
    emitter, _, _ = ledger.write(scenes.add_parties)
    assert ledger.read(numbers.serie_of, emitter, "F") is None
    started = ledger.write(numbers.start_serie, emitter, "F", start=10, by="ana")
    assert (started.next_number, started.highest_posted, started.started_by) == (10, 0, "ana")
    assert ledger.write(numbers.start_serie, emitter, "F", start=5, by="bea") == started
    moved = ledger.write(numbers.start_serie, emitter, "F", start=50, by="bea")
    assert (moved.next_number, moved.started_by) == (50, "bea")
    with pytest.raises(ValueError):
        ledger.write(numbers.start_serie, emitter, "G", start=0, by="ana")


def test_a_reserved_number_is_reserved_for_nobody_else(ledger):
    scene = ledger.write(scenes.furnish)
    before = ledger.read(scenes.contents)
    with pytest.raises(IllegalTransition):
        ledger.write(numbers.reserve, scene.emitter_id, "F", scene.invoice_ids, batch_id=scene.batch_id)
    assert ledger.read(scenes.contents) == before
    assert ledger.write(numbers.reserve, scene.emitter_id, "F", [], batch_id=scene.batch_id) == []


def test_a_draft_that_was_withdrawn_gets_no_number(ledger):
    scene = ledger.write(scenes.furnish, 2)
    retire = {"becomes": InvoiceState.RETIRED, "because": "x"}
    ledger.write(transitions.move, scene.invoice_ids, was=InvoiceState.RESERVED, **retire)
    drafts = ledger.write(invoices.redraft, scene.invoice_ids, because="again")
    ledger.write(transitions.move, drafts[:1], was=InvoiceState.DRAFTED, **retire)
    before = ledger.read(scenes.contents)
    with pytest.raises(IllegalTransition):
        ledger.write(numbers.reserve, scene.emitter_id, "F", drafts[:1], batch_id=scene.batch_id)
    assert ledger.read(scenes.contents) == before


def test_a_number_given_up_is_not_given_again(ledger):
    scene = ledger.write(scenes.furnish)
    ledger.write(
        transitions.move,
        scene.invoice_ids,
        was=InvoiceState.RESERVED,
        becomes=InvoiceState.RETIRED,
        because="withdrawn",
    )
    again = ledger.write(scenes.furnish, sha256="b" * 64)
    assert [each.number for each in ledger.read(invoices.invoices_of, again.batch_id)] == [5, 6, 7, 8]
    assert ledger.read(numbers.audit_below, scene.emitter_id, "F", 8) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=8)
@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_whatever_is_planned_numbers_are_whole_and_never_twice(ledger, sizes):
    before = ledger.read(all_numbers)
    files = ledger.read(lambda conn: conn.execute(sa.select(sa.func.count()).select_from(tables.files)).scalar_one())
    for place, size in enumerate(sizes):
        ledger.write(scenes.furnish, size, sha256=f"{files + place:064d}")
    after = ledger.read(all_numbers)
    assert after == list(range(1, len(before) + sum(sizes) + 1))


def test_a_note_is_ours_by_its_id_and_emitter(ledger):
    scene, _ = ledger.write(scenes.staged)
    note = 9_000 + scene.invoice_ids[0]
    assert ledger.read(numbers.is_ours, scene.emitter_id, "F", 1, remote_id=note) is True
    assert ledger.read(numbers.is_ours, scene.emitter_id + 1, "F", 1, remote_id=note) is False
    assert ledger.read(numbers.is_ours, scene.emitter_id, "F", 1, remote_id=1) is False


def test_a_note_with_a_number_in_flight_has_no_known_owner(ledger):
    scene = ledger.write(scenes.furnish)
    assert ledger.read(numbers.is_ours, scene.emitter_id, "F", 1, remote_id=9_001) is None
    assert ledger.read(numbers.is_ours, scene.emitter_id, "G", 1, remote_id=9_001) is False
    assert ledger.read(numbers.is_ours, scene.emitter_id, "F", 99, remote_id=9_001) is False


def test_strangers_are_neither_ours_nor_in_flight_nor_older(ledger):
    scene, _ = ledger.write(scenes.staged)
    ours = {9_000 + invoice: number for number, invoice in enumerate(scene.invoice_ids, start=1)}
    where = scene.emitter_id, "F"
    assert ledger.read(numbers.foreign_ids, *where, ours) == []
    assert ledger.read(numbers.foreign_ids, *where, ours | {70: 2, 71: 99}) == [70, 71]
    ledger.write(numbers.start_serie, *where, start=50, by="ana")
    assert ledger.read(numbers.foreign_ids, *where, ours | {70: 2, 71: 99}) == [71]


def test_a_number_in_flight_does_not_belong_to_a_stranger(ledger):
    scene = ledger.write(scenes.furnish)
    assert ledger.read(numbers.foreign_ids, scene.emitter_id, "F", {9_001: 1, 9_002: 99}) == [9_002]


def test_a_hole_would_be_found(ledger):
    """The database prevents holes: the test removes its guard first."""
    scene, _ = ledger.write(scenes.staged)

    def make_a_hole(conn):
        on_table = " ON numbers" if ledger.dialect == "postgresql" else ""
        conn.execute(sa.text(f"DROP TRIGGER numbers_retire{on_table}"))
        transitions.move(
            conn, scene.invoice_ids[:1], was=InvoiceState.CREATED, becomes=InvoiceState.DELETED, because="discarded"
        )
        conn.execute(sa.text("UPDATE numbers SET retired_at = NULL, retired_because = NULL"))

    ledger.write(make_a_hole)
    [hole] = ledger.read(numbers.audit_below, scene.emitter_id, "F", 4)
    assert (hole.number, hole.invoice_id, hole.state) == (1, scene.invoice_ids[0], "deleted")
    assert ledger.read(numbers.wrong_digests, scene.batch_id) == []


def test_a_number_with_other_content_would_be_found(ledger):
    scene, _ = ledger.write(scenes.staged)

    def spoil(conn):
        on_table = " ON numbers" if ledger.dialect == "postgresql" else ""
        conn.execute(sa.text(f"DROP TRIGGER numbers_owner{on_table}"))
        conn.execute(sa.text("UPDATE numbers SET digest = 'x' WHERE number = 2"))

    ledger.write(spoil)
    assert ledger.read(numbers.wrong_digests, scene.batch_id) == [scene.invoice_ids[1]]


def test_an_invoice_is_found_by_id_in_a_large_ledger(tmp_path):
    """Without the index a batch would cost as much as the whole ledger is large."""
    found: list[str] = []

    def explain(_conn, cursor, statement, parameters, *_rest):
        if statement.startswith("UPDATE invoices SET batch_id"):
            found.extend(row[3] for row in cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters))

    def watched(conn):
        sa.event.listen(conn, "before_cursor_execute", explain)
        scenes.furnish(conn)

    with Ledger.open(sqlite_url(tmp_path)) as ledger:
        ledger.write(watched)
    assert [step for step in found if "invoices" in step] == ["SEARCH invoices USING INTEGER PRIMARY KEY (rowid=?)"]
