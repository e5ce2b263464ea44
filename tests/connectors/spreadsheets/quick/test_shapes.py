"""What rows of one shape fill, and what is remembered of groups of cells."""

from datetime import date

import pytest

from connectors.spreadsheets.formats.sheets import Cell, Percent
from connectors.spreadsheets.quick.shapes import REMEMBERED, Group, Shape, fill, form_of, picking
from domain.problems import Problem

COLUMNS = {"document": 0, "name": 1, "template_name": 2, "service_cents": 3, "iss_bp": 4, "reference": 5}


def unread(_cell: Cell, _field: str) -> Problem:
    return Problem("row.formula")


def groups() -> tuple[Group, Group]:
    return (
        Group.of(COLUMNS, {"document": unread}, ("city",)),
        Group.of(COLUMNS, {"iss_bp": unread}, (), "template_name"),
    )


def shape_of(*cells: Cell) -> Shape | None:
    return Shape.of(tuple(map(type, cells)), COLUMNS, *groups(), ())


def test_a_row_is_taken_by_the_cells_that_it_fills() -> None:
    cells: tuple[Cell, ...] = ("99", "Ana", "Suporte", 10.0, Percent(0.05), 7.0, "more", None, date(2026, 11, 1))
    shape = shape_of(*cells)
    assert shape is not None
    line = '{<>,"taker":{<>,"name":"<>"},"reference":"<>","service_cents":<><>}'
    assert fill(shape.line, ["<>"] * 6) == line
    assert (shape.texts(cells), shape.numbers, shape.own_key) == (("Ana", 7.0), (1,), None)
    assert (shape.unchecked, shape.others(cells)) == ((6,), (10.0, 7.0, date(2026, 11, 1)))
    kept = '{"A":"99","B":"Ana","C":"Suporte","D":10,"E":0.05,"F":7,"G":"more","I":"2026-11-01"}'
    assert fill(shape.kept, shape.pick((*cells, "0.05", "10", "7", '"2026-11-01"'))) == kept
    assert shape.terms.said(shape.terms.pick(cells)) == {"iss_bp": 0.05, "template_name": "Suporte"}
    assert shape.terms.others == (4,)


def test_rows_that_lack_something_or_hold_something_odd_have_no_shape() -> None:
    assert shape_of("99", "Ana", "Suporte", 10.0) is not None
    assert shape_of("99", "Ana", "Suporte") is None
    assert shape_of(None, "Ana", "Suporte", 10.0) is None
    assert shape_of("99", True, "Suporte", 10.0) is None


def test_rows_with_the_same_kinds_of_cells_in_a_group_share_what_is_remembered() -> None:
    group, _ = groups()
    texts, numbers = group.part((str,)), group.part((float,))
    group.remember(texts.known, ("99",), ('"document":"99"', ()))
    assert group.part((str, str)).known == texts.known
    assert numbers.known == {}


def test_what_is_remembered_is_all_forgotten_when_it_becomes_too_much() -> None:
    group, _ = groups()
    known = group.part((str,)).known
    group.remember(known, ("99",), None)
    group.count = REMEMBERED
    group.remember(known, ("98",), None)
    assert (known, group.count) == ({("98",): None}, 1)


def test_one_cell_is_picked_as_a_tuple_too() -> None:
    assert [picking(indexes)(("a", "b", "c")) for indexes in ([], [1], [2, 0])] == [(), ("b",), ("c", "a")]


def test_a_form_is_filled_gap_by_gap_and_may_be_filled_again() -> None:
    form = form_of("a%s,%s")
    assert [fill(form, ("1", "%s")), fill(form, ("", "b")), fill(form_of("x"), ())] == ["a1,%s", "a,b", "x"]
    with pytest.raises(ValueError, match="size 1"):
        fill(form, ("1",))
