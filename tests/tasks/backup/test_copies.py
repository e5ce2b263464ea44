"""A copy through the stations: made beside a working line, never over another file, verified by restoring it."""

import json
import threading
from datetime import timedelta

import pytest
import sqlalchemy as sa
from pyrage import x25519

from connectors.ledger.backup import seals
from connectors.ledger.migrations.triggers import disable_guards
from domain.problems import FaturistaError
from tasks.backup.copies import back_up, back_up_nightly, export, restore, verify_copy, verify_ledger
from tasks.runtime import open_context
from tasks.stations.stage import stage_batch
from tests.connectors.ledger.backup.room import room_for
from tests.tasks.workshop import PROFILE

pytestmark = pytest.mark.both_databases


def test_a_copy_of_a_month_is_sound(shop):
    shop.processed(3)
    with shop.context() as context:
        path, copy = back_up(context)
        assert path.parent == shop.home / "copies"
        assert copy.account
        assert verify_ledger(context).is_sound
    again, found = verify_copy(PROFILE, path)
    assert again == copy
    assert found.is_sound
    assert found.events > found.things


def test_a_copy_during_staging_is_a_consistent_moment(each_shop, tmp_path):
    shop = each_shop
    batch = shop.planned(60)
    worker = threading.Thread(target=shop.run, args=(stage_batch, batch))
    worker.start()
    states: list[int] = []
    while worker.is_alive() or not states:
        with shop.context() as context:
            path, copy = back_up(context, tmp_path / f"{len(states)}.gz")
        assert verify_copy(PROFILE, path)[1].is_sound
        states.append(copy.rows["events"])
    worker.join()
    assert states == sorted(states)
    assert shop.batch(batch).state == "staged"


def test_nothing_is_written_over(shop, tmp_path):
    (tmp_path / "there").write_text("mine")
    with shop.context() as context:
        for write in (back_up, export):
            with pytest.raises(FaturistaError) as caught:
                write(context, tmp_path / "there")
            assert caught.value.problem.code == "ledger.copy_exists"
    assert (tmp_path / "there").read_text() == "mine"


def test_a_place_that_cannot_be_written_is_reported_in_words(shop, tmp_path):
    (tmp_path / "file").write_text("no folder")
    with shop.context() as context:
        for write in (back_up, export):
            with pytest.raises(FaturistaError) as caught:
                write(context, tmp_path / "file" / "below")
            assert caught.value.problem.code == "ledger.cannot_write"


def test_the_profiles_ledger_comes_back_elsewhere(shop, tmp_path):
    shop.processed(3)
    with shop.context() as context:
        path, _ = back_up(context)
    shop.set(LEDGER__URL=f"sqlite:///{tmp_path / 'new.db'}")
    restore(PROFILE, path, person="Ana")
    with open_context(PROFILE) as context:
        assert verify_ledger(context).is_sound


def test_only_the_owner_can_read_an_export(shop):
    shop.processed(3)
    with shop.context() as context:
        folder, counts = export(context)
        assert folder.parent == shop.home / "exports"
    assert counts["invoices"] == 3


def test_a_journal_changed_and_resealed_lacks_the_copys_head(each_shop):
    shop = each_shop
    shop.processed(2)
    with shop.context() as context:
        path, copy = back_up(context)
        assert verify_ledger(context, [copy.head or "none"]).is_sound
        context.ledger.write(change_and_forget)
        problems = verify_ledger(context).problems
    assert [(each.code, each.params["where"]) for each in problems] == [("ledger.head_differs", path.name)]


def change_and_forget(conn):
    with disable_guards(conn):
        conn.execute(sa.text("UPDATE events SET because = 'x' WHERE id = 1"))
        conn.execute(sa.text("DELETE FROM seals"))


