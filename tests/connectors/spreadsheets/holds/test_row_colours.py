"""Colours of rows: bands and whole columns are usual, an exception is reported, and a legend is read quickly."""

from collections.abc import Sequence
from typing import Any

import pytest

from connectors.spreadsheets.holds.row_colours import colour_of, named_colours
from domain.problems import Problem
from tests.corpus.habits import HEAD, Habit, good
from tests.corpus.reading import read
from tests.corpus.sheets import table
from tests.house.pumping import Attack, growth

ALL = range(len(HEAD))


def remarks(places: Sequence[int], count: int, *, columns: Sequence[int] = ALL) -> list[str]:
    """Return the remarks about a sheet of `count` rows with coloured rows at `places`, counted from 0."""
    rows = [good(number) for number in range(1, count + 1)]

    def dress(sheet: Any, book: Any) -> None:
        sheet.write_row(0, 0, HEAD, book.add_format({"bg_color": "#1F4E78"}))
        fill = book.add_format({"bg_color": "#FFFF00"})
        for place in places:
            for column in columns:
                sheet.write(place + 1, column, rows[place][column], fill)

    reading = read(Habit("colours", table(*rows, dress=dress), "a.xlsx", {}))
    found = (each for each in reading.understood.warnings if each.code == "row.coloured")
    return [f"{each.params['colour']} {each.where.column or ''}{each.params['rows']}" for each in found]


def warnings_of(name: str, content: bytes) -> tuple[Problem, ...]:
    return read(Habit("format", content, name, {})).understood.warnings


@pytest.mark.parametrize(
    ("places", "count", "rows"),
    [
        ([2], 5, "4"), ([0], 2, "2"), ([2, 7], 9, "4, 9"), ([1, 2, 3], 9, "3, 4, 5"), ([0, 1, 2], 6, "2, 3, 4"),
        ([1, 3], 9, "3, 5"),
    ],
)  # fmt: skip
def test_rows_in_another_colour_are_reported(places: list[int], count: int, rows: str) -> None:
    assert remarks(places, count) == [f"yellow {rows}"]


@pytest.mark.parametrize(
    ("places", "count"), [([0, 2, 4], 6), ([1, 3, 5], 6), ([0, 3, 6], 8), ([0, 1, 2], 3), ([0, 1, 2, 3], 5), ([], 5)]
)
def test_bands_and_most_rows_are_not(places: list[int], count: int) -> None:
    assert remarks(places, count) == []


def test_a_column_in_one_colour_is_its_look_and_a_cell_by_its_place() -> None:
    assert remarks(range(6), 6, columns=[3]) == []
    assert remarks([2], 6, columns=[3]) == ["yellow D4"]


def test_a_format_whose_colours_are_not_read_is_reported() -> None:
    rows = [HEAD, good(1)]
    page = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    of_file = {
        "a.xls": f"<html><meta charset=utf-8><table>{page}</table></html>".encode(),
        "a.csv": "\n".join(";".join(map(str, row)) for row in rows).encode(),
        "a.xlsx": table(good(1))(),
    }
    found = {
        name: [each.params["kind"] for each in warnings_of(name, content) if each.code == "file.colours_unseen"]
        for name, content in of_file.items()
    }
    assert found == {"a.xls": ["HTML"], "a.csv": [], "a.xlsx": []}


@pytest.mark.parametrize(
    ("digits", "word"),
    [
        ("FF0000", "red"), ("FFC7CE", "red"), ("C00000", "red"), ("FFC000", "yellow"), ("ED7D31", "orange"),
        ("FFFF00", "yellow"), ("FFEB9C", "yellow"), ("C6EFCE", "green"), ("00B050", "green"), ("4472C4", "blue"),
        ("00B0F0", "blue"), ("7030A0", "purple"), ("FF66CC", "pink"), ("D9D9D9", "grey"), ("F2F2F2", "grey"),
        ("808080", "grey"), ("000000", "black"),
    ],
)  # fmt: skip
def test_a_colour_has_the_word_that_people_say(digits: str, word: str) -> None:
    assert colour_of(digits) == word


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Vermelho = cancelado", {"red"}), ("linhas amarelas e verdes", {"yellow", "green"}), ("AZUL: ok", {"blue"}),
        ("em azuis", {"blue"}), ("Pretto Ltda", set()), ("Rosana Verdejante", set()), ("Roxo/lilás", {"purple"}),
    ],
)  # fmt: skip
def test_a_legend_names_its_colours(text: str, named: set[str]) -> None:
    assert named_colours(text) == named


@pytest.mark.parametrize("pump", ["a", " ", "verde", "verde ", "vermelh", "az", ",", "azu", "azus"])
def test_a_text_is_searched_for_colours_in_linear_time(pump: str) -> None:
    assert not growth(named_colours, Attack("", pump, ""), is_bytes=False)


@pytest.mark.parametrize(
    ("legends", "is_held"), [(["Laranja: aguardar"], True), (["Laranja: aguardar", "Amarelo: ok"], False)]
)
def test_a_legend_may_mean_a_neighbouring_colour(legends: list[str], is_held: bool) -> None:
    rows = [good(number) for number in range(1, 4)]

    def dress(sheet: Any, book: Any) -> None:
        sheet.write(2, 0, rows[1][0], book.add_format({"bg_color": "#FFC000"}))

    content = table(*rows, *[[text] for text in legends], dress=dress)
    held = [row.row_number for row in read(Habit("near", content, "a.xlsx", {})).rows() if row.line is None]
    assert held == ([3] if is_held else [])
