"""Rows without an invoice are held, refused or billed by another row, and each counts once."""

import pytest

from domain.left_rows import STOPPED_BY, LeftRows, blocking_code, count_left, is_held
from domain.problems import Problem

HELD = Problem("held.status")
OTHER_NAME = Problem("taker.name_differs")
FAULT = Problem("amount.unreadable")
BILLED = Problem("row.living")


def waits_for(code: str) -> Problem:
    return Problem("product.order_blocked", params={"order": "1", "other": 3, STOPPED_BY: code})


@pytest.mark.parametrize(
    ("problems", "counted"),
    [
        ([HELD], LeftRows(held=1)),
        ([HELD, OTHER_NAME], LeftRows(held=1)),
        ([HELD, FAULT], LeftRows(refused=1)),
        ([FAULT], LeftRows(refused=1)),
        ([Problem("row.rejected_unchanged")], LeftRows(refused=1, rejected=1)),
        ([HELD, BILLED], LeftRows(repeated=1)),
        ([waits_for("held.status")], LeftRows(held=1)),
        ([waits_for("row.required")], LeftRows(refused=1)),
        ([Problem("amount.iss_unusual")], LeftRows(held=1)),
        ([Problem("row.similar_living")], LeftRows(held=1)),
    ],
)
def test_a_row_counts_once(problems: list[Problem], counted: LeftRows) -> None:
    assert count_left([problems]) == counted


def test_counts_of_many_rows_and_their_tally() -> None:
    left = count_left([[HELD], [FAULT], [OTHER_NAME], [BILLED]])
    assert left == LeftRows(held=2, refused=1, repeated=1)
    assert left.report_counts() == {"refused": 2, "held": 2}
    assert count_left([[FAULT]]).report_counts() == {"refused": 1}
    assert not is_held([])


def test_a_fault_stops_an_order_rather_than_a_question() -> None:
    assert blocking_code([HELD, FAULT]) == "amount.unreadable"
    assert blocking_code([HELD, OTHER_NAME]) == "held.status"
    assert blocking_code([waits_for("row.required"), HELD]) == "row.required"
