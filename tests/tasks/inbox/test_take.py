"""What the inbox gives: files that stand still, what their folders say, and a way back in words."""

import threading
import time
from pathlib import Path

import pytest

from connectors.spreadsheets.drops import Drop, dropped_files
from domain.problems import FaturistaError
from tasks.inbox.take import has_drops, options_of, put_away, settled_drops, sort_drop
from tests.tasks.rows import RIO, this_month
from tests.tasks.sheets import cells, write_sheet
from tests.tasks.workshop import Workshop


@pytest.fixture
def inbox(shop: Workshop) -> Path:
    shop.set(INBOX__SETTLE_S="0.2")
    folder = shop.home / "inbox"
    folder.mkdir(parents=True)
    return folder


def dropped(inbox: Path) -> Drop:
    (drop,) = dropped_files(inbox)
    return drop


def test_a_file_still_being_written_waits(shop: Workshop, inbox: Path):
    write_sheet(inbox / "pronto.csv", [cells(1)])
    growing = inbox / "crescendo.csv"
    growing.write_text("a")
    is_done = threading.Event()

    def grow() -> None:
        while not is_done.is_set():
            with growing.open("a") as file:
                file.write("a")
            time.sleep(0.01)

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        with shop.desk() as desk:
            assert [drop.path.name for drop in settled_drops(desk)] == ["pronto.csv"]
    finally:
        is_done.set()
        writer.join()
    with shop.desk() as desk:
        assert len(settled_drops(desk)) == 2
        assert has_drops(desk)


def test_the_folders_say_month_and_emitter(shop: Workshop, inbox: Path):
    folder = inbox / "Contabilidade Souza" / f"{this_month():%Y-%m}" / "99.000.001-0001-01"
    folder.mkdir(parents=True)
    write_sheet(folder / "mes.csv", [cells(1)])
    asked = options_of(dropped(inbox))
    assert (asked.competence, asked.emitter_cnpj, asked.operator) == (this_month(), RIO, "inbox")
    assert asked.sender == "Contabilidade Souza"


def test_folders_that_say_nothing_ask_for_nothing(shop: Workshop, inbox: Path):
    (inbox / "urgente").mkdir()
    write_sheet(inbox / "urgente" / "mes.csv", [cells(1)])
    asked = options_of(dropped(inbox))
    assert (asked.competence, asked.emitter_cnpj) == (None, None)


def test_what_cannot_be_used_goes_back_with_the_reason(shop: Workshop, inbox: Path):
    shop.set(LANGUAGE="pt_BR")
    (inbox / "recado.csv").write_text("bom dia\n")
    with shop.desk() as desk:
        assert sort_drop(desk, dropped(inbox)) is None
        outbox = desk.outbox
    assert dropped_files(inbox) == []
    note, file = sorted(outbox.iterdir(), key=lambda path: path.suffix, reverse=True)
    assert (note.name, file.name) == (f"{file.stem}-recusado.txt", file.name)
    assert file.read_text() == "bom dia\n"
    said = note.read_bytes()
    assert said.startswith("\ufeffO arquivo recado.csv não pôde ser usado".encode())
    assert b"[" not in said


def test_a_file_that_changes_while_it_is_looked_at_stays(shop: Workshop, inbox: Path):
    path = inbox / "mes.csv"
    path.write_text("a")
    seen = dropped(inbox)
    path.write_text("bom dia\n")
    with shop.desk() as desk:
        with pytest.raises(FaturistaError) as raised:
            sort_drop(desk, seen)
        put_away(desk, seen)
    assert raised.value.problem.code == "file.changing"
    assert path.exists()


def test_what_is_put_away_is_in_the_archive_unchanged(shop: Workshop, inbox: Path):
    write_sheet(inbox / "mes.csv", [cells(1)])
    content = (inbox / "mes.csv").read_bytes()
    with shop.desk() as desk:
        put_away(desk, dropped(inbox))
        (kept,) = [path for path in desk.archive.rglob("*") if path.is_file()]
    assert kept.read_bytes() == content
    assert dropped_files(inbox) == []
