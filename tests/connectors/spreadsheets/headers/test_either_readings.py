"""The report of a number with two readings names the reading that its column chose."""

import pytest

from tests.corpus.habits import NOVEMBER, Habit, doc
from tests.corpus.reading import read
from tests.corpus.sheets import table


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("1.234", "9,50"), [("1.234", "1234", "2")]),
        (("9,50", "1.234", "2.000"), [("1.234", "1234", "3, 4")]),
        (("1,234", "9.50"), [("1,234", "1234", "2")]),
        (("1.500", "9.50"), []),
        (("1000", "9,50"), []),
        (("1.234", "1.235"), []),
    ],
)
def test_the_decided_numbers_are_reported(texts, expected):
    rows = ([doc(place), f"Ana {place} Ltda", f"{NOVEMBER:%m}", text] for place, text in enumerate(texts, start=1))
    warnings = read(Habit("notation", table(*rows), "a.xlsx", {})).understood.warnings
    found = [each.params for each in warnings if each.code == "column.notation"]
    assert [(each["text"], each["read"], each["rows"]) for each in found] == expected
