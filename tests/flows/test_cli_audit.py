"""The number audit at the terminal, and beside it the workbook with every number."""

from pathlib import Path

import openpyxl
import pytest

from tests.flows.terminal import Terminal
from tests.tasks.workshop import Workshop


def test_every_number_is_explained(shop: Workshop, terminal: Terminal):
    shop.processed(3)
    seen = terminal("audit", "numbers")
    assert (seen.code, seen.errors) == (0, "")
    assert "Every number given is explained" in seen.output
    path = next(Path(word) for word in seen.output.split() if word.endswith("number-audit.xlsx"))
    sheet = openpyxl.load_workbook(path).worksheets[1]
    assert [row[0].value for row in sheet.iter_rows(min_row=2)] == [1, 2, 3]


@pytest.mark.parametrize("width", ["40", "80", "110", "160"])
def test_every_figure_is_shown_in_any_terminal_width(
    shop: Workshop, terminal: Terminal, monkeypatch: pytest.MonkeyPatch, width: str
):
    shop.processed(2)
    monkeypatch.setenv("COLUMNS", width)
    output = terminal("audit", "numbers").output
    words = ("Emitter", "Kind", "Serie", "living", "retired", "replaced", "unknown", "unexplained", "holes", "latest")
    # An issuing company's name in a paragraph of its own is the title.
    assert [word for word in words if word not in output] in ([], ["Emitter"])
    assert "Consultoria" in output
    assert "1–2" in output


def test_a_serie_that_somebody_else_uses_is_an_alarm(shop: Workshop, terminal: Terminal):
    shop.processed(1)
    shop.post_as_somebody_else(number=9)
    seen = terminal("audit", "numbers", "--emitter", "99.000.001/0001-01", "--serie", "F")
    assert seen.code == 1
    assert "!" in seen.output


def test_numbers_are_audited_without_the_provider(shop: Workshop, terminal: Terminal):
    shop.processed(2)
    shop.set(NFSE__BASE_URL="http://127.0.0.1:1")
    seen = terminal("audit", "numbers")
    assert (seen.code, seen.errors) == (1, "")
    for text in ("Every number given is explained.", "could not be reached", "not known", "number-audit.xlsx"):
        assert text in seen.output


def test_without_a_serie_there_is_nothing_to_audit(shop: Workshop, terminal: Terminal):
    assert terminal("audit", "numbers").code == 2
