"""Another account has other companies' ids: nothing is looked up, posted, fetched or stored there.

Nor is anything sent for a company that was changed at the provider.
"""

import asyncio
import json
from collections.abc import Callable

import pytest

from connectors.ledger import incidents, parties
from connectors.ledger.backup import restorations
from connectors.nfe.emulator.seed import default_shops
from connectors.nfse.emulator.seed import default_company
from tasks.backup.restore_check import compare_restored, quarantine_ledger
from tasks.documents.fetch import fetch_batch
from tasks.issuance.discard import discard_batch
from tasks.issuance.emitters import OtherAccount
from tasks.monitoring.checks import Finding
from tasks.monitoring.health import check_health
from tasks.stations.reconcile import reconcile_batch
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tests.tasks.rows import RIO, SAO_PAULO, company, line
from tests.tasks.store import RIO_SHOP, Store, sale
from tests.tasks.workshop import PROFILE, Workshop, fault, remarks


def swap_accounts(store: Store) -> None:
    """Let the provider be another account, in which each shop has the other one's id, under another access key."""
    shops = [*reversed(default_shops())]
    store.sandbox.control("seed", {**default_company(), "organizations": shops, "product_token": "other-key"})
    store.set(PRODUCTS__TOKEN="plain:other-key")


def no_answer(store: Store) -> int:
    batch = store.approved(3)
    store.sandbox.faults(fault("nfe.create", "reset_before", after=1))
    store.run(release_batch, batch)
    return batch


@pytest.mark.parametrize(
    ("begin", "station"),
    [
        (lambda store: store.approved(3), release_batch),
        (no_answer, release_batch),
        (lambda store: store.sent(3), reconcile_batch),
        (lambda store: store.processed(3), fetch_batch),
    ],
    ids=["post", "doubt", "look", "documents"],
)
def test_nothing_is_asked_of_another_account(store: Store, begin: Callable[[Store], int], station):
    batch = begin(store)
    before = store.batch(batch).state, store.states(batch)
    swap_accounts(store)
    with pytest.raises(OtherAccount) as raised:
        store.run_quiet(station, batch)
    assert raised.value.problem.code == "ledger.other_emitter"
    assert (store.batch(batch).state, store.states(batch)) == before
    assert (store.held(), store.writes()) == ([], [])


def test_the_doctor_names_a_company_of_another_account(store: Store):
    store.approved(1)
    assert products_finding(store).is_good
    swap_accounts(store)
    found = products_finding(store)
    assert not found.is_good
    assert "the id of the CNPJ 99.000.051/0001-80 is 62 there" in found.detail


def products_finding(store: Store) -> Finding:
    return next(each for each in asyncio.run(check_health(PROFILE)) if each.what == "products")


def test_a_ledger_is_not_compared_with_another_account(store: Store):
    store.sent(2)
    with store.context() as context:
        quarantine_ledger(context, person="olga")
    swap_accounts(store)
    with pytest.raises(OtherAccount):
        store.run(compare_restored)
    assert store.read(restorations.quarantine_of) is not None


def test_a_sheet_moves_no_company_into_another_account(store: Store):
    batch = store.approved(1)
    swap_accounts(store)
    known = store.read(parties.emitters_all)
    with pytest.raises(OtherAccount):
        store.sold(sale(2))
    assert store.read(parties.emitters_all) == known
    store.sandbox.control("seed", default_company())
    store.set(PRODUCTS__TOKEN="plain:sandbox-product-token")
    assert store.run(release_batch, batch).ending == "done"


def correct_cnpj(shop: Workshop, table: str, was: str, becomes: str = company(77).number) -> str:
    """Give a company another CNPJ at the provider, under its old id. Return the new one."""
    held = json.dumps(shop.sandbox.control("content")[table])
    shop.sandbox.control("content", {table: json.loads(held.replace(was, becomes))})
    return becomes


def test_nothing_staged_is_sent_for_a_company_that_was_changed(shop: Workshop):
    batch = shop.approved(2)
    becomes = correct_cnpj(shop, "emitters", RIO)
    result = shop.run(release_batch, batch)
    assert (result.ending, remarks(result), shop.asked("batches.send")) == ("disturbed", ["ledger.other_emitter"], 0)
    assert result.remarks[0].params["there"] == company(77).formatted
    with pytest.raises(OtherAccount) as raised:
        shop.assembled(line(3, emitter_cnpj=becomes))
    assert raised.value.problem.params == result.remarks[0].params
    shop.decide(batch, "discard")
    assert shop.run(discard_batch, batch).ending == "done"
    assert shop.there() == []


def test_nothing_is_posted_for_a_shop_that_was_changed(store: Store):
    first = store.approved(1)
    assert store.run(release_batch, first).ending == "done"
    batch = store.planned(2)
    store.run(stage_batch, batch)
    store.approve()
    correct_cnpj(store, "organizations", RIO_SHOP)
    with pytest.raises(OtherAccount):
        store.run(release_batch, batch)
    assert store.posts() == 1


def test_a_sheet_with_the_old_cnpj_says_what_it_is_now(shop: Workshop):
    shop.staged(1)
    becomes = correct_cnpj(shop, "emitters", RIO)
    reading, _ = shop.assembled(line(3))
    (found,) = shop.rows(reading)[0].problems
    assert (found.code, found.params.get("there")) == ("emitter.cnpj_changed", becomes)


def test_a_company_that_the_provider_shows_twice_bills_nothing(shop: Workshop):
    shop.staged(1)
    correct_cnpj(shop, "emitters", SAO_PAULO, becomes=RIO)
    reading, _ = shop.assembled(line(3))
    (found,) = shop.rows(reading)[0].problems
    assert (found.code, found.params) == ("emitter.several", {"cnpj": RIO})


def test_a_company_changed_after_the_send_is_reported(shop: Workshop):
    batch = shop.sent(2)
    correct_cnpj(shop, "emitters", RIO)
    shop.follow(batch)
    (found,) = shop.read(incidents.incidents_open)
    assert (found.code, found.params["there"]) == ("batch.emitter_changed", company(77).formatted)
    shop.decide(batch, "seen")
    assert shop.incidents() == []
