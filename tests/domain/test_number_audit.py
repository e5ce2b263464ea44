"""The explanation of a number, and the gaps between numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.number_audit import Absence, Explanation, Gap, NumberLine, SerieAudit, explanation_of, gaps_in
from domain.problems import Problem
from domain.states import LIVING, InvoiceState


@pytest.mark.parametrize("state", InvoiceState)
def test_every_state_explains_its_number(state):
    explanation = explanation_of(state, is_replaced=False, is_retired=state not in LIVING)
    assert explanation is not Explanation.UNEXPLAINED
    assert (explanation in {Explanation.LIVING, Explanation.UNKNOWN}) == (state in LIVING)


def test_a_dead_invoice_without_a_reason_is_unexplained():
    assert explanation_of(InvoiceState.DELETED, is_replaced=True, is_retired=False) is Explanation.UNEXPLAINED


def test_a_replacement_explains_a_dead_invoice():
    assert explanation_of(InvoiceState.REJECTED, is_replaced=True, is_retired=True) is Explanation.REPLACED


@pytest.mark.parametrize(
    ("numbers", "first", "following", "gaps"),
    [
        ([], 1, 1, []),
        ([1, 2, 3], 1, 4, []),
        ([1, 3], 1, 4, [Gap(2, 2, Absence.OPEN)]),
        ([], 5, 5, []),
        ([5, 6], 5, 8, [Gap(7, 7, Absence.OPEN)]),
        # Started again at 10 after 1 and 2 were used.
        ([1, 2, 10], 10, 11, [Gap(3, 9, Absence.SKIPPED)]),
        ([1, 12], 10, 13, [Gap(2, 9, Absence.SKIPPED), Gap(10, 11, Absence.OPEN)]),
    ],
)
def test_gaps_are_ranges_of_numbers_nobody_got(numbers, first, following, gaps):
    assert gaps_in(numbers, first=first, following=following) == gaps


def test_numbers_lost_with_the_ledger_count_as_given():
    assert gaps_in([1, 2], first=8, following=8, lost={4, 5, 7}) == [
        Gap(3, 3, Absence.SKIPPED),
        Gap(4, 5, Absence.LOST),
        Gap(6, 6, Absence.SKIPPED),
        Gap(7, 7, Absence.LOST),
    ]
    assert gaps_in([], first=4, following=4, lost={2, 3}) == [Gap(2, 3, Absence.LOST)]
    # A number that was given again later is no gap.
    assert gaps_in([1, 2], first=1, following=3, lost={2}) == []


@given(st.sets(st.integers(1, 60)), st.integers(1, 60), st.sets(st.integers(1, 60)))
def test_every_number_is_given_or_in_one_gap(numbers, first, lost):
    ascending = sorted(numbers)
    following = max([first, *(number + 1 for number in ascending)])
    lost = {number for number in lost if number < following}
    gaps = gaps_in(ascending, first=first, following=following, lost=lost)
    missing = [number for gap in gaps for number in range(gap.first, gap.last + 1)]
    assert sorted([*missing, *ascending]) == list(range(min([first, *ascending, *lost]), following))
    found = {number for gap in gaps if gap.why is Absence.LOST for number in range(gap.first, gap.last + 1)}
    assert found == lost - numbers


def audit(*lines, problem=None, next_number=3):
    return SerieAudit(
        emitter_name="Marés", cnpj="99000001000101", kind="service", serie="F", first_number=1,
        next_number=next_number, highest_posted=2, lines=lines, latest=2, problem=problem,
    )  # fmt: skip


def line(number, explanation):
    return NumberLine(
        number=number, explanation=explanation, state=InvoiceState.ACCEPTED, invoice_id=number, remote_id=None,
        nfse_number=None, because="", replaced_by="",
    )  # fmt: skip


def test_a_serie_is_explained_when_nothing_is_left_over():
    whole = [line(1, Explanation.LIVING), line(2, Explanation.RETIRED)]
    assert audit(*whole).is_explained
    assert not audit(*whole, problem=Problem("serie.ahead")).is_explained
    assert not audit(line(1, Explanation.LIVING), line(2, Explanation.UNEXPLAINED)).is_explained
    assert not audit(*whole, next_number=5).is_explained


def test_numbers_are_explained_even_if_nobody_could_be_asked():
    seen = audit(line(1, Explanation.LIVING), line(2, Explanation.RETIRED), problem=Problem("provider.unreachable"))
    assert (seen.are_numbers_explained, seen.is_explained) == (True, False)
