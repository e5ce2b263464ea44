"""The files of the inbox: complete ones, the options of their folders, and a way back in words."""

import os
import socket
import time
from pathlib import Path

import pytest

from connectors.inbox.claims import claim
from connectors.inbox.drops import Drop, dropped_files
from domain.problems import FaturistaError
from flows.os_account import account_name
from tasks.inbox.drops import (
    answer_stem,
    archive_drop,
    claim_and_read,
    collect_settled_drops,
    give_back,
    has_drops,
    options_of,
)
from tests.tasks.dropped_sheets import cells, write_sheet
from tests.tasks.rows import RIO, this_month
from tests.tasks.workshop import Workshop


@pytest.fixture
def inbox(shop: Workshop) -> Path:
    shop.set(INBOX__SETTLE_S="0.01")
    folder = shop.home / "inbox"
    folder.mkdir(parents=True)
    return folder


def dropped(inbox: Path) -> Drop:
    (drop,) = dropped_files(inbox)
    return drop


def test_a_file_still_being_written_waits(shop: Workshop, inbox: Path, monkeypatch: pytest.MonkeyPatch):
    write_sheet(inbox / "pronto.csv", [cells(1)])
    growing = inbox / "crescendo.csv"
    growing.write_text("a")

    def grow(_seconds: float) -> None:
        with growing.open("a") as file:
            file.write("a")

    with shop.context() as context, monkeypatch.context() as meanwhile:
        # it is written between the two looks, however busy the machine
        meanwhile.setattr(time, "sleep", grow)
        assert [drop.path.name for drop in collect_settled_drops(context)] == ["pronto.csv"]
    with shop.context() as context:
        assert len(collect_settled_drops(context)) == 2
        assert has_drops(context)


def test_the_folders_say_month_and_emitter(shop: Workshop, inbox: Path):
    folder = inbox / "Contabilidade Souza" / f"{this_month():%Y-%m}" / "99.000.001-0001-01"
    folder.mkdir(parents=True)
    write_sheet(folder / "mes.csv", [cells(1)])
    asked = options_of(dropped(inbox))
    assert (asked.competence, asked.emitter_cnpj, asked.operator) == (this_month(), RIO, "inbox")
    assert (asked.sender, asked.dropper) == ("Contabilidade Souza", account_name())


def test_folders_that_say_nothing_ask_for_nothing(shop: Workshop, inbox: Path):
    (inbox / "urgente").mkdir()
    write_sheet(inbox / "urgente" / "mes.csv", [cells(1)])
    asked = options_of(dropped(inbox))
    assert (asked.competence, asked.emitter_cnpj) == (None, None)


def test_an_outbox_that_takes_nothing_now_leaves_the_file_in_the_inbox(shop: Workshop, inbox: Path):
    (inbox / "recado.csv").write_text("bom dia\n")
    with shop.context() as context:
        context.outbox.mkdir()
        stem = answer_stem(dropped(inbox), limit=1_000)
        taken = [context.outbox / f"{stem}{end}.csv" for end in ("", *(f"-{number}" for number in range(2, 1_001)))]
        for path in taken:
            path.touch()
        with pytest.raises(FileExistsError):
            claim_and_read(context, dropped(inbox))
        assert dropped(inbox).path.name == "recado.csv"
        assert not (shop.home / "aside").exists()
        for path in taken:
            path.unlink()
        assert claim_and_read(context, dropped(inbox)) is None
        assert taken[0].read_text() == "bom dia\n"
    assert dropped_files(inbox) == []


def test_a_file_that_cannot_go_back_keeps_no_other(shop: Workshop, inbox: Path):
    lost = shop.home / "claimed" / "7f"
    lost.mkdir(parents=True)
    (lost / ".origin").write_bytes(b"n" * 300)
    (lost / "mes.csv").write_text("of a process that was killed")
    write_sheet(inbox / "outro.csv", [cells(1)])
    for _ in range(2):
        with shop.context() as context:
            stuck, other = collect_settled_drops(context)
            with pytest.raises(FaturistaError) as caught:
                claim_and_read(context, stuck)
            assert other.path.name == "outro.csv"
        assert caught.value.problem.code == "file.not_returned"
        assert caught.value.problem.params == {"name": "mes.csv"}
    (lost / ".origin").write_bytes(b"mes.csv")
    with shop.context() as context:
        assert {(drop.path.name, drop.problem_code) for drop in collect_settled_drops(context)} == {
            ("outro.csv", None),
            ("mes.csv", None),
        }


def test_an_unusable_file_goes_back_with_the_reason(shop: Workshop, inbox: Path):
    shop.set(LANGUAGE="pt_BR")
    (inbox / "recado.csv").write_text("bom dia\n")
    with shop.context() as context:
        assert claim_and_read(context, dropped(inbox)) is None
        outbox = context.outbox
    assert dropped_files(inbox) == []
    note, file = sorted(outbox.iterdir(), key=lambda path: path.suffix, reverse=True)
    assert (note.name, file.name) == (f"{file.stem}-recusado.txt", file.name)
    assert file.read_text() == "bom dia\n"
    content = note.read_bytes()
    assert content.startswith("\ufeffO arquivo recado.csv não pôde ser usado".encode())
    assert b"[" not in content


