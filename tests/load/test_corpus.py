"""The bench counts each verdict on the corpus. Whether a verdict is right is the business of the corpus's own test."""

from dataclasses import replace

from tests.corpus.all_habits import HABITS
from tests.corpus.habits import bill
from tests.load.corpus import rows

SOME = HABITS[::20]


def test_every_row_has_one_verdict():
    right, asked, refused, wrong = rows(SOME)
    assert right.measured > asked.measured > 0
    assert refused.is_met
    assert wrong.is_met, wrong.remarks


def test_a_row_billed_at_another_amount_is_counted_as_silently_wrong():
    billed = next(each for each in HABITS if each.name == "column_decides_dots")
    *_, wrong = rows([*SOME, replace(billed, rows=dict.fromkeys(billed.rows, bill(1)))])
    assert (wrong.measured, wrong.is_met) == (len(billed.rows), False)
