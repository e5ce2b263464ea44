"""A copy through the stations: made beside a working line, never over another file, verified by restoring it."""

import threading

import pytest
import sqlalchemy as sa

from connectors.ledger.keeping import seals
from connectors.ledger.migrations.guards import lifted
from domain.problems import FaturistaError
from tasks.keeping.copying import back_up, export, restore, verify_copy, verify_ledger
from tasks.runtime import open_desk
from tasks.stage import stage_batch
from tests.tasks.workshop import PROFILE


def test_a_copy_of_a_month_is_sound(shop):
    shop.processed(3)
    with shop.desk() as desk:
        path, copy = back_up(desk)
        assert path.parent == shop.home / "copies"
        assert copy.account
        assert verify_ledger(desk).is_sound
    again, found = verify_copy(path)
    assert again == copy
    assert found.is_sound
    assert found.events > 20


def test_copies_made_while_a_batch_is_staged_are_each_a_sound_moment(each_shop, tmp_path):
    shop = each_shop
    batch = shop.planned(60)
    worker = threading.Thread(target=shop.run, args=(stage_batch, batch))
    worker.start()
    states: list[int] = []
    while worker.is_alive() or not states:
        with shop.desk() as desk:
            path, copy = back_up(desk, tmp_path / f"{len(states)}.gz")
        assert verify_copy(path)[1].is_sound
        states.append(copy.rows["events"])
    worker.join()
    assert states == sorted(states)
    assert shop.batch(batch).state == "staged"


def test_nothing_is_written_over(shop, tmp_path):
    (tmp_path / "there").write_text("mine")
    with shop.desk() as desk:
        for write in (back_up, export):
            with pytest.raises(FaturistaError) as caught:
                write(desk, tmp_path / "there")
            assert caught.value.problem.code == "ledger.copy_exists"
    assert (tmp_path / "there").read_text() == "mine"


def test_a_place_that_cannot_be_written_is_said_in_words(shop, tmp_path):
    (tmp_path / "file").write_text("no folder")
    with shop.desk() as desk:
        for write in (back_up, export):
            with pytest.raises(FaturistaError) as caught:
                write(desk, tmp_path / "file" / "below")
            assert caught.value.problem.code == "ledger.cannot_write"


def test_the_profiles_ledger_comes_back_elsewhere(shop, tmp_path):
    shop.processed(3)
    with shop.desk() as desk:
        path, _ = back_up(desk)
    shop.set(LEDGER__URL=f"sqlite:///{tmp_path / 'new.db'}")
    restore(PROFILE, path, person="Ana")
    with open_desk(PROFILE) as desk:
        assert verify_ledger(desk).is_sound


def test_an_export_lies_where_only_the_owner_looks(shop):
    shop.processed(3)
    with shop.desk() as desk:
        folder, counts = export(desk)
        assert folder.parent == shop.home / "exports"
    assert counts["invoices"] == 3


def test_a_journal_changed_and_sealed_anew_lacks_the_copys_head(each_shop):
    shop = each_shop
    shop.processed(2)
    with shop.desk() as desk:
        path, copy = back_up(desk)
        assert verify_ledger(desk, [copy.head or "none"]).is_sound
        desk.ledger.write(change_and_forget)
        problems = verify_ledger(desk).problems
    assert [(each.code, each.params["where"]) for each in problems] == [("ledger.head_differs", path.name)]


def change_and_forget(conn):
    with lifted(conn):
        conn.execute(sa.text("UPDATE events SET because = 'x' WHERE id = 1"))
        conn.execute(sa.text("DELETE FROM seals"))


def test_a_copy_of_a_time_that_was_lost_accuses_nobody(shop, tmp_path):
    shop.processed(2)
    with shop.desk() as desk:
        path, _ = back_up(desk, shop.home / "copies" / "first.jsonl.gz")
    shop.planned(3)
    with shop.desk() as desk:
        back_up(desk, shop.home / "copies" / "second.jsonl.gz")
    shop.set(LEDGER__URL=f"sqlite:///{tmp_path / 'new.db'}")
    restore(PROFILE, path, person="Ana")
    with open_desk(PROFILE) as desk:
        assert verify_ledger(desk).is_sound


def test_a_run_seals_what_it_wrote(shop):
    shop.processed(2)
    with shop.desk() as desk:
        assert desk.ledger.read(seals.unsealed_events) == 0
