"""Every pair of states: which moves are commanded, which may be observed, and which no path may contain."""

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.states import (
    LIVING,
    BatchState,
    Entity,
    InvoiceState,
    RowState,
    can_move,
    can_observe,
    entity_of,
    is_behind,
)

ALL = [*RowState, *BatchState, *InvoiceState]

# Written by hand from the state diagram, not computed from the code's own table.
COMMANDED = {
    RowState: """
        read resolved refused
        resolved assembled refused
    """,
    BatchState: """
        planned opening disturbed
        opening open planned disturbed
        open staged discarding disturbed
        staged approved open discarding disturbed
        approved sending held open discarding disturbed
        held approved open discarding disturbed
        sending scheduled approved disturbed
        scheduled processing
        processing processed
        discarding discarded disturbed
        disturbed open discarding scheduled
    """,
    InvoiceState: """
        drafted reserved retired
        reserved posting retired
        posting created reserved in_doubt refused processing
        in_doubt created processing reserved unresolved
        unresolved accepted rejected retired
        created scheduled deleted cancelled
        scheduled processing
        processing accepted rejected
        accepted cancelling
        cancelling cancelled accepted
        replaced cancelled
    """,
}
OBSERVED = {
    BatchState: """
        sending scheduled processing processed
        scheduled processing processed
        processing processed
    """,
    InvoiceState: """
        posting created scheduled processing accepted rejected cancelling cancelled
        in_doubt created scheduled processing accepted rejected cancelling cancelled
        unresolved created scheduled processing accepted rejected cancelling cancelled
        created scheduled processing accepted rejected cancelling cancelled
        scheduled processing accepted rejected cancelling cancelled
        processing accepted rejected cancelling cancelled
        accepted cancelling cancelled replaced
        cancelling cancelled accepted replaced
    """,
}


def pairs(tables):
    return {
        (kind(was), kind(becomes))
        for kind, text in tables.items()
        for was, *many in map(str.split, text.strip().splitlines())
        for becomes in many
    }


def test_commanded_moves_are_exactly_the_diagram():
    assert {pair for pair in product(ALL, ALL) if can_move(*pair)} == pairs(COMMANDED)


def test_observed_moves_are_exactly_the_forward_ones():
    assert {pair for pair in product(ALL, ALL) if can_observe(*pair)} == pairs(OBSERVED)


def test_every_entity_keeps_to_its_own_states():
    kinds = {"R": Entity.ROW, "B": Entity.BATCH, "I": Entity.INVOICE}
    for was, becomes in product(ALL, ALL):
        assert entity_of(was) is kinds[type(was).__name__[0]]
        if type(was) is not type(becomes):
            assert not can_move(was, becomes)
            assert not can_observe(was, becomes)
            assert not is_behind(was, becomes)


def test_no_move_brings_an_invoice_back_to_life():
    dead = set(InvoiceState) - LIVING
    for pair in product(dead, LIVING):
        assert not can_move(*pair)
        assert not can_observe(*pair)


def test_no_move_leads_to_itself():
    for state in ALL:
        assert not can_move(state, state)
        assert not can_observe(state, state)


def test_news_is_never_behind_what_is_known():
    for pair in product(ALL, ALL):
        assert not (can_observe(*pair) and is_behind(*pair)) or pair == (InvoiceState.CANCELLING, InvoiceState.ACCEPTED)


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        (InvoiceState.REJECTED, InvoiceState.ACCEPTED),
        (InvoiceState.ACCEPTED, InvoiceState.REJECTED),
        (InvoiceState.DELETED, InvoiceState.ACCEPTED),
        (InvoiceState.RETIRED, InvoiceState.CREATED),
        (InvoiceState.REFUSED, InvoiceState.SCHEDULED),
        (InvoiceState.RESERVED, InvoiceState.CREATED),
        (InvoiceState.DRAFTED, InvoiceState.PROCESSING),
        (InvoiceState.REJECTED, InvoiceState.CANCELLED),
    ],
)
def test_a_contradiction_is_neither_a_move_nor_old_news(was, becomes):
    assert not can_observe(was, becomes)
    assert not is_behind(was, becomes)


@st.composite
def walks(draw, start):
    """Return a path of commanded or observed moves, until there are none."""
    path = [start]
    for _ in range(draw(st.integers(0, 14))):
        onward = [each for each in type(start) if can_move(path[-1], each) or can_observe(path[-1], each)]
        if not onward:
            break
        path.append(draw(st.sampled_from(onward)))
    return path


@given(walks(InvoiceState.DRAFTED))
def test_the_dead_stay_dead(path):
    """A row's second invoice may be drafted because the first is dead: so no path may bring it back to life."""
    assert path == sorted(path, key=lambda state: state not in LIVING)


@given(walks(InvoiceState.DRAFTED))
def test_nothing_reaches_the_provider_without_an_intent_first(path):
    if path[-1] not in {InvoiceState.DRAFTED, InvoiceState.RESERVED, InvoiceState.RETIRED}:
        assert InvoiceState.POSTING in path


@given(walks(BatchState.PLANNED))
def test_no_batch_is_sent_but_from_approved_or_by_a_person(path):
    for before, after in pairwise(path):
        if after is BatchState.SENDING:
            assert before is BatchState.APPROVED
        if after is BatchState.SCHEDULED:
            assert before in {BatchState.SENDING, BatchState.DISTURBED}
