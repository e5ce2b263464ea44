"""The ledger keeps the cells of a row as the person wrote them."""

from datetime import date

import orjson

from connectors.spreadsheets.formats.sheets import CellError, Percent, Row
from connectors.spreadsheets.parsers.cells import TEXT_LENGTH
from connectors.spreadsheets.readings import kept_cells


def test_nonblank_cells_are_stored_by_letter() -> None:
    rows = [Row(2, ("a", None, 1.5, Percent(0.05))), Row(3, (date(2026, 11, 1), CellError("#N/A"), 2.0))]
    kept = [orjson.loads(each) for each in kept_cells(rows)]
    assert kept == [{"A": "a", "C": 1.5, "D": 0.05}, {"A": "2026-11-01", "B": "#N/A", "C": 2}]


def test_text_longer_than_a_cell_is_cut() -> None:
    long = "é" * (TEXT_LENGTH + 1)
    [kept] = kept_cells([Row(2, (long, "short", 1.0))])
    assert orjson.loads(kept) == {"A": long[:-1], "B": "short", "C": 1}
