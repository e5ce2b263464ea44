"""Files too deep in the inbox are reported once; they are neither taken nor moved."""

import shutil
from pathlib import Path

from tasks.inbox.deep_folders import report_unread_folders, unreported_folders
from tests.tasks.workshop import Workshop

DEEP = "2026-11/99000001000101/Souza/velhas"


def dropped(shop: Workshop, place: str) -> Path:
    path = shop.home / "inbox" / place
    path.parent.mkdir(parents=True)
    path.write_text("a;b\n")
    return path


def notes(shop: Workshop) -> list[str]:
    with shop.context() as context:
        return [note.read_text(encoding="utf-8-sig") for note in report_unread_folders(context)]


def test_a_folder_below_three_is_reported_once(shop: Workshop):
    path = dropped(shop, f"{DEEP}/mes.csv")
    dropped(shop, f"{DEEP}/mais/fundo/mes.csv")
    (text,) = notes(shop)
    assert f"The folder {DEEP} lies too deep" in text
    assert path.exists()
    assert notes(shop) == []
    with shop.context() as context:
        assert unreported_folders(context) == []
        (note,) = context.outbox.iterdir()
        assert note.name.startswith("velhas-")
        assert note.name.endswith("-folder-not-read.txt")


def test_used_and_empty_columns_are_not_reported(shop: Workshop):
    dropped(shop, "2026-11/99000001000101/Souza/mes.csv")
    dropped(shop, f"{DEEP}/.git/config")
    dropped(shop, f"{DEEP}/outra/mes.csv.part")
    assert notes(shop) == []


def test_a_folder_removed_and_created_again_is_reported_again(shop: Workshop):
    dropped(shop, f"{DEEP}/mes.csv")
    notes(shop)
    shutil.rmtree(shop.home / "inbox" / "2026-11")
    assert notes(shop) == []
    dropped(shop, f"{DEEP}/mes.csv")
    assert len(notes(shop)) == 1