def test_a_file_that_changes_while_it_is_looked_at_stays(shop: Workshop, inbox: Path):
    path = inbox / "mes.csv"
    path.write_text("a")
    seen = dropped(inbox)
    path.write_text("bom dia\n")
    with shop.context() as context:
        with pytest.raises(FaturistaError) as raised:
            claim_and_read(context, seen)
        archive_drop(context, seen)
    assert raised.value.problem.code == "file.changing"
    assert path.read_text() == "bom dia\n"


def poison(inbox: Path, kind: str) -> None:
    """Drop something that nobody can read, or whose name nobody can write."""
    if kind == "pipe":
        os.mkfifo(inbox / "pipe.xlsx")
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(inbox / "s.xlsx"))
    elif kind == "sparse":
        with (inbox / "huge.xlsx").open("wb") as file:
            file.truncate(1 << 40)
    elif kind == "suffix":
        (inbox / f"a.{'x' * 250}").write_text("bom dia\n")
    elif kind == "bytes":
        Path(os.fsdecode(os.fsencode(inbox) + b"/caf\xe9\n.csv")).write_text("bom dia\n")
    else:
        (inbox / "closed.csv").write_text("bom dia\n")
        (inbox / "closed.csv").chmod(0)


@pytest.mark.parametrize("kind", ["pipe", "socket", "sparse", "suffix", "bytes", "closed"])
def test_poison_is_answered_and_set_aside(shop: Workshop, inbox: Path, kind: str):
    poison(inbox, kind)
    with shop.context() as context:
        assert claim_and_read(context, dropped(inbox)) is None
        (note,) = context.outbox.glob("*-refused.txt")
        assert note.read_text(encoding="utf-8-sig")
        set_aside = [*(Path(context.settings.paths.home) / "aside").glob("*")]
        handed_back = [path for path in context.outbox.iterdir() if path != note]
    assert len(set_aside) + len(handed_back) == 1
    assert dropped_files(inbox) == []
    assert not [*(shop.home / "claimed").glob("*")]


def test_folder_that_cannot_be_looked_into_stops_nothing_else(shop: Workshop, inbox: Path):
    write_sheet(inbox / "mes.csv", [cells(1)])
    gone = inbox / "swapped"
    gone.symlink_to(shop.home)
    with shop.context() as context:
        assert [drop.path.name for drop in collect_settled_drops(context)] == ["mes.csv"]


def test_folder_swapped_for_a_link_moves_nothing(shop: Workshop, inbox: Path):
    month = inbox / "2026-11"
    month.mkdir()
    (month / "ledger.sqlite").write_text("bom dia\n")
    other = shop.home / "elsewhere"
    other.mkdir()
    seen = dropped(inbox)
    (month / "ledger.sqlite").rename(other / "ledger.sqlite")
    month.rmdir()
    month.symlink_to(other)
    with shop.context() as context, pytest.raises(FaturistaError):
        claim_and_read(context, seen)
    assert (other / "ledger.sqlite").read_text() == "bom dia\n"
    assert not [*(shop.home / "outbox").glob("*")]


def test_claim_of_a_killed_sweep_is_taken_again(shop: Workshop, inbox: Path):
    (inbox / "Souza").mkdir()
    write_sheet(inbox / "Souza" / "mes.csv", [cells(1)])
    child = os.fork()
    if child == 0:
        try:
            claim(dropped(inbox), inbox, shop.home / "claimed", copied_bytes=0)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert dropped_files(inbox) == []
    with shop.context() as context:
        assert has_drops(context)
        assert [(drop.path.name, drop.folders) for drop in collect_settled_drops(context)] == [("mes.csv", ("Souza",))]


def test_claim_of_a_living_sweep_is_left_alone(shop: Workshop, inbox: Path):
    write_sheet(inbox / "mes.csv", [cells(1)])
    with shop.context() as context:
        found = claim_and_read(context, dropped(inbox))
        assert found is not None
        assert collect_settled_drops(context) == []
        assert not has_drops(context)
        give_back(context, found[0])
        assert len(collect_settled_drops(context)) == 1


def test_a_file_put_away_is_unchanged_in_the_archive(shop: Workshop, inbox: Path):
    write_sheet(inbox / "mes.csv", [cells(1)])
    content = (inbox / "mes.csv").read_bytes()
    with shop.context() as context:
        archive_drop(context, dropped(inbox))
        (kept,) = [path for path in Path(context.settings.paths.archive).rglob("*") if path.is_file()]
    assert kept.read_bytes() == content
    assert dropped_files(inbox) == []
