"""The dates that an issuer gives: no post under a wrong clock, and an incident for a wrong month of issue."""

from datetime import UTC, date, datetime

import pytest

from connectors.nfe.emulator.seed import default_shops
from connectors.nfe.emulator.tax_authority import access_key
from domain.competence import add_months, format_competence
from domain.states import InvoiceState
from tasks.stations.reconcile import recheck_batch, reconcile_batch
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tests.ageing import age
from tests.tasks.rows import this_month
from tests.tasks.store import Store, sales
from tests.tasks.workshop import fault, remarks

HOUR_S = 3_600


def issued_in(store: Store, month: date, number: int = 1) -> dict[str, object]:
    """Return the fields of an answer whose access key has this month."""
    at = datetime(month.year, month.month, 15, tzinfo=UTC).timestamp()
    key = access_key(default_shops()[0], "nfe", 1, number, at)
    return {"nfe": {"access_key": key, "status": "succeeded", "data": {"resposta_emissao": {"chave_acesso": key}}}}


@pytest.mark.parametrize("hours", [-40 * 24, -3 * 24, -2, 2, 3 * 24, 40 * 24])
def test_nothing_is_posted_under_another_clock(each_store: Store, hours: int):
    store = each_store
    batch = store.approved(2)
    store.sandbox.control("clock", {"ahead_s": hours * HOUR_S})
    result = store.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.clocks_apart"])
    assert (store.batch(batch).state, store.posts()) == ("disturbed", 0)
    # It was the issuer's clock that was wrong: the same invoices are posted.
    store.sandbox.control("clock", {"ahead_s": -hours * HOUR_S})
    store.decide(batch, "open")
    store.run(stage_batch, batch)
    store.approve()
    assert store.run(release_batch, batch).ending == "done"
    assert (store.posts(), store.numbers_held(), store.record()["violations"]) == (2, [1, 2], [])


@pytest.mark.parametrize("is_ahead", [True, False])
def test_clocks_that_nearly_agree_stop_nothing(store: Store, *, is_ahead: bool):
    store.sandbox.control("clock", {"ahead_s": HOUR_S / 2 if is_ahead else -HOUR_S / 2})
    assert store.run(release_batch, store.approved(1)).ending == "done"


def test_the_rest_of_a_batch_waits_for_a_clock(each_store: Store):
    """A batch that was begun under a right clock: what is issued stays, what is left goes into another batch."""
    store = each_store
    batch = store.approved(3)
    store.sandbox.faults(fault("nfe.create", "status_429", after=1, count=99))
    store.run(release_batch, batch)
    posted = store.posts()
    assert store.states(batch).count(InvoiceState.PROCESSING) == 1
    store.sandbox.faults()
    store.sandbox.control("clock", {"ahead_s": 5 * 24 * HOUR_S})
    assert remarks(store.run_quiet(release_batch, batch)) == ["batch.clocks_apart"]
    assert store.posts() == posted
    store.sandbox.control("clock", {"ahead_s": -5 * 24 * HOUR_S})
    store.decide(batch, "sent")
    store.run(reconcile_batch, batch)
    (rest,) = [each.id for each in store.batches() if each.id != batch]
    store.run(stage_batch, rest)
    store.approve()
    assert store.run(release_batch, rest).ending == "done"
    assert (len(store.numbers_held()), store.record()["violations"]) == (3, [])


@pytest.mark.parametrize("months", [-1, 2])
def test_a_first_invoice_of_another_month_is_the_only_one(each_store: Store, months: int):
    """The issuer's answers had our time, and yet it dated the invoice otherwise."""
    store = each_store
    batch, month = store.approved(3), this_month()
    store.sandbox.faults(fault("nfe.read", "altered", fields=issued_in(store, add_months(month, months))))
    result = store.run(release_batch, batch)
    assert (result.ending, remarks(result), store.posts()) == ("disturbed", ["batch.month_differs"], 1)
    assert result.remarks[0].params == {
        "batch": batch,
        "theirs": format_competence(add_months(month, months)),
        "ours": format_competence(month),
    }


def test_a_month_that_shows_later_is_an_incident_once(each_store: Store):
    store = each_store
    store.sandbox.switch(product_advance="looks", product_advance_looks=3)
    batch = store.sent(2)
    wrong = [issued_in(store, add_months(this_month(), 2), number) for number in (1, 2)]
    store.sandbox.faults(*(fault("nfe.read", "altered", after=n, fields=each) for n, each in enumerate(wrong)))
    store.look(batch)
    # What was issued is issued: the row is not free for another invoice.
    assert (store.states(batch), store.incidents()) == ([InvoiceState.ACCEPTED] * 2, ["batch.month_differs"])
    store.decide(batch, "seen")
    store.sandbox.faults(*(fault("nfe.read", "altered", after=n, fields=each) for n, each in enumerate(wrong)))
    store.run(recheck_batch, batch)
    assert store.incidents() == []


def test_a_sale_of_last_month_may_be_issued_now(store: Store):
    _, (batch,) = store.sold(*sales(2, competence=add_months(this_month(), -1)))
    store.run(stage_batch, batch)
    store.approve()
    assert store.run(release_batch, batch).ending == "done"
    store.follow(batch)
    assert (store.states(batch), store.incidents()) == ([InvoiceState.ACCEPTED] * 2, [])


def test_an_old_approval_is_asked_for_again(store: Store):
    """The approver saw another date than the invoices would get."""
    batch = store.approved(3)
    store.write(age, 9 * 24 * HOUR_S)
    result = store.run(release_batch, batch)
    assert (result.ending, remarks(result), store.posts()) == ("waiting", ["batch.approval_old"], 0)
    store.run(stage_batch, batch)
    assert store.run(release_batch, batch).ending == "busy"
    store.approve()
    assert store.run(release_batch, batch).ending == "done"
    assert store.numbers_held() == [1, 2, 3]


def test_the_rest_of_a_batch_waits_for_a_new_approval(store: Store):
    batch = store.approved(3)
    store.sandbox.faults(fault("nfe.create", "reset_before", after=1))
    assert store.run(release_batch, batch).ending == "waiting"
    posts = store.posts()
    store.write(age, 40 * 24 * HOUR_S)
    result = store.run(release_batch, batch)
    assert (result.ending, remarks(result), store.posts()) == ("disturbed", ["batch.approval_old"], posts)
