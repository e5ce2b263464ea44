"""Rows of two files that may correct one failed row, and rows that may not."""

from collections.abc import Sequence
from typing import Any

import pytest

from domain.corrections.twice_corrected import (
    BillableRow,
    FailedRow,
    Place,
    copies_of_failed,
    is_twice_corrected,
    texts_of,
)

SHEET = "Vendas"
FAILED = FailedRow(Place(2, SHEET, 9), {"A": "Contrato C-0", "B": "C-0", "C": 1234, "D": None, "E": 10.5})
CORRECTION = BillableRow(Place(3, SHEET, 4), ["C-9"], [FAILED])


def row(file_id: int, number: int, *names: str, sheet: str = SHEET, corrects: Sequence[FailedRow] = ()) -> BillableRow:
    return BillableRow(Place(file_id, sheet, number), names, corrects)


@pytest.mark.parametrize(
    ("by_hand", "is_same"),
    [
        (row(5, 9), True),
        (row(1, 9), False),
        (row(5, 10), False),
        (row(5, 9, sheet="Outra"), False),
        (row(5, 30, "C-8", "c 0"), True),
        (row(1, 30, "C-0"), True),
        (row(5, 30, "1234"), True),
        (row(5, 30, "C-9"), False),
    ],
    ids=[
        "place",
        "earlier file",
        "other row",
        "other sheet",
        "name",
        "name in an earlier file",
        "number",
        "other name",
    ],
)
def test_a_correction_and_a_row_corrected_by_hand(by_hand: BillableRow, is_same: bool):
    assert is_twice_corrected(by_hand, CORRECTION) is is_same
    assert is_twice_corrected(CORRECTION, by_hand) is is_same


def test_two_corrections_need_one_place_in_two_files():
    def also(file_id: int, number: int) -> BillableRow:
        return row(6, 4, "C-0", corrects=[FailedRow(Place(file_id, SHEET, number), FAILED.cells)])

    assert is_twice_corrected(CORRECTION, also(5, 9))
    assert not is_twice_corrected(CORRECTION, also(5, 10))
    assert not is_twice_corrected(CORRECTION, also(2, 10))


def test_rows_that_correct_nothing_are_two_charges():
    assert not is_twice_corrected(row(2, 9, "C-0"), row(3, 9, "C-0"))


@pytest.mark.parametrize(
    ("changes", "number", "is_same"),
    [
        ({}, 9, True),
        ({"taker": {"document": ["cnpj", "2"], "name": "PADARIA do Cais, Ltda."}}, 9, True),
        ({"description": "Outra"}, 9, True),
        ({"taker": {"document": ["cnpj", "2"], "name": "Outro"}}, 9, False),
        ({}, 10, False),
    ],
    ids=["equal", "document", "description", "customer", "other row"],
)
def test_a_row_with_its_place_and_two_texts_is_the_failed_one(changes: dict[str, Any], number: int, *, is_same: bool):
    cells = {"A": "98.000.001/0001-30", "B": "Padaria do Cais Ltda", "C": "Limpeza"}
    line = {"taker": {"document": ["cnpj", "98000001000130"], "name": "Padaria do Cais Ltda"}, "description": "Limpeza"}
    correction = BillableRow(Place(3, SHEET, 4), (), [FailedRow(Place(2, SHEET, 9), cells)])
    by_hand = BillableRow(Place(5, SHEET, number), (), (), texts_of(line | changes))
    failed = FailedRow(Place(2, SHEET, 9), cells)
    found: list[tuple[Sequence[Place], Place]] = [([by_hand.place], failed.place)] if is_same else []
    assert [*copies_of_failed(by_hand, correction)] == [*copies_of_failed(correction, by_hand)] == found
    # the other copy was corrected by hand too
    also = BillableRow(Place(4, SHEET, 9), (), (), texts_of(line))
    both: list[tuple[Sequence[Place], Place]] = [([also.place, by_hand.place], failed.place)] if is_same else []
    assert [*copies_of_failed(also, by_hand, [failed])] == both
    assert not [*copies_of_failed(also, by_hand)]


def test_the_next_weeks_row_has_another_key():
    failed = FailedRow(Place(2, SHEET, 9), {"A": "98.000.001/0001-30", "B": "Padaria do Cais", "C": "S-1"})
    texts = ["98000001000130", "Padaria do Cais"]
    first, copy, later = (
        BillableRow(Place(file_id, SHEET, 9), [key], (), texts) for file_id, key in ((3, "S-1"), (4, "s1"), (5, "S-2"))
    )
    assert [*copies_of_failed(first, copy, [failed])]
    assert not [*copies_of_failed(first, later, [failed])]
