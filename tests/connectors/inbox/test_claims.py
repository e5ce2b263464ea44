"""A claimed file is out of other processes' reach, returns complete, and never replaces another file."""

import os
import tempfile
from pathlib import Path

import pytest

from connectors.inbox.claims import claim, give_back, hand_over, leave, recover, set_aside
from connectors.inbox.drops import Drop, dropped_files


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


def claimed(inbox: Path, spool: Path | None = None, *, copied_bytes: int = 1_000) -> Drop:
    (drop,) = dropped_files(inbox)
    found = claim(drop, inbox, spool or inbox.parent / "claimed", copied_bytes=copied_bytes)
    assert found is not None
    assert found.claim is not None
    return found


def dropped(inbox: Path, name: str | bytes = "mes.csv", folder: str = "") -> Path:
    path = inbox / folder / os.fsdecode(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text("one")
    return path


@pytest.mark.parametrize("name", ["mes.csv", b"caf\xe9.csv", "a\nb.csv", "x." + "y" * 240, "n" * 255])
def test_claim_leaves_the_inbox_and_goes_back(inbox: Path, name: str | bytes) -> None:
    path = dropped(inbox, name, "Souza")
    drop = claimed(inbox)
    assert not path.exists()
    assert drop.path.read_text() == "one"
    assert drop.path.name.isprintable()
    assert drop.path.name.encode()
    assert drop.folders == ("Souza",)
    give_back(drop, inbox)
    assert path.read_text() == "one"
    assert not [*(inbox.parent / "claimed").iterdir()]


def test_file_goes_back_beside_whatever_took_its_name(inbox: Path) -> None:
    path = dropped(inbox)
    drop = claimed(inbox)
    path.write_text("another")
    give_back(drop, inbox)
    assert path.read_text() == "another"
    assert (inbox / "mes-2.csv").read_text() == "one"


def test_file_whose_folder_became_a_link_goes_back_to_the_inbox(inbox: Path, tmp_path: Path) -> None:
    dropped(inbox, folder="Souza")
    drop = claimed(inbox)
    (inbox / "Souza").rmdir()
    (inbox / "Souza").symlink_to(tmp_path)
    give_back(drop, inbox)
    assert (inbox / "mes.csv").read_text() == "one"
    assert not (tmp_path / "mes.csv").exists()


@pytest.mark.parametrize("swap", ["link", "file", "folder", "nothing"])
def test_file_swapped_before_its_claim_is_left_alone(inbox: Path, tmp_path: Path, swap: str) -> None:
    path = dropped(inbox)
    (drop,) = dropped_files(inbox)
    path.rename(tmp_path / "away.csv")
    if swap == "link":
        path.symlink_to(tmp_path / "away.csv")
    elif swap == "file":
        path.write_text("two")
        os.utime(path, ns=(1, drop.changed_ns))
    elif swap == "folder":
        path.mkdir()
    assert claim(drop, inbox, tmp_path / "claimed", copied_bytes=0) is None
    assert path.is_symlink() is (swap == "link")
    assert os.path.lexists(path) is (swap != "nothing")
    assert (tmp_path / "away.csv").read_text() == "one"
    assert not [*(tmp_path / "claimed").iterdir()]


def test_folder_swapped_for_a_link_is_not_followed(inbox: Path, tmp_path: Path) -> None:
    dropped(inbox, folder="Souza")
    (drop,) = dropped_files(inbox)
    (inbox / "Souza").rename(tmp_path / "elsewhere")
    (inbox / "Souza").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NotADirectoryError):
        claim(drop, inbox, tmp_path / "claimed", copied_bytes=0)
    assert (tmp_path / "elsewhere" / "mes.csv").exists()


def test_hand_over_never_writes_over_another_file(inbox: Path, tmp_path: Path) -> None:
    dropped(inbox)
    drop = claimed(inbox)
    (tmp_path / "answer.csv").symlink_to(tmp_path / "ledger")
    assert hand_over(drop, tmp_path / "answer.csv").name == "answer-2.csv"
    assert (tmp_path / "answer-2.csv").read_text() == "one"
    assert not (tmp_path / "ledger").exists()
    assert not [*(tmp_path / "claimed").iterdir()]


def test_a_file_set_aside_or_left_ends_its_claim(inbox: Path, tmp_path: Path) -> None:
    dropped(inbox)
    assert set_aside(claimed(inbox), tmp_path / "aside").read_text() == "one"
    dropped(inbox)
    leave(claimed(inbox))
    assert not [*(tmp_path / "claimed").iterdir()]
    assert dropped_files(inbox) == []


def test_only_claims_of_the_dead_are_recovered(inbox: Path, tmp_path: Path) -> None:
    dropped(inbox, "ours.csv")
    ours = claimed(inbox)
    dropped(inbox, "theirs.csv")
    child = os.fork()
    if child == 0:
        try:
            claimed(inbox)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    recover(tmp_path / "claimed", inbox)
    assert [drop.path.name for drop in dropped_files(inbox)] == ["theirs.csv"]
    assert ours.path.exists()


def test_claim_across_two_disks_copies(inbox: Path) -> None:
    other = next((Path(each) for each in ("/dev/shm", "/var/tmp", "/tmp") if _is_elsewhere(each, inbox)), None)
    if other is None:
        pytest.skip("this machine has one disk")
    with tempfile.TemporaryDirectory(dir=other) as spool:
        path = dropped(inbox)
        drop = claimed(inbox, Path(spool))
        assert not path.exists()
        give_back(drop, inbox)
        assert path.read_text() == "one"
        (drop,) = dropped_files(inbox)
        with pytest.raises(OSError, match="too large"):
            claim(drop, inbox, Path(spool), copied_bytes=2)
        assert path.read_text() == "one"
        assert not [*Path(spool).iterdir()]


def _is_elsewhere(folder: str, inbox: Path) -> bool:
    return os.access(folder, os.W_OK) and Path(folder).stat().st_dev != inbox.stat().st_dev
