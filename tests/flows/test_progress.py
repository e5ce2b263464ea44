"""Progress is read from the ledger while somebody works, said in lines where there is no terminal, and harms nobody."""

import io
import time
from pathlib import Path

import pytest
from rich.console import Console

from flows.progress import shown
from tests.tasks.workshop import PROFILE, Workshop

PATIENCE_S = 300.0


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_without_a_terminal_each_step_is_a_line(shop: Workshop):
    console = Console(file=io.StringIO(), width=120)
    end = time.monotonic() + PATIENCE_S
    with shown(console, PROFILE, title="Reading"):
        shop.staged(3)
        while "3/3" not in written(console) and time.monotonic() < end:
            time.sleep(0.05)
    said = written(console)
    assert "Staged 3/3 · Finished 0/3" in said


def test_an_unreadable_ledger_does_not_disturb_the_work(shop: Workshop, tmp_path: Path):
    (tmp_path / "no.db").write_bytes(b"this is no database at all, whatever its name says" * 30)
    shop.set(LEDGER__URL=f"sqlite:///{tmp_path}/no.db")
    with shown(Console(file=io.StringIO()), PROFILE, title="Reading"):
        time.sleep(0.7)


def test_what_goes_wrong_inside_is_not_swallowed(shop: Workshop):
    with pytest.raises(ZeroDivisionError), shown(Console(file=io.StringIO()), PROFILE, title="Reading"):
        raise ZeroDivisionError
    assert shop.batches() == []
