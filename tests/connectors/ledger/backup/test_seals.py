"""Any edit of the sealed journal is found, however careful it was."""

import threading
from typing import Any

import pytest
import sqlalchemy as sa

from connectors.ledger.backup import seals
from connectors.ledger.backup.copies import write_copy, written_head
from connectors.ledger.backup.restoring import restore_copy
from connectors.ledger.backup.verify import verify
from connectors.ledger.engine import Ledger
from connectors.ledger.migrations.triggers import disable_guards
from tests import ledgers
from tests.connectors.ledger import scene as scenes

EDITS = {
    "a reason rewritten": "UPDATE events SET because = 'x' WHERE id = 2",
    "an instant moved": "UPDATE events SET at = at + 1 WHERE id = 2",
    "an event deleted": "DELETE FROM events WHERE id = 2",
    "the last event deleted": "DELETE FROM events WHERE id = (SELECT max(id) FROM events)",
    "a fence changed": "UPDATE events SET fence = 9 WHERE id = (SELECT max(id) FROM events)",
    "a seal rewritten": "UPDATE seals SET head = previous",
    "a seal deleted": "DELETE FROM seals WHERE id = 1",
}


def sealed(ledger, **more) -> Any:
    return seals.seal_journal(ledger, **more)


def edit(conn, statement):
    with disable_guards(conn):
        conn.execute(sa.text(statement))


def codes(ledger):
    return {problem.code for problem in ledger.read(verify).problems}


def sealed_twice(ledger):
    ledger.write(scenes.opened)
    sealed(ledger)
    ledger.write(scenes.add_reading, "b" * 64)
    ledger.write(one_more_event)
    return sealed(ledger)


def one_more_event(conn):
    conn.execute(
        sa.text(
            "INSERT INTO events (entity, block, first_id, last_id, was, becomes, because, is_observed, fence, at)"
            " SELECT entity, block, first_id, last_id, becomes, becomes, 'again', is_observed, fence, at"
            " FROM events WHERE id = 1"
        )
    )


def test_a_run_seals_in_three_transactions_and_looks_in_one(ledger):
    ledger.write(scenes.staged)
    begun = []
    for engine in (ledger._reader, ledger._writer):
        sa.event.listen(engine, "begin", lambda _conn: begun.append(1))
    first = sealed(ledger)
    assert (sealed(ledger), len(begun)) == (first, 3 + 1)


def test_a_sealed_journal_is_sound(ledger):
    ledger.write(scenes.staged)
    head = sealed(ledger)
    found = ledger.read(verify)
    assert (found.is_sound, found.head, found.unsealed) == (True, head, 0)
    assert head.last_event == found.events
    assert sealed(ledger) == head


def test_an_empty_journal_has_no_seal(ledger):
    assert sealed(ledger) is None


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_of_the_sealed_journal_is_found(ledger, what):
    sealed_twice(ledger)
    assert "ledger.seal_broken" not in codes(ledger)
    ledger.write(edit, EDITS[what])
    assert "ledger.seal_broken" in codes(ledger)


def test_a_recomputed_chain_lacks_the_head_written_elsewhere(ledger):
    head = sealed_twice(ledger)
    assert not ledger.read(seals.differs_from, str(head))
    ledger.write(edit, EDITS["a reason rewritten"])
    ledger.write(edit, "DELETE FROM seals")
    sealed(ledger)
    assert "ledger.seal_broken" not in codes(ledger)
    assert ledger.read(seals.differs_from, str(head))


@pytest.mark.parametrize("written", ["", "1", "1:", "1:abcdef", "x:0123456789abcdef0123", ":0123456789abcdef"])
def test_a_bad_head_differs(ledger, written):
    sealed_twice(ledger)
    assert ledger.read(seals.differs_from, written)


def test_many_events_are_sealed_in_parts(ledger):
    ledger.write(scenes.staged)
    head = sealed(ledger, at_most=3)
    found = ledger.read(verify)
    assert (head.id, found.unsealed, found.is_sound) == (-(-found.events // 3), 0, True)


def test_no_event_slips_in_below_a_seal():
    """An open transaction has drawn lower ids: the bound waits for it, or nothing is sealed."""
    with ledgers.postgresql_url() as url, Ledger.open(url) as ledger, Ledger.open(url) as other:
        ledger.write(scenes.opened)
        drawn, later = threading.Event(), threading.Event()

        def hold(conn):
            one_more_event(conn)
            drawn.set()
            later.wait(20)

        writer = threading.Thread(target=other.write, args=(hold,))
        writer.start()
        drawn.wait(20)
        ledger.write(one_more_event)
        assert sealed(ledger) is None
        later.set()
        writer.join()
        head = sealed(ledger)
        assert ledger.read(seals.unsealed_events) == 0
        assert head.last_event == ledger.read(lambda conn: conn.execute(sa.text("SELECT max(id) FROM events")).scalar())
        assert "ledger.seal_broken" not in codes(ledger)


def test_two_that_seal_at_once_leave_one_chain(ledger_url):
    with Ledger.open(ledger_url) as first, Ledger.open(ledger_url) as second:
        first.write(scenes.staged)
        others = [threading.Thread(target=seals.seal_journal, args=(each,)) for each in (first, second) for _ in "ab"]
        for each in others:
            each.start()
        for each in others:
            each.join()
        assert [seal.id for seal in [first.read(seals.head_of)] if seal] == [1]
        assert first.read(verify).is_sound


def test_a_copy_names_the_head_and_a_restored_ledger_keeps_it(ledger, tmp_path):
    ledger.write(scenes.staged)
    head = sealed(ledger)
    path = tmp_path / "copy.jsonl.gz"
    copy = ledger.read(write_copy, path)
    assert copy.head == str(head) == written_head(path)[1]
    url = ledgers.sqlite_url(tmp_path / "new")
    restore_copy(url, path, by="ana")
    with Ledger.open(url) as restored:
        assert not restored.read(seals.differs_from, str(head))
        sealed(restored)
        assert restored.read(verify).is_sound
        ((since, until),) = restored.read(seals.restored_periods)
        assert since == copy.taken_at <= until
