"""A correction changes little: a row with two of the same facts is the same charge, one with fewer is another."""

from domain.corrections.row_matching import Candidates, RowSummary, is_likely

ROW = RowSummary(document="99.000.001/0001-01", name="Marés Ltda", amount=10_000, description="Mensalidade")


def test_two_facts_of_four_are_enough():
    assert is_likely(ROW, RowSummary(document="99000001000101", name="MARES  LTDA"))
    assert is_likely(ROW, RowSummary(amount=10_000, description="mensalidade", document="99000002000148", name="Outra"))
    assert not is_likely(ROW, RowSummary(document="99000001000101", name="Outra", amount=1, description="x"))
    assert not is_likely(ROW, RowSummary())


def test_a_row_that_says_less_is_held_to_less():
    bare = RowSummary(document="99000001000101", amount=10_000)
    assert is_likely(bare, RowSummary(document="99000001000101", amount=20_000))
    assert not is_likely(bare, RowSummary(document="1", amount=20_000))
    assert not is_likely(RowSummary(), ROW)
    assert not is_likely(RowSummary(document="9,9E+13"), ROW)


def test_zeros_that_a_sheet_lost_do_not_make_another_document():
    assert is_likely(RowSummary(document="00123456000195", name="A"), RowSummary(document="123456000195", name="B"))


def test_blank_is_no_fact():
    blank = RowSummary(document=" ", name="", amount=None, description=None)
    assert not blank.facts()
    assert not is_likely(blank, blank)


def test_the_one_best_row_is_taken_once():
    rows = Candidates({7: ROW, 8: RowSummary(document="1", name="Marés Ltda", amount=5, description="Mensalidade")})
    assert (
        rows.pop_best_match(
            RowSummary(document="99000001000101", name="Marés Ltda", amount=99, description="Mensalidade")
        )
        == 7
    )
    assert rows.pop_best_match(ROW) == 8
    assert rows.pop_best_match(ROW) is None


def test_two_equally_likely_rows_match_neither():
    twins = Candidates({1: ROW, 2: ROW})
    assert twins.pop_best_match(ROW) is None
    twins.drop(2)
    assert twins.pop_best_match(ROW) == 1


def test_the_same_customer_may_be_billed_for_another_thing():
    other = RowSummary(document="99000001000101", name="Marés Ltda", amount=99, description="Consultoria")
    assert Candidates({1: ROW}).pop_best_match(other) is None


def test_one_shared_fact_is_no_match():
    assert Candidates({1: ROW}).pop_best_match(RowSummary(description="Mensalidade")) is None
