"""The console executes nothing in a cell: control characters, markup and emoji codes have no effect."""

import io
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.safe_console import safe_console, show_alarm
from tests.flows.terminal import Terminal
from tests.tasks.dropped_sheets import HEADERS, cells, write_sheet
from tests.tasks.workshop import Workshop

HOSTILE = "\x1b]0,owned\x07\x1b[2J\x9b31m\u202e[red]paid[/red] :skull:"
OBEYED = ("\x1b", "\x07", "\x9b", "\u202e")


def table(text: str) -> Table:
    made = Table(text)
    made.add_row(text)
    return made


@pytest.mark.parametrize("thing", [HOSTILE, Text(HOSTILE), table(HOSTILE)], ids=["text", "styled", "table"])
def test_printed_text_is_shown_and_not_executed(thing):
    console = safe_console()
    console.file, console.width = io.StringIO(), 200
    console.print(thing)
    show_alarm(console, HOSTILE)
    written = console.file.getvalue()
    assert not [char for char in OBEYED if char in written]
    assert "[red]paid[/red] :skull:" in written


def test_a_terminal_keeps_its_own_colours():
    console = safe_console()
    console.file = io.StringIO()
    console._color_system = Console(color_system="standard")._color_system
    show_alarm(console, "x")
    assert "\x1b[1;33m!" in console.file.getvalue()


def test_no_screen_obeys_a_cell(shop: Workshop, terminal: Terminal, tmp_path: Path):
    shop.set(APPROVAL__AUTOMATIC="false")
    name = "nov\x1b[2J[red]\u202e.csv"
    rows = [cells(1, Tomador=HOSTILE), cells(2, Modelo=HOSTILE), cells(3)]
    headers = [*HEADERS, HOSTILE]
    sheet = write_sheet(tmp_path / name, [[*row, HOSTILE] for row in rows], headers=headers)
    takers = write_sheet(tmp_path / "takers.csv", [[HOSTILE, HOSTILE]], headers=["CNPJ/CPF", "Nome"])
    seen = [
        terminal("preview", sheet),
        terminal("bill", sheet),
        terminal("status"),
        terminal("approve", typed="\n"),
        terminal("trace", "--file", name, "--row", 2),
        terminal("report", "outcome", sheet),
        terminal("import", "takers", takers),
        terminal("layout", "learn", sheet, "--column", f"{HOSTILE}=Valor", "--sender", "ana"),
        terminal("layout", "list"),
        terminal("audit", "numbers"),
        terminal("trace", "--file", HOSTILE, "--row", 1),
        terminal("decide", 1, HOSTILE, "--because", "x"),
        terminal(HOSTILE),
    ]
    for ended in seen:
        assert not [char for char in OBEYED if char in ended.raw], ended
    assert ("[red]" in seen[0].output, "R$" in seen[0].output) == (True, True)
    assert "[red]" in seen[1].output
