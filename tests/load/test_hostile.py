"""The bench of hostile files refuses each one with a reason, beside its seconds and its memory."""

from tests.connectors.spreadsheets.hostile import hostile as files
from tests.load import hostile


def test_both_figures_of_a_refusal_are_shown() -> None:
    shown = list(hostile.rows({}))
    assert [row.against for row in shown] == ["refused: file.changing", ""]
    assert [row.unit for row in shown] == [" s", " MB"]


def test_every_file_that_is_shown_exists() -> None:
    assert hostile.SHOWN.keys() <= {name for name, _, _ in files()}
