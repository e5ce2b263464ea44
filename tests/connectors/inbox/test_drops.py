"""Which files count as dropped: complete files of people, never a link, a lock or half a download."""

import os
from pathlib import Path

from connectors.inbox.drops import dropped_files, unread_folders


def test_only_whole_files_of_people_are_drops(tmp_path: Path):
    inbox = tmp_path / "inbox"
    deep = inbox / "Souza" / "2026-11" / "99000001000101"
    deep.mkdir(parents=True)
    (deep / "too").mkdir()
    for name in ("mes.xlsx", ".part-1.xlsx", "~$mes.xlsx", "a.part", "b.CRDOWNLOAD", "Thumbs.db", ".hidden"):
        (inbox / name).write_text("x")
    (deep / "outro.csv").write_text("xy")
    (deep / "too" / "lost.csv").write_text("x")
    secret = tmp_path / "secret.csv"
    secret.write_text("x")
    (inbox / "link.csv").symlink_to(secret)
    (inbox / "folder").symlink_to(tmp_path)
    os.mkfifo(inbox / "pipe.csv")
    os.utime(inbox / "mes.xlsx", ns=(1, 2_000))
    os.utime(deep / "outro.csv", ns=(1, 1_000))
    found = dropped_files(inbox)
    assert [(drop.path.name, drop.folders, drop.size, drop.is_file) for drop in found] == [
        ("outro.csv", ("Souza", "2026-11", "99000001000101"), 2, True),
        ("mes.xlsx", (), 1, True),
        ("pipe.csv", (), 0, False),
    ]
    assert unread_folders(inbox) == [deep / "too"]


def test_a_drop_that_grows_or_leaves_is_seen_to_change(tmp_path: Path):
    path = tmp_path / "mes.csv"
    path.write_text("a")
    (drop,) = dropped_files(tmp_path)
    assert (drop.owner, drop.is_unchanged()) == (os.getuid(), True)
    path.write_text("ab")
    assert not drop.is_unchanged()
    path.unlink()
    assert not drop.is_unchanged()


def test_no_inbox_is_an_empty_one(tmp_path: Path):
    assert dropped_files(tmp_path / "none") == []
    assert unread_folders(tmp_path / "none") == []
