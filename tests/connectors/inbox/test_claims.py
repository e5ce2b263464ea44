"""A claimed file is out of other processes' reach, returns complete, and never replaces another file."""

import os
import resource
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from connectors.inbox.claims import claim, give_back, hand_over, has_others, leave, recover, set_aside
from connectors.inbox.drops import Drop, dropped_files
from tests.connectors.ledger.backup.room import room_for


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
    assert hand_over(drop, tmp_path / "answer.csv", copied_bytes=0).name == "answer-2.csv"
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


@pytest.fixture
def other_disk(inbox: Path) -> Iterator[Path]:
    """Yield a folder on another disk than the inbox."""
    other = next((Path(each) for each in ("/dev/shm", "/var/tmp", "/tmp") if _is_elsewhere(each, inbox)), None)
    if other is None:
        pytest.skip("this machine has one disk")
    with tempfile.TemporaryDirectory(dir=other) as folder:
        yield Path(folder)


def test_claim_across_two_disks_copies(inbox: Path, other_disk: Path) -> None:
    path = dropped(inbox)
    drop = claimed(inbox, other_disk)
    assert not path.exists()
    give_back(drop, inbox)
    assert path.read_text() == "one"
    (drop,) = dropped_files(inbox)
    with pytest.raises(OSError, match="too large"):
        claim(drop, inbox, other_disk, copied_bytes=2)
    assert path.read_text() == "one"
    assert not [*other_disk.iterdir()]


def test_half_a_claim_never_returns_as_another_drop(inbox: Path, other_disk: Path) -> None:
    path = dropped(inbox)
    path.write_text("x" * 5_000)
    (drop,) = dropped_files(inbox)
    with room_for(2_000), pytest.raises(OSError, match="too large"):
        claim(drop, inbox, other_disk, copied_bytes=10_000)
    recover(other_disk, inbox)
    assert [(each.path, each.size) for each in dropped_files(inbox)] == [(path, 5_000)]
    assert not [*other_disk.iterdir()]


def test_a_copy_that_a_kill_cut_short_is_dropped(inbox: Path, other_disk: Path) -> None:
    """The process that copies the file into its claim is killed at the first byte that it cannot write."""
    path = dropped(inbox)
    path.write_text("x" * 5_000)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with room_for(2_000):
            claimed(inbox, other_disk, copied_bytes=10_000)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGXFSZ
    assert recover(other_disk, inbox) == []
    assert [(each.path, each.size) for each in dropped_files(inbox)] == [(path, 5_000)]
    assert not [*other_disk.iterdir()]


def test_a_file_goes_back_whole_or_stays_in_its_claim(inbox: Path, other_disk: Path) -> None:
    path = dropped(inbox)
    path.write_text("x" * 5_000)
    drop = claimed(inbox, other_disk, copied_bytes=10_000)
    for _ in range(2):
        with room_for(2_000), pytest.raises(OSError, match="too large"):
            give_back(drop, inbox)
        assert [*inbox.iterdir()] == []
    assert has_others(other_disk)
    # the process that failed to give it back does it as soon as there is room
    assert recover(other_disk, inbox) == []
    assert [(each.path, each.size) for each in dropped_files(inbox)] == [(path, 5_000)]
    assert not [*other_disk.iterdir()]


def test_half_a_returned_file_never_bears_its_name(inbox: Path, other_disk: Path, tmp_path: Path) -> None:
    dropped(inbox).write_text("x" * 5_000)
    drop = claimed(inbox, other_disk, copied_bytes=10_000)
    outbox = tmp_path / "outbox"
    outbox.mkdir()
    with room_for(2_000), pytest.raises(OSError, match="too large"):
        hand_over(drop, outbox / "mes.csv", copied_bytes=10_000)
    assert [*outbox.iterdir()] == []
    assert hand_over(drop, outbox / "mes.csv", copied_bytes=10_000).stat().st_size == 5_000


def test_a_huge_file_is_handed_over_on_its_own_disk_alone(inbox: Path, other_disk: Path) -> None:
    dropped(inbox)
    os.truncate(inbox / "mes.csv", 1 << 40)
    drop = claimed(inbox)
    with pytest.raises(OSError, match="too large"):
        hand_over(drop, other_disk / "mes.csv", copied_bytes=10_000)
    assert [*other_disk.iterdir()] == []
    assert hand_over(drop, inbox / "back.csv", copied_bytes=10_000).stat().st_size == 1 << 40


def test_a_claim_that_cannot_go_back_keeps_no_other(inbox: Path, other_disk: Path) -> None:
    for name in ("a.csv", "b.csv", "c.csv"):
        dropped(inbox, name).write_text("x" * (5_000 if name == "b.csv" else 500))
    child = os.fork()
    if child == 0:
        for each in dropped_files(inbox):
            claim(each, inbox, other_disk, copied_bytes=10_000)
        os._exit(0)
    os.waitpid(child, 0)
    with room_for(2_000):
        assert [each.name for each in recover(other_disk, inbox)] == ["b.csv"]
    assert sorted(each.path.name for each in dropped_files(inbox)) == ["a.csv", "c.csv"]
    assert recover(other_disk, inbox) == []
    assert sorted(each.path.name for each in dropped_files(inbox)) == ["a.csv", "b.csv", "c.csv"]


def test_a_file_of_any_name_goes_back(inbox: Path) -> None:
    """A claim's own file has a name that no drop can have."""
    path = dropped(inbox, "origin")
    give_back(claimed(inbox), inbox)
    assert path.read_text() == "one"


def _is_elsewhere(folder: str, inbox: Path) -> bool:
    return os.access(folder, os.W_OK) and Path(folder).stat().st_dev != inbox.stat().st_dev
