"""How a number is explained, and where numbers are missing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.audits import Gap, NumberLine, SerieAudit, Standing, gaps_in, standing_of
from domain.problems import Problem
from domain.states import LIVING, InvoiceState


@pytest.mark.parametrize("state", InvoiceState)
def test_every_state_has_a_standing(state):
    standing = standing_of(state, is_replaced=False, is_retired=state not in LIVING)
    assert standing is not Standing.UNEXPLAINED
    assert (standing in {Standing.LIVING, Standing.UNKNOWN}) == (state in LIVING)


def test_a_dead_invoice_without_a_reason_is_unexplained():
    assert standing_of(InvoiceState.DELETED, is_replaced=True, is_retired=False) is Standing.UNEXPLAINED


def test_what_took_a_dead_invoices_place_explains_it():
    assert standing_of(InvoiceState.REJECTED, is_replaced=True, is_retired=True) is Standing.REPLACED


@pytest.mark.parametrize(
    ("numbers", "first", "following", "gaps"),
    [
        ([], 1, 1, []),
        ([1, 2, 3], 1, 4, []),
        ([1, 3], 1, 4, [Gap(2, 2, is_skipped=False)]),
        ([], 5, 5, []),
        ([5, 6], 5, 8, [Gap(7, 7, is_skipped=False)]),
        # started anew at 10 after 1 and 2 were used
        ([1, 2, 10], 10, 11, [Gap(3, 9, is_skipped=True)]),
        ([1, 12], 10, 13, [Gap(2, 9, is_skipped=True), Gap(10, 11, is_skipped=False)]),
    ],
)
def test_gaps(numbers, first, following, gaps):
    assert gaps_in(numbers, first=first, following=following) == gaps


@given(st.sets(st.integers(1, 60)), st.integers(1, 60))
def test_every_number_is_given_or_in_a_gap(numbers, first):
    ascending = sorted(numbers)
    following = max([first, *(number + 1 for number in ascending)])
    missing = {
        n for gap in gaps_in(ascending, first=first, following=following) for n in range(gap.first, gap.last + 1)
    }
    assert missing.isdisjoint(numbers)
    assert missing | numbers == set(range(min([first, *ascending]), following))


def audit(*lines, problem=None, next_number=3):
    return SerieAudit(
        emitter_name="Marés", cnpj="99000001000101", kind="service", serie="F", first_number=1,
        next_number=next_number, highest_posted=2, lines=lines, latest=2, problem=problem,
    )  # fmt: skip


def line(number, standing):
    return NumberLine(
        number=number, standing=standing, state=InvoiceState.ACCEPTED, invoice_id=number, remote_id=None,
        nfse_number=None, because="", replaced_by="",
    )  # fmt: skip


def test_a_serie_is_explained_when_nothing_is_left_over():
    whole = [line(1, Standing.LIVING), line(2, Standing.RETIRED)]
    assert audit(*whole).is_explained
    assert not audit(*whole, problem=Problem("serie.ahead")).is_explained
    assert not audit(line(1, Standing.LIVING), line(2, Standing.UNEXPLAINED)).is_explained
    assert not audit(*whole, next_number=5).is_explained
