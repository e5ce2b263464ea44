"""A block parsed by column gives the same result as each of its cells alone."""

from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.spreadsheets.formats.sheets import Cell, CellError, Covered, Percent, Row, Uncalculated
from connectors.spreadsheets.parsers import cells, number_parser
from connectors.spreadsheets.parsers.city_lookup import REMEMBERED
from connectors.spreadsheets.parsers.column_parser import (
    ROWS_A_BLOCK,
    ParsedColumn,
    ValueCache,
    are_tidy,
    by_column,
    in_blocks,
    parse_columns,
    rows_as_json,
)
from domain.competence import BRASILIA
from domain.problems import Problem

TEXTS = st.sampled_from(
    [
        "Mares",
        "Ação Ltda",
        "",
        " ",
        "  ",
        "a  b",
        " a",
        "a ",
        "'1",
        "#REF!",
        "Err:502",
        "Edu",
        "1,50",
        "x\u200b",
        "a\nb",
    ]
)
CELLS: st.SearchStrategy[Cell] = st.one_of(
    TEXTS,
    st.none(),
    st.sampled_from([1.0, 0.05, Percent(0.05), 0.0, float("nan"), float("inf"), True, False, 1e300]),
    st.sampled_from([date(2026, 11, 1), datetime(2026, 11, 1, 8, tzinfo=BRASILIA)]),
    st.sampled_from([CellError("#N/A"), Uncalculated(), Covered()]),
)


def _columns(*, is_text: bool, remembers: bool) -> list[ParsedColumn]:
    def amount(cell: Cell, _: str) -> Any:
        return number_parser.parse_amount(cell, "pt_BR")

    parse = cells.parse_text if is_text else amount
    return [
        ParsedColumn("first", 0, parse, is_text, {} if remembers else None),
        ParsedColumn("second", 1, parse, is_text, None),
    ]


@given(found=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12), is_text=st.booleans(), remembers=st.booleans())
def test_block_says_what_each_row_says_alone(found: list[tuple[Cell, Cell]], *, is_text: bool, remembers: bool) -> None:
    columns = _columns(is_text=is_text, remembers=remembers)
    rows = [Row(number, pair) for number, pair in enumerate(found, 1)]
    block = parse_columns(columns, by_column(rows), count=len(rows))
    for place, row in enumerate(rows):
        alone = parse_columns(_columns(is_text=is_text, remembers=False), by_column([row]), count=1)
        assert block.values[place] == alone.values[0]
        assert [each[1:] for each in block.problems if each[0] == place] == [each[1:] for each in alone.problems]


@given(st.lists(TEXTS, min_size=1, max_size=6))
def test_tidy_texts_together_are_each_tidy(texts: list[str]) -> None:
    alone = all(map(cells.is_tidy, texts))
    assert alone or not are_tidy(texts)
    assert are_tidy(texts) or not alone or any(text.startswith("E") for text in texts)


@given(st.lists(CELLS, min_size=1, max_size=12))
def test_column_is_kept_as_its_cells_are(column: list[Cell]) -> None:
    kept = rows_as_json([Row(number, (cell,)) for number, cell in enumerate(column, 1)])
    alone = [cells.as_json(cell) for cell in column]
    assert kept == [{} if cell is None else {"A": cell} for cell in alone]


def test_text_longer_than_a_cell_is_not_tidy() -> None:
    assert not are_tidy(["x" * (cells.TEXT_LENGTH + 1), "short"])


def test_equal_cells_of_two_types_keep_their_meanings() -> None:
    rows = [Row(number, (cell,)) for number, cell in enumerate([0.05, Percent(0.05), 1.0, True], 1)]
    columns = [ParsedColumn("rate", 0, lambda cell, _: type(cell).__name__, is_text=False, known={})]
    parsed = parse_columns(columns, by_column(rows), count=4)
    assert [values["rate"] for values in parsed.values] == ["float", "Percent", "float", "bool"]


@pytest.mark.parametrize("width", [0, 1])
def test_row_that_ends_early_says_nothing_beyond_its_end(width: int) -> None:
    rows = [Row(1, ("a", "b")), Row(2, ("c",) * width)]
    parsed = parse_columns(_columns(is_text=True, remembers=False), by_column(rows), count=2)
    assert parsed.values == [{"first": "a", "second": "b"}, {"first": "c"} if width else {}]


def test_column_beyond_every_row_is_absent() -> None:
    parsed = parse_columns(_columns(is_text=True, remembers=False), [("a",)], count=1)
    assert parsed.values == [{"first": "a"}]
    assert parse_columns([], [], count=2).values == [{}, {}]


def test_a_problem_names_its_row_and_its_field() -> None:
    rows = [Row(7, (1.0,)), Row(8, (0.001,))]
    parsed = parse_columns(_columns(is_text=False, remembers=True)[:1], by_column(rows), count=2)
    assert parsed.values == [{"first": 100}, {}]
    [(place, field, problem)] = parsed.problems
    assert (place, field, problem.code) == (1, "first", "amount.fraction_of_cent")
    assert isinstance(problem, Problem)


def test_memory_of_a_column_is_bounded() -> None:
    column = ParsedColumn("key", 0, lambda cell, _: cell, is_text=False, known={})
    assert column.known is not None
    known = column.known[str] = ValueCache(column)
    known.update(dict.fromkeys(map(str, range(REMEMBERED)), "seen"))
    assert parse_columns([column], [("new", "0")], count=2).values == [{"key": "new"}, {"key": "0"}]
    assert known == {"new": "new", "0": "0"}


def test_blocks_hold_every_row_in_order() -> None:
    rows = [Row(number, ("x",)) for number in range(1, ROWS_A_BLOCK + 2)]
    blocks = list(in_blocks(rows))
    assert [len(block) for block in blocks] == [ROWS_A_BLOCK, 1]
    assert [row for block in blocks for row in block] == rows
