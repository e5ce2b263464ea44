"""The inbox for a clerk: drop a file, find the answer; one bad file stops nothing."""

import asyncio
from pathlib import Path

import openpyxl
import pytest

from connectors.http.errors import Unreachable
from connectors.object_store import StoreUnavailable
from flows.prefect_flows import reconcile_batches, sweep_inbox
from tests.flows.dashboard import newest_run
from tests.flows.terminal import Terminal
from tests.tasks.dropped_sheets import cells, write_sheet
from tests.tasks.workshop import PROFILE, Workshop

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("orchestrator")]


@pytest.fixture
def inbox(shop: Workshop) -> Path:
    shop.set(INBOX__SETTLE_S="0.05", INBOX__ANSWER_EVERY_S="0")
    folder = shop.home / "inbox"
    folder.mkdir(parents=True)
    return folder


def sweep() -> int:
    taken: int = asyncio.run(sweep_inbox(profile=PROFILE))
    return taken


def outbox(shop: Workshop) -> list[str]:
    return sorted(path.name for path in (shop.home / "outbox").iterdir())


def outcome(shop: Workshop) -> str:
    (path,) = (shop.home / "outbox").glob("novembro-*-result.xlsx")
    sheets = openpyxl.load_workbook(path)
    return " ".join(str(cell) for sheet in sheets for row in sheet.iter_rows(values_only=True) for cell in row if cell)


def test_a_drop_is_billed_answered_and_followed_to_its_end(shop: Workshop, inbox: Path):
    write_sheet(inbox / "novembro.csv", [cells(1), cells(2, Modelo="Errado")])
    (inbox / "recado.csv").write_text("bom dia\n")
    deep = inbox / "a" / "b" / "c" / "fundo"
    deep.mkdir(parents=True)
    write_sheet(deep / "novembro.csv", [cells(3)])
    assert sweep() == 2
    assert [path for path in inbox.rglob("*") if path.is_file()] == [deep / "novembro.csv"]
    assert len(outbox(shop)) >= 3
    assert any(name.startswith("recado-") and name.endswith("-refused.txt") for name in outbox(shop))
    assert "Under way" in outcome(shop)
    asyncio.run(reconcile_batches(profile=PROFILE, until_done=True))
    assert sum(name.endswith("-folder-not-read.txt") for name in outbox(shop)) == 1
    assert sweep() == 0
    assert "Accepted" in outcome(shop)
    assert shop.asked("notes.create") == 1


def test_the_same_bytes_again_bill_nothing_twice(shop: Workshop, inbox: Path):
    for _ in range(2):
        write_sheet(inbox / "novembro.csv", [cells(1)])
        assert sweep() == 1
    assert shop.asked("notes.create") == 1
    assert list(inbox.iterdir()) == []


def test_a_file_read_during_an_outage_is_billed_later(shop: Workshop, inbox: Path):
    write_sheet(inbox / "novembro.csv", [cells(1)])
    shop.set(NFSE__BASE_URL="http://127.0.0.1:9")
    with pytest.raises(Unreachable):
        sweep()
    assert "could not be reached" in newest_run().message
    assert list(inbox.iterdir()) == []
    assert shop.batches() == []
    shop.set(NFSE__BASE_URL=shop.sandbox.base_url)
    shop.tamper("UPDATE readings SET alive_at = alive_at - 100000000000")
    asyncio.run(reconcile_batches(profile=PROFILE, until_done=True))
    assert shop.asked("notes.create") == 1


def test_the_command_sweeps_once_and_says_where_to_drop(shop: Workshop, inbox: Path, terminal: Terminal):
    write_sheet(inbox / "novembro.csv", [cells(1)])
    seen = terminal("inbox")
    assert (seen.code, str(inbox) in seen.output) == (0, True)
    assert "1 file taken." in seen.output
    assert [batch.state for batch in shop.batches()] == ["approved"]


def test_a_full_store_loses_nothing_and_bills_nothing_twice(shop: Workshop, inbox: Path, tmp_path: Path):
    store = tmp_path / "store"
    store.mkdir()
    shop.set(STORE__URL=f"file://{store}")
    write_sheet(inbox / "novembro.csv", [cells(1)])
    for folder, posts in (("archive", 0), ("outbox", 1)):
        # the store takes nothing more under this name
        (store / folder).write_bytes(b"full")
        with pytest.raises(StoreUnavailable):
            sweep()
        assert "object store" in newest_run().message
        assert [path.name for path in inbox.rglob("*.csv")] == ["novembro.csv"]
        assert shop.asked("notes.create") == posts
        (store / folder).unlink()
    assert sweep() == 1
    assert not list(inbox.rglob("*.csv"))
    assert [path.name for path in (store / "outbox").iterdir()] == outbox(shop)
    assert shop.asked("notes.create") == 1
