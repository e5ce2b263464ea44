"""Totals of the outcome report equal the sums of the rows, in any order."""

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from domain.reports import Outcome, OutcomeRow, accepted_invoices, summarize

ROWS = st.lists(
    st.builds(
        OutcomeRow,
        sheet=st.just("Nov"),
        row=st.integers(1, 99),
        outcome=st.sampled_from(get_args(Outcome)),
        status=st.just(""),
        emitter_cnpj=st.sampled_from([None, "99000001000101", "99000002000148"]),
        service_cents=st.none() | st.integers(0, 10**9),
        liquid_cents=st.none() | st.integers(0, 10**9),
    ),
    max_size=30,
)


@given(ROWS, st.randoms(use_true_random=False))
def test_totals_add_up_and_do_not_depend_on_the_order(rows, chance):
    totals = summarize(rows)
    assert sum(total.count for total in totals) == len(rows)
    assert sum(total.service_cents for total in totals) == sum(row.service_cents or 0 for row in rows)
    assert sum(total.liquid_cents for total in totals) == sum(row.liquid_cents or 0 for row in rows)
    assert len({(total.emitter_cnpj, total.outcome) for total in totals}) == len(totals)
    shuffled = rows.copy()
    chance.shuffle(shuffled)
    assert summarize(shuffled) == totals


def test_an_invoice_of_several_rows_counts_once():
    expected: list[tuple[int, Outcome]] = [(7, "accepted"), (7, "accepted"), (8, "accepted"), (9, "rejected")]
    rows = [
        OutcomeRow(sheet="S", row=row, outcome=outcome, status="", emitter_cnpj="99", serie="1", number=number)
        for row, (number, outcome) in enumerate(expected, 1)
    ]
    assert accepted_invoices(rows) == 2
