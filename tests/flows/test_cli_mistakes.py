"""Mistakes at the command line: a sentence on how to correct them, an exit code, and nothing half-done."""

from pathlib import Path

import pytest

from tests.connectors.ledger.scene import known_files
from tests.flows.terminal import Ended, Terminal
from tests.tasks.dropped_sheets import HEADERS, cells, write_sheet
from tests.tasks.rows import RIO, lines
from tests.tasks.workshop import Workshop


def is_mistake(ended: Ended, *words: str) -> bool:
    """Check for a sentence or two on stderr with these words, and exit code 2."""
    assert ended.code == 2, ended
    for word in words:
        assert word in ended.errors, ended
    assert "Traceback" not in ended.errors
    assert "[" not in ended.errors.split("(")[0], "a code without its words"
    return True


def csv(headers: list[str], *rows: list[str]) -> bytes:
    return "\n".join(";".join(row) for row in [headers, *rows]).encode()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("mes.xlsx", b"\x8f\x00\x02\xfe" * 500, []),
        ("mes.csv", b"", ["is empty", "saved before it was sent"]),
        ("mes.csv", b"uma coisa;outra coisa\n1;2\n", ["looks like the header"]),
        ("mes.csv", csv([h for h in HEADERS if h != "Valor"], cells(1)[:-1]), ["no column for amount", "Valor"]),
        ("mes.csv", csv([*HEADERS, "Valor Bruto"], [*cells(1), "1,00"]), ["Two columns fit amount", "Keep only one"]),
        ("mes.csv", csv(list(HEADERS)), ["still blank"]),
        ("mes.xlsx", csv(list(HEADERS), cells(1)), []),
        ("mes.pdf", b"%PDF-1.7\nfoo", []),
        ("mes.ods", b"PK\x03\x04" + b"\x00" * 100, []),
    ],
    ids=["noise", "empty", "no header", "no column", "two columns", "no rows", "csv named xlsx", "pdf", "broken zip"],
)
def test_an_unbillable_file_is_refused_with_its_reason(
    shop: Workshop, terminal: Terminal, tmp_path: Path, name, content, words
):
    path = tmp_path / name
    path.write_bytes(content)
    ended = terminal("bill", path)
    assert is_mistake(ended, *words)
    assert ended.output == ""
    assert shop.read(known_files) == []
    assert not (shop.home / "archive").exists()


def test_a_file_over_the_limit_is_refused(shop: Workshop, terminal: Terminal, tmp_path: Path):
    shop.set(LIMITS__FILE_BYTES=1_000_000)
    path = tmp_path / "mes.csv"
    path.write_bytes(b"x" * 1_000_001)
    assert is_mistake(terminal("bill", path), "larger than allowed")
    shop.set(LIMITS__FILE_BYTES=20_000_000, LIMITS__ROWS=3)
    write_sheet(path, [cells(number) for number in range(1, 6)])
    assert is_mistake(terminal("bill", path))


def test_a_missing_file_is_named(shop: Workshop, terminal: Terminal, tmp_path: Path):
    assert is_mistake(terminal("bill", tmp_path / "missing.xlsx"), "missing.xlsx was not found")
    assert is_mistake(terminal("bill", tmp_path), "is a folder")
    assert is_mistake(terminal("report", "outcome", "missing.xlsx"), "missing.xlsx", "never received")
    assert shop.read(known_files) == []


def test_options_that_mean_nothing(shop: Workshop, terminal: Terminal, tmp_path: Path):
    path = write_sheet(tmp_path / "mes.csv", [cells(1)])
    assert is_mistake(terminal("bill", path, "--competence", "sometime"), '"sometime" is not a month')
    assert is_mistake(terminal("bill", path, "--emitter", "99.000.001/0001-00"), "last digits do not check")
    assert is_mistake(terminal("bill", path, "--profile", "nowhere"), "nowhere", "local")
    assert shop.read(known_files) == []


def test_settings_that_are_wrong(shop: Workshop, terminal: Terminal, tmp_path: Path):
    shop.set(PROTOCOL__QUIET_S=1)
    assert is_mistake(terminal("status"), "protocol.quiet_s is too short")
    shop.set(PROTOCOL__QUIET_S=600, NFSE__NO_SUCH="1")
    assert is_mistake(terminal("status"), "FATURISTA_NFSE__NO_SUCH")


