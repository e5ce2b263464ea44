"""A sender's headers taught at the terminal, and used."""

from pathlib import Path

from tests.flows.terminal import Terminal
from tests.tasks.sheets.test_mapping_storage import PAIRS, SENDER, odd_sheet
from tests.tasks.workshop import Workshop


def test_headers_are_taught_once_shown_used_and_forgotten(shop: Workshop, terminal: Terminal, tmp_path: Path):
    sheet = odd_sheet(tmp_path / "souza.csv")
    # the amounts are clear without a lesson, the template is not
    assert "refused: 1" in terminal("preview", sheet).output
    pairs = [part for header, field in PAIRS.items() for part in ("--column", f"{header}={field}")]
    learned = terminal("layout", "learn", sheet, *pairs, "--sender", SENDER)
    assert learned.code == 0
    assert f"Stored for {SENDER}" in learned.output
    assert '"Vlr Tot" = Valor' in terminal("layout", "list").output
    seen = terminal("preview", sheet)
    assert (seen.code, seen.errors) == (0, "")
    assert "refused: 0" in seen.output
    assert f"Read as was taught for {SENDER}" in seen.output
    assert "in place of the earlier mapping" in terminal("layout", "learn", sheet, *pairs, "--sender", SENDER).output
    assert "forgotten" in terminal("layout", "forget", "contabilidade souza").output
    assert "Nothing was taught" in terminal("layout", "list").output
    assert "refused: 1" in terminal("preview", sheet).output
    assert shop.batches() == []


def test_mistakes_in_taught_headers_are_reported(shop: Workshop, terminal: Terminal, tmp_path: Path):
    sheet = odd_sheet(tmp_path / "souza.csv")
    wrong = terminal("layout", "learn", sheet, "--column", "Vlr Tot", "--sender", SENDER)
    assert wrong.code == 2
    assert "does not say which header is which field" in wrong.errors
    for command in (("preview", sheet, "--sender", SENDER), ("bill", sheet, "--sender", SENDER)):
        unknown = terminal(*command)
        assert unknown.code == 2
        assert f'Nobody taught headers or set a template for the sender "{SENDER}"' in unknown.errors
    assert shop.batches() == []