def test_a_copy_of_a_time_that_was_lost_accuses_nobody(shop, tmp_path):
    shop.processed(2)
    with shop.context() as context:
        path, _ = back_up(context, shop.home / "copies" / "first.jsonl.gz")
    shop.planned(3)
    with shop.context() as context:
        back_up(context, shop.home / "copies" / "second.jsonl.gz")
    shop.set(LEDGER__URL=f"sqlite:///{tmp_path / 'new.db'}")
    restore(PROFILE, path, person="Ana")
    with open_context(PROFILE) as context:
        assert verify_ledger(context).is_sound


def test_a_run_seals_what_it_wrote(shop):
    shop.processed(2)
    with shop.context() as context:
        assert context.ledger.read(seals.unsealed_events) == 0


def encrypted_for(shop, *keys):
    shop.set(BACKUP__RECIPIENTS=json.dumps([str(key.to_public()) for key in keys]))


def test_an_encrypted_copy_comes_back_with_any_of_its_keys(each_shop, tmp_path):
    shop, keys = each_shop, [x25519.Identity.generate() for _ in range(2)]
    encrypted_for(shop, *keys)
    shop.processed(3)
    with shop.context() as context:
        path, copy = back_up(context)
        assert verify_ledger(context).is_sound
    assert path.name.endswith(".jsonl.gz.age")
    assert {each.stat().st_mode & 0o777 for each in path.parent.iterdir()} == {0o600}
    for key in keys:
        shop.set(BACKUP__IDENTITY="env:FATURISTA_RESTORE_KEY", RESTORE_KEY=key)
        assert verify_copy(PROFILE, path)[0] == copy
    shop.set(LEDGER__URL=f"sqlite:///{tmp_path / 'new.db'}")
    assert restore(PROFILE, path, person="Ana") == copy


def test_an_encrypted_copy_without_its_key_restores_nothing(shop, tmp_path):
    encrypted_for(shop, x25519.Identity.generate())
    shop.processed(1)
    with shop.context() as context:
        path, _ = back_up(context)
    shop.set(LEDGER__URL=f"sqlite:///{tmp_path / 'new.db'}")
    with pytest.raises(FaturistaError) as caught:
        restore(PROFILE, path, person="Ana")
    assert caught.value.problem.code == "backup.encrypted"
    assert not (tmp_path / "new.db").exists()


def test_an_encrypted_copy_still_shows_a_rewritten_journal(shop):
    encrypted_for(shop, x25519.Identity.generate())
    shop.processed(2)
    with shop.context() as context:
        path, _ = back_up(context)
        context.ledger.write(change_and_forget)
        problems = verify_ledger(context).problems
    assert [(each.code, each.params["where"]) for each in problems] == [("ledger.head_differs", path.name)]


def test_an_encrypted_copy_gets_its_name_after_its_head(shop, tmp_path):
    encrypted_for(shop, x25519.Identity.generate())
    (tmp_path / "copy.head").mkdir()
    with shop.context() as context, pytest.raises(FaturistaError) as caught:
        back_up(context, tmp_path / "copy")
    assert caught.value.problem.code == "ledger.cannot_write"
    assert not (tmp_path / "copy").exists()


def test_an_encrypted_copy_without_room_leaves_no_head(shop, tmp_path):
    encrypted_for(shop, x25519.Identity.generate())
    folder = tmp_path / "elsewhere"
    with shop.context() as context, room_for(1_000), pytest.raises(FaturistaError):
        back_up(context, folder / "copy")
    assert [*folder.iterdir()] == []


def test_the_nightly_copy_is_encrypted_and_pruned_with_its_head(shop):
    encrypted_for(shop, x25519.Identity.generate())
    shop.set(BACKUP__KEEP=1)
    made = []
    for hours in (1, 2):
        with shop.context(ahead=timedelta(hours=hours)) as context:
            made.append(back_up_nightly(context))
    assert sorted(made[0].parent.iterdir()) == [made[1], made[1].with_name(f"{made[1].name}.head")]