@pytest.mark.parametrize(
    "command",
    [
        ["bill"],
        ["bill", "a.csv", "--colour", "red"],
        ["decide", "one", "open", "--because", "x"],
        ["decide", "1", "maybe", "--because", "x"],
        ["decide", "1", "open"],
        ["no-such-command"],
        ["approve", "x"],
    ],
    ids=" ".join,
)
def test_a_mistyped_command_ends_with_code_2(shop: Workshop, terminal: Terminal, command):
    ended = terminal(*command)
    assert ended.code == 2
    assert "Traceback" not in ended.errors + ended.output


def test_decisions_about_nothing(shop: Workshop, terminal: Terminal):
    batch = shop.staged(1)
    because = ("--because", "I looked")
    assert is_mistake(terminal("decide", 99, "open", *because), "Batch 99 does not exist")
    assert is_mistake(terminal("decide", batch, "open", *because), "is not stopped")
    assert is_mistake(terminal("decide-note", 1, "accepted", *because), "does not wait for a decision")
    assert is_mistake(terminal("start-serie", RIO, "TOOLONG", 1), "cannot be a serie")
    assert is_mistake(terminal("start-serie", RIO, "F", 0), "cannot start at 0")
    assert is_mistake(terminal("start-serie", "11.222.333/0001-81", "F", 1), "not registered")
    assert shop.batch(batch).state == "staged"


def test_tracing_nothing(shop: Workshop, terminal: Terminal):
    shop.assembled(*lines(1))
    for wrong in (
        [],
        ["--file", "mes-1.xlsx"],
        ["--file", "mes-1.xlsx", "--row", 99],
        ["--file", "other.xlsx", "--row", 5],
        ["--rps", "F-99"],
        ["--rps", "F"],
        ["--rps", "F-²"],
        ["--rps", "-1"],
        ["--nfse", "77"],
        ["--note", 77],
    ):
        assert is_mistake(terminal("trace", *wrong)), wrong


def test_a_mistake_is_explained_in_portuguese(shop: Workshop, terminal: Terminal, tmp_path: Path):
    shop.set(LANGUAGE="pt_BR")
    ended = terminal("bill", tmp_path / "nada.xlsx")
    assert (ended.code, "não foi encontrado" in ended.errors) == (2, True)


def test_a_separate_process_prints_nothing_else(shop: Workshop, terminal: Terminal, tmp_path: Path):
    path = tmp_path / "mes.csv"
    path.write_bytes(b"uma coisa;outra coisa\n1;2\n")
    ended = terminal.aside("bill", path)
    assert is_mistake(ended, "looks like the header")
    assert ended.output == ""


@pytest.mark.parametrize(
    "command",
    [
        ("trace", "--note"),
        ("approve",),
        ("decide-note", "--because", "seen", "--how", "retired", "--note"),
    ],
    ids=lambda command: command[0],
)
def test_a_number_too_large_for_a_database_is_refused(shop: Workshop, terminal: Terminal, command: tuple[str, ...]):
    assert is_mistake(terminal(*command, "9" * 40), f"{'9' * 24} is too large")
    assert is_mistake(terminal("trace", "--rps", f"F-{'9' * 40}"), "No invoice")


def test_a_database_that_is_away_is_trouble_outside(shop: Workshop, terminal: Terminal):
    shop.set(LEDGER__URL="postgresql+psycopg://nobody@127.0.0.1:9/none")
    ended = terminal("status")
    assert (ended.code, ended.output) == (3, "")
    assert "Traceback" not in ended.errors
    assert ended.errors


def test_a_store_in_trouble_is_no_mistake_of_the_person(shop: Workshop, terminal: Terminal, tmp_path: Path):
    store = tmp_path / "store"
    store.write_bytes(b"a file where the store must be")
    shop.set(STORE__URL=f"file://{store}")
    ended = terminal("bill", write_sheet(tmp_path / "mes.csv", [cells(1)]))
    assert ended.code == 3
    assert "Traceback" not in ended.errors


def test_a_folder_that_cannot_be_written_is_named(shop: Workshop, terminal: Terminal, tmp_path: Path):
    sheet = write_sheet(tmp_path / "mes.csv", [cells(1, Modelo="Errado")])
    (tmp_path / "file").write_text("no folder")
    shop.set(PATHS__OUTBOX=tmp_path / "file" / "outbox")
    for command in (("bill", sheet), ("report", "outcome", sheet)):
        assert is_mistake(terminal(*command), str(tmp_path / "file"), "there is no such folder", "bring the folder")
