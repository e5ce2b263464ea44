"""Tables of screens show every word of every cell, whatever the width and the text."""

import io

import pytest
from rich.console import Console

from configs.catalogue import Catalogue
from flows.screens import show_table

CELL = "[C-14] Consultoria [b]base[/b] /um/caminho/que/ninguém/quebra"


@pytest.mark.parametrize("width", [12, 30, 80])
def test_a_table_keeps_every_cell_at_every_width(width: int) -> None:
    output = io.StringIO()
    # Rich's own tables interpret brackets, and crop the last column of a narrow terminal.
    show_table(
        Console(file=output, width=width), Catalogue.load("en"), ("rows", "count", "detail"), [("2, 3", "2", CELL)]
    )
    assert "".join(CELL.split()) in "".join(output.getvalue().replace("│", " ").split())
