"""The command `inbox`: its watcher outlives an outage, a full disk and a folder that is gone."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.connectors.ledger.backup.room import room_for
from tests.flows.terminal import Terminal
from tests.tasks.dropped_sheets import cells, write_sheet
from tests.tasks.workshop import Workshop

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("orchestrator")]


@pytest.fixture
def inbox(shop: Workshop) -> Path:
    shop.set(INBOX__SETTLE_S="0.05", INBOX__ANSWER_EVERY_S="0", INBOX__WATCH_S="7", APPROVAL__AUTOMATIC="false")
    folder = shop.home / "inbox"
    folder.mkdir(parents=True)
    return folder


def at_each_pause(patch: pytest.MonkeyPatch, *acts: Callable[[], object]) -> None:
    """Do the next act whenever the watcher pauses, and stop it when there is none left."""
    left, sleep = iter(acts), time.sleep

    def pause(seconds: float) -> None:
        if seconds != 7:
            sleep(seconds)
        elif (act := next(left, None)) is None:
            raise KeyboardInterrupt
        else:
            act()

    patch.setattr(time, "sleep", pause)


def test_a_file_that_is_still_saved_is_reported(inbox: Path, terminal: Terminal, monkeypatch: pytest.MonkeyPatch):
    path, sleep = write_sheet(inbox / "mes.csv", [cells(1)]), time.sleep

    def save_more(seconds: float) -> None:
        sleep(seconds)
        with path.open("a") as file:
            file.write("\n")

    monkeypatch.setattr(time, "sleep", save_more)
    seen = terminal("inbox")
    assert "0 files taken." in seen.output
    assert "1 file is still in the inbox: it was still being saved" in seen.output
    monkeypatch.setattr(time, "sleep", sleep)
    seen = terminal("inbox")
    assert "1 file taken." in seen.output
    assert "still in the inbox" not in seen.output


def test_the_watcher_goes_on_when_there_is_room_again(
    shop: Workshop, inbox: Path, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
):
    outbox = shop.home / "outbox"

    def drop_while_the_outbox_is_away() -> None:
        write_sheet(inbox / "mes.csv", [cells(1), cells(2, Modelo="Errado")])
        outbox.rmdir()
        outbox.write_text("no folder")

    at_each_pause(monkeypatch, drop_while_the_outbox_is_away, outbox.unlink, lambda: None)
    seen = terminal("inbox", "--watch")
    assert (seen.code, "Traceback" in seen.raw) == (0, False), seen
    assert "there is no such folder" in seen.output
    assert "1 file taken." in seen.output
    assert [*inbox.iterdir()] == []
    assert sorted(path.name.partition("-")[0] for path in outbox.iterdir()) == ["mes", "mes"]
    assert shop.asked("notes.create") == 1


def test_the_watcher_waits_for_room_for_its_ledger(
    shop: Workshop, inbox: Path, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
):
    room = ExitStack()

    def fill_the_disk() -> None:
        write_sheet(inbox / "mes.csv", [cells(1)])
        room.enter_context(room_for(1_000))

    at_each_pause(monkeypatch, fill_the_disk, room.close, lambda: None)
    with room:
        seen = terminal("inbox", "--watch")
    assert (seen.code, "Traceback" in seen.raw) == (0, False), seen
    assert "Make room" in seen.output
    assert "1 file taken." in seen.output
    assert shop.asked("notes.create") == 1
