"""A sheet whose rows were compared with the ledger before another sheet billed the same charges in other words."""

from collections.abc import Callable
from typing import Any

import pytest

from tasks.services import assemble
from tests.tasks.cancellations.requested import request_cancellation
from tests.tasks.interleaving import meanwhile
from tests.tasks.replacements.test_settle import refusal
from tests.tasks.rows import line, lines
from tests.tasks.workshop import Workshop

pytestmark = pytest.mark.both_databases


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], None]:
    """Do something once after a part of a sheet was compared and before it is drafted."""
    return meanwhile(monkeypatch, assemble, "_draft")


def test_a_sheet_that_another_one_overtook_is_compared_again(each_shop: Workshop, between):
    shop = each_shop
    between(lambda: shop.assembled(*(line(n, description=f"Mensalidade {n}") for n in (1, 2))))
    reading, made = shop.assembled(*lines(3))
    assert shop.problems(reading) == {5: ["row.similar_living"], 6: ["row.similar_living"]}
    assert [note.service_cents for note in shop.notes(made[0])] == [lines(3)[2].service_cents]


def test_other_customers_and_the_own_file_outdate_nothing(each_shop: Workshop, between):
    shop = each_shop
    drafts: list[int] = []
    between(lambda: drafts.extend(shop.assembled(line(9))[1]))
    reading, made = shop.assembled(*lines(3))
    assert (shop.problems(reading), len(shop.notes(made[0])), len(drafts)) == ({}, 3, 1)


def test_a_cancellation_asked_for_meanwhile_prevents_the_replacement(each_shop: Workshop, between):
    shop = each_shop
    old = shop.processed(1)
    between(lambda: request_cancellation(shop, old))
    assert refusal(shop, service_cents=9_000) == ["replace.being_cancelled"]
