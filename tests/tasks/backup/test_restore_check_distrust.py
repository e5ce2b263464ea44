"""A ledger that a plain copy put back, or that began anew, bills nothing twice once a person distrusts it."""

import sqlite3
import uuid

import pytest

from connectors.ledger.backup.verify import verify
from domain.problems import FaturistaError
from domain.station_result import Ending
from tasks.backup.restore_check import compare_restored, quarantine_ledger
from tasks.stations.assemble import assemble_rows
from tasks.stations.release import release_batch
from tasks.stations.resolve import resolve_rows
from tasks.stations.resume import resume_reading
from tests.tasks.backup.test_restore_check import at_work, finish, free, issue, numbers_there, stage
from tests.tasks.rows import lines
from tests.tasks.store import Store, sales
from tests.tasks.workshop import Workshop, remarks

pytestmark = pytest.mark.both_databases


def plain_copy(shop: Workshop) -> str:
    """Copy the ledger's file as a backup of the disk does. Return the copy's address."""
    path = shop.home / f"{uuid.uuid4().hex}.db"
    with sqlite3.connect(shop.ledger_url.removeprefix("sqlite:///")) as here, sqlite3.connect(path) as there:
        here.backup(there)
    return f"sqlite:///{path}"


def distrust(shop: Workshop) -> None:
    with shop.context() as context:
        quarantine_ledger(context, person="Ana")


def test_a_sound_ledger_works_on_after_its_comparison(each_shop: Workshop) -> None:
    shop = each_shop
    approved = shop.approved(2)
    staged = shop.staged(4)
    distrust(shop)
    with pytest.raises(FaturistaError) as caught:
        distrust(shop)
    assert caught.value.problem.code == "ledger.quarantined"
    assert remarks(shop.run(release_batch, approved)) == ["ledger.quarantined"]
    assert shop.run(compare_restored).ending is Ending.DONE
    for batch in (approved, staged):
        finish(shop, batch)
    assert numbers_there(shop) == [1, 2, 3, 4]
    assert shop.record()["violations"] == []
    assert shop.read(verify).is_sound


@pytest.mark.parametrize("known", [2, 0])
def test_rows_billed_after_a_plain_copy_are_not_billed_again(shop: Workshop, known: int) -> None:
    """With `known` 0 the ledger began anew."""
    if known:
        shop.processed(known)
    url = plain_copy(shop)
    finish(shop, shop.assembled(*lines(5))[1][0])
    there = numbers_there(shop)
    with at_work(shop, url) as again:
        distrust(again)
        free(again)
        reading, planned = again.assembled(*lines(5))
        assert planned == []
        problems = [code for codes in again.problems(reading).values() for code in codes]
        assert sorted(problems) == ["row.billed_before_loss"] * (5 - known) + ["row.living"] * known
        assert numbers_there(again) == there


@pytest.mark.parametrize("known", [2, 0])
def test_rows_that_the_serie_stopped_are_not_billed_later(shop: Workshop, known: int) -> None:
    """Somebody drops the sheet again before anybody distrusts the ledger."""
    if known:
        shop.processed(known)
    url = plain_copy(shop)
    finish(shop, shop.assembled(*lines(5))[1][0])
    there = numbers_there(shop)
    with at_work(shop, url) as again:
        reading = again.reading(*lines(5))
        again.run(resolve_rows, reading)
        with pytest.raises(FaturistaError) as caught:
            again.run(assemble_rows, reading)
        assert caught.value.problem.code in {"serie.ahead", "serie.in_use"}
        distrust(again)
        free(again)
        again.run(resume_reading, reading)
        stage(again, again.batches()[-1].id)
        assert again.incidents() == ["batch.billed_before_loss"]
        assert numbers_there(again) == there


def test_orders_invoiced_after_a_plain_copy_are_not_invoiced_again(store: Store) -> None:
    store.processed(2)
    url = plain_copy(store)
    issue(store, store.sold(*sales(2, first=3))[1][0])
    with at_work(store, url) as again:
        distrust(again)
        free(again)
        reading, planned = again.sold(*sales(4))
        assert planned == []
        problems = [code for codes in again.problems(reading).values() for code in codes]
        assert sorted(problems) == ["product.billed_before_loss"] * 2 + ["row.living"] * 2
        assert again.numbers_held() == [1, 2, 3, 4]
