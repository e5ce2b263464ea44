"""Progress is read from the ledger during the work, printed as lines without a terminal, and disturbs nothing."""

import io
import time
from pathlib import Path

import pytest
from rich.console import Console

from flows.progress import show_progress
from tasks.stations.stage import stage_batch
from tests.tasks.rows import line
from tests.tasks.workshop import PROFILE, Workshop

PATIENCE_S = 300.0


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_without_a_terminal_each_step_is_a_line(shop: Workshop):
    console = Console(file=io.StringIO(), width=120)
    end = time.monotonic() + PATIENCE_S
    # before the progress: a kept scene is made in a ledger that is closed afterwards
    batch = shop.planned(3)
    with show_progress(console, PROFILE, title="Reading"):
        shop.run(stage_batch, batch)
        while "3/3" not in written(console) and time.monotonic() < end:
            time.sleep(0.05)
    output = written(console)
    assert "Staged 3/3\n" in output
    assert "Finished" not in output


def test_only_the_notes_of_the_reading_are_counted(shop: Workshop):
    shop.staged(2)
    reading, _ = shop.assembled(*(line(number) for number in range(7, 10)))
    console = Console(file=io.StringIO(), width=120)
    end = time.monotonic() + PATIENCE_S
    with show_progress(console, PROFILE, title="Reading", reading=reading):
        while "/3" not in written(console) and time.monotonic() < end:
            time.sleep(0.05)
    assert "Staged 0/3\n" in written(console)
    assert "/5" not in written(console)


def test_notes_that_had_ended_before_are_not_counted(shop: Workshop):
    shop.processed(2)
    console = Console(file=io.StringIO(), width=120)
    end = time.monotonic() + PATIENCE_S
    with show_progress(console, PROFILE, title="Sweeping"):
        shop.assembled(*(line(number) for number in range(7, 10)))
        while "/3" not in written(console) and time.monotonic() < end:
            time.sleep(0.05)
    assert "Staged 0/3\n" in written(console)
    assert "/5" not in written(console)


def test_finished_notes_are_shown_once_there_are_any(shop: Workshop):
    console = Console(file=io.StringIO(), width=120)
    end = time.monotonic() + PATIENCE_S
    with show_progress(console, PROFILE, title="Following"):
        shop.processed(2)
        while "Finished 2/2" not in written(console) and time.monotonic() < end:
            time.sleep(0.05)
    assert "Staged 2/2 · Finished 2/2" in written(console)


def test_work_without_notes_leaves_no_bar(shop: Workshop):
    console = Console(file=io.StringIO(), width=120, force_terminal=True)
    with show_progress(console, PROFILE, title="Reading"):
        shop.reading(line(1))
    last = written(console).rpartition("\x1b[2K")[2]
    assert "Reading" not in last
    assert "Reading" in written(console)


def test_an_unreadable_ledger_does_not_disturb_the_work(shop: Workshop, tmp_path: Path):
    (tmp_path / "no.db").write_bytes(b"this is no database at all, whatever its name says" * 30)
    shop.set(LEDGER__URL=f"sqlite:///{tmp_path}/no.db")
    with show_progress(Console(file=io.StringIO()), PROFILE, title="Reading"):
        time.sleep(0.7)


def test_an_inner_error_is_not_swallowed(shop: Workshop):
    with pytest.raises(ZeroDivisionError), show_progress(Console(file=io.StringIO()), PROFILE, title="Reading"):
        raise ZeroDivisionError
    assert shop.batches() == []
