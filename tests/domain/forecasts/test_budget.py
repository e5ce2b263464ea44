"""The cost of a file: the figures that the provider's meter shows afterwards, and a quota that may be a text."""

import pytest

from domain.forecasts.budget import product_budget, quota_of, service_budget


def test_a_full_batch_costs_little_more_than_its_notes():
    budget = service_budget(
        batches=[500] * 10, emitters=1, templates=1, series=1, known_takers=0, new_takers=0, looks=5
    )
    assert budget.notes == 5_000
    assert round(budget.total / budget.notes, 2) == 1.13
    assert budget.requests["stage"] == 5_030
    assert budget.requests["reconcile"] == 10 * (5 + 2 + 50)
    assert budget.requests["release"] == 10 * 5


def test_a_batch_that_is_listed_before_its_send_costs_its_pages():
    counted, listed = (
        service_budget(
            batches=[500, 31],
            emitters=1,
            templates=1,
            series=1,
            known_takers=0,
            new_takers=0,
            looks=5,
            listed=over_ceiling,
        )
        for over_ceiling in ([], [31])
    )
    assert listed.total == counted.total + 4 + 1


def requests_of(known_takers: int, new_takers: int, written_takers: int = 0) -> int:
    return service_budget(
        batches=[10],
        emitters=1,
        templates=1,
        series=1,
        looks=1,
        known_takers=known_takers,
        new_takers=new_takers,
        written_takers=written_takers,
    ).total


def test_a_new_taker_costs_two_more():
    assert requests_of(0, 3) == requests_of(0, 0) + 6
    assert requests_of(3, 0) == requests_of(0, 0) + 3


def test_a_written_record_costs_two_more_than_its_look():
    assert requests_of(3, 0, written_takers=1) == requests_of(3, 0) + 2


def test_without_extensions_a_product_invoice_is_only_posted():
    blind = product_budget(batches=[15], issuers=1, looks=2, extensions=False)
    seeing = product_budget(batches=[15], issuers=1, looks=2, extensions=True)
    assert blind.requests["release"] == 16
    assert blind.requests["reconcile"] == 0
    assert seeing.requests["reconcile"] == 31


@pytest.mark.parametrize(
    ("allowed", "left"),
    [("100", 20), ("1.000", 920), ("ilimitado", None), ("unlimited", None), (None, None), ("70", -10)],
)
def test_a_quota_may_be_a_number_or_words(allowed: str | None, left: int | None):
    quota = quota_of(50, allowed, planned=30)
    assert quota is not None
    assert quota.left == left


def test_an_account_that_does_not_count_forecasts_nothing():
    assert quota_of(None, "100", planned=1) is None
