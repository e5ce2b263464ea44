"""A restored ledger is compared with the provider before it issues anything: later charges are never billed twice."""

import contextlib
import uuid

import pytest
import sqlalchemy as sa

from connectors.ledger.backup.verify import verify
from connectors.ledger.engine import Ledger
from domain.problems import FaturistaError
from domain.station_result import Ending
from tasks.backup.copies import back_up, restore
from tasks.backup.restore_check import compare_restored, lift_quarantine, quarantined_since
from tasks.issuance.decide import start_serie
from tasks.issuance.discard import discard_batch
from tasks.stations.assemble import assemble_rows
from tasks.stations.release import release_batch
from tasks.stations.resolve import resolve_rows
from tasks.stations.resume import resume_reading
from tasks.stations.stage import stage_batch
from tasks.views.due_work import due_batches, unfinished_batches, waiting_restorations
from tests.tasks.rows import lines
from tests.tasks.store import sales
from tests.tasks.workshop import PROFILE, QUIET_S, remarks

pytestmark = pytest.mark.both_databases


def copied(shop):
    with shop.context() as context:
        path = shop.home / f"{uuid.uuid4().hex}.gz"
        back_up(context, path)
        return path


@contextlib.contextmanager
def restored(shop, path):
    """Restore the copy at another address; yield the workshop with that ledger. The earlier ledger is lost."""
    url = f"sqlite:///{shop.home / uuid.uuid4().hex}.db"
    restore_to(shop, url, path)
    with at_work(shop, url):
        yield shop


@contextlib.contextmanager
def at_work(shop, url):
    """Let the workshop use the ledger at this address."""
    shop.set(LEDGER__URL=url)
    with Ledger.open(url) as ledger:
        shop._ledger, before = ledger, shop._ledger
        try:
            yield shop
        finally:
            shop._ledger = before


def restore_to(shop, url, path):
    shop.set(LEDGER__URL=url)
    restore(PROFILE, path, person="Ana")


def numbers_there(shop):
    return [note["number"] for note in shop.there()]


def stage(shop, batch):
    """Stage until nothing is left to do, each time after the quiet time."""
    for _ in range(4):
        if shop.batch(batch).state in {"planned", "opening", "open"}:
            shop.run(stage_batch, batch)
            shop.write(let_quiet_time_pass)


def let_quiet_time_pass(conn):
    earlier = int((QUIET_S + 1) * 1_000_000)
    conn.execute(sa.text(f"UPDATE invoices SET last_byte_at = last_byte_at - {earlier}"))


def finish(shop, batch):
    """Stage, approve and send, in as many steps as necessary."""
    stage(shop, batch)
    shop.approve()
    shop.run(release_batch, batch)
    shop.follow(batch)


def test_an_unchanged_restored_ledger_is_freed(each_shop):
    shop = each_shop
    batch = shop.staged(3)
    with restored(shop, copied(shop)) as again:
        assert again.run(compare_restored).ending is Ending.DONE
        with again.context() as context:
            assert quarantined_since(context) is None
        finish(again, batch)
        assert numbers_there(again) == [1, 2, 3]
        assert again.read(verify).is_sound


def test_until_then_nothing_is_staged_released_or_numbered(shop):
    approved = shop.approved(2)
    planned = shop.planned(4)
    with restored(shop, copied(shop)) as again:
        with again.context() as context:
            assert due_batches(context, "stage") == due_batches(context, "release") == []
            assert waiting_restorations(context)
            assert not unfinished_batches(context)
        assert remarks(again.run(stage_batch, planned)) == ["ledger.quarantined"]
        assert remarks(again.run(release_batch, approved)) == ["ledger.quarantined"]
        reading = again.reading(*lines(6))
        again.run(resolve_rows, reading)
        with pytest.raises(FaturistaError) as caught:
            again.run(assemble_rows, reading)
        assert caught.value.problem.code == "ledger.quarantined"
        assert again.asked("batches.send") == 0


@pytest.mark.parametrize("moment", ["planned", "half", "staged", "approved"])
def test_a_batch_continued_after_the_copy_is_not_posted_again(shop, moment):
    """The copy knows the batch at some moment; the line continued and staged all of it; then the ledger was lost."""
    if moment == "half":
        shop.sandbox.faults({"operation": "notes.create", "kind": "status_500", "after": 2, "count": 99})
        batch = shop.planned(4)
        shop.run(stage_batch, batch)
        shop.sandbox.faults()
    else:
        batch = {"planned": shop.planned, "staged": shop.staged, "approved": shop.approved}[moment](4)
    path = copied(shop)
    stage(shop, batch)
    with restored(shop, path) as again:
        assert again.run(compare_restored).ending is Ending.DONE
        finish(again, batch)
        assert numbers_there(again) == [1, 2, 3, 4]
        assert again.asked("batches.send") == 1
        assert again.record()["violations"] == []
        assert again.read(verify).is_sound


@pytest.mark.parametrize("moment", ["planned", "approved"])
def test_a_batch_sent_after_the_copy_waits_for_a_person(shop, moment):
    batch = getattr(shop, moment)(3)
    path = copied(shop)
    stage(shop, batch)
    shop.approve()
    shop.run(release_batch, batch)
    with restored(shop, path) as again:
        again.run(compare_restored)
        stage(again, batch)
        assert again.batch(batch).state == "disturbed"
        again.decide(batch, "sent")
        again.follow(batch)
        assert again.states(batch) == ["accepted"] * 3
        assert again.asked("batches.send") == 1


def test_rows_billed_after_the_copy_keep_their_numbers(shop):
    shop.processed(2)
    path = copied(shop)
    shop.staged(5)
    there = numbers_there(shop)
    with restored(shop, path) as again:
        result = again.run(compare_restored)
        assert result.ending is Ending.DISTURBED
        assert remarks(result).count("restore.note_unknown") == 3
        assert {remark.params["number"] for remark in result.remarks if "note" in remark.code} == {3, 4, 5}
        assert "ledger.unexplained" in again.incidents()
        # A second look reports nothing twice.
        again.run(compare_restored)
        assert again.incidents().count("ledger.unexplained") == 1
        with again.context() as context:
            lift_quarantine(context, person="Ana", because="each of them stands in the provider's page")
        assert again.incidents() == []
        # Somebody drops the file of the lost rows again: none of it is billed twice.
        reading, planned = again.assembled(*lines(5))
        assert planned == []
        problems = [code for codes in again.problems(reading).values() for code in codes]
        assert sorted(problems) == ["row.billed_before_loss"] * 3 + ["row.living"] * 2
        # New rows are billed under unused numbers.
        (batch,) = again.assembled(*lines(2, first=11))[1]
        stage(again, batch)
        assert numbers_there(again) == [*there, 6, 7]
        # A person can still say that it is another charge.
        assert again.assembled(*lines(1, first=5), allow_repeats=True)[1]


def test_product_invoices_after_the_copy_are_not_issued_again(store):
    batch = store.approved(2)
    path = copied(store)
    store.run(release_batch, batch)
    posts = store.posts()
    with restored(store, path) as again:
        assert again.run(compare_restored).ending is Ending.DONE
        assert again.states(batch) == ["in_doubt"] * 2
        again.run(release_batch, batch)
        assert set(again.states(batch)) <= {"processing", "accepted"}
        assert again.posts() == posts == 2


def test_planned_product_invoices_in_the_copy_are_issued_once(store):
    """The copy knows them as planned, with their numbers; they were approved and issued after it."""
    batch = store.planned(2)
    path = copied(store)
    issue(store, batch)
    posts = store.posts()
    with restored(store, path) as again:
        assert again.run(compare_restored).ending is Ending.DONE
        for _ in range(3):
            issue(again, batch)
            again.write(let_quiet_time_pass)
        assert set(again.states(batch)) <= {"processing", "accepted"}
        assert again.posts() == posts == 2
        assert again.read(verify).is_sound


def issue(store, batch):
    store.run(stage_batch, batch)
    store.approve()
    store.run(release_batch, batch)


def test_orders_invoiced_after_the_copy_are_not_invoiced_again(store):
    """They were dropped and issued after the copy, which does not know them; then everything is dropped again."""
    store.processed(2)
    path = copied(store)
    issue(store, store.sold(*sales(2, first=3))[1][0])
    with restored(store, path) as again:
        result = again.run(compare_restored)
        assert result.ending is Ending.DISTURBED
        assert sorted(remarks(result)) == ["restore.invoice_unknown"] * 2 + ["restore.serie_ahead"]
        with again.context() as context:
            assert lift_quarantine(context, person="Ana", because="both stand in the provider's page") == []
        reading, batches = again.sold(*sales(5))
        assert [problem for problems in again.problems(reading).values() for problem in problems] == [
            *["row.living"] * 2,
            *["product.billed_before_loss"] * 2,
        ]
        issue(again, *batches)
        assert again.numbers_held() == [1, 2, 3, 4, 5]
        assert again.record()["violations"] == []
        assert again.read(verify).is_sound


@pytest.mark.parametrize(
    ("moment", "dropped"), [("planned", "again"), ("planned", "in another file"), ("approved", "again")]
)
def test_regrouped_rows_after_the_copy_are_not_billed_twice(shop, moment, dropped):
    """The same sheet, dropped again, gives its plan the name of the first plan, apart from the nonce."""
    batch = getattr(shop, moment)(3)
    path = copied(shop)
    stage(shop, batch)
    take_back(shop, batch)
    file_id = shop.file(1) if dropped == "again" else None
    finish(shop, shop.assembled(*lines(3), file_id=file_id)[1][0])
    there = numbers_there(shop)
    with restored(shop, path) as again:
        free(again)
        stage(again, batch)
        assert again.batch(batch).state == "disturbed"
        assert {"batch.note_vanished", "batch.billed_before_loss"} & set(again.incidents())
        assert numbers_there(again) == there == [4, 5, 6]
        # When the file is taken back and dropped again, each row names the note that it resembles.
        take_back(again, batch)
        reading, planned = again.assembled(*lines(4))
        assert list(again.problems(reading).values()) == [["row.billed_before_loss"]] * 3
        stage(again, *planned)
        assert len(numbers_there(again)) == 4


def test_an_invoice_issued_after_the_copy_cannot_be_discarded(shop):
    batch = shop.planned(2)
    path = copied(shop)
    finish(shop, batch)
    with restored(shop, path) as again:
        again.run(compare_restored)
        stage(again, batch)
        again.decide(batch, "discard")
        assert remarks(again.run(discard_batch, batch)) == ["batch.unsettled"]
        again.decide(batch, "sent")
        again.follow(batch)
        assert again.states(batch) == ["accepted"] * 2


def test_a_person_may_say_that_they_are_other_charges_after_all(shop):
    batch = shop.planned(2)
    path = copied(shop)
    stage(shop, batch)
    take_back(shop, batch)
    finish(shop, shop.assembled(*lines(2))[1][0])
    with restored(shop, path) as again:
        free(again)
        stage(again, batch)
        assert again.incidents() == ["batch.billed_before_loss"]
        again.decide(batch, "open")
        finish(again, batch)
        assert len(numbers_there(again)) == 4
        assert again.read(verify).is_sound


def test_late_drafts_billed_after_the_copy_are_not_billed_twice(shop):
    shop.post_as_somebody_else(number=7)
    reading = shop.reading(*lines(3))
    shop.run(resolve_rows, reading)
    with pytest.raises(FaturistaError):
        shop.run(assemble_rows, reading)
    path = copied(shop)
    with shop.context() as context:
        start_serie(context, emitter_cnpj=lines(1)[0].emitter_cnpj or "", serie="F", start=8, person="Ana")
    shop.run(assemble_rows, reading)
    finish(shop, shop.batches()[0].id)
    there = numbers_there(shop)
    with restored(shop, path) as again:
        free(again)
        again.run(resume_reading, reading)
        stage(again, again.batches()[0].id)
        assert again.incidents() == ["batch.billed_before_loss"]
        assert numbers_there(again) == there


@pytest.mark.parametrize("moment", ["planned", "approved"])
def test_regrouped_orders_after_the_copy_are_not_invoiced_twice(store, moment):
    batch = getattr(store, moment)(2)
    path = copied(store)
    store.run(stage_batch, batch)
    take_back(store, batch)
    issue(store, store.sold(*sales(2))[1][0])
    with restored(store, path) as again:
        free(again)
        for _ in range(3):
            issue(again, batch)
            again.write(let_quiet_time_pass)
        assert again.incidents() == ["batch.billed_before_loss"]
        assert again.numbers_held() == [3, 4]
        take_back(again, batch)
        assert again.batch(batch).state == "discarded"


@pytest.mark.parametrize("known", ["nobody", "the emitter"])
def test_invoices_of_an_unknown_serie_are_shown(shop, known):
    if known == "the emitter":
        shop.run(resolve_rows, shop.reading(*lines(1)))
    path = copied(shop)
    finish(shop, shop.assembled(*lines(3))[1][0])
    with restored(shop, path) as again:
        result = again.run(compare_restored)
        assert (result.ending, remarks(result)) == (Ending.DISTURBED, ["restore.note_unknown"] * 3)
        free(again)
        assert again.assembled(*lines(3))[1] == []
        stage(again, *again.assembled(*lines(1, first=7))[1])
        assert numbers_there(again) == [1, 2, 3, 4]


def test_invoices_of_an_unknown_issuer_are_shown(store):
    path = copied(store)
    issue(store, store.planned(2))
    with restored(store, path) as again:
        assert remarks(again.run(compare_restored)) == ["restore.invoice_unknown"] * 2
        free(again)
        assert again.sold(*sales(2))[1] == []


def free(again):
    """Free the ledger as a person who has read the comparison's findings."""
    again.run(compare_restored)
    with again.context() as context:
        lift_quarantine(context, person="Ana", because="they stand in the provider's page")


def take_back(shop, batch):
    shop.decide(batch, "discard")
    assert shop.run(discard_batch, batch).ending is Ending.DONE


def test_without_a_look_up_a_person_is_asked(store):
    store.set(PRODUCTS__EXTENSIONS="false")
    store.approved(2)
    with restored(store, copied(store)) as again:
        expected = ["restore.sales_unseen", "restore.unknowable"]
        assert remarks(again.run(compare_restored)) == expected
        # The findings matter later, too: nothing holds back a file that is dropped again.
        with again.context() as context:
            assert [each.code for each in lift_quarantine(context, person="Ana", because="x")] == expected[:1]


def test_the_ledger_of_another_provider_is_not_freed(shop):
    shop.staged(2)
    path = copied(shop)
    shop.sandbox.control("reset")
    with restored(shop, path) as again:
        assert "restore.batch_vanished" in remarks(again.run(compare_restored))


def test_nobody_frees_a_ledger_that_was_not_looked_at(shop):
    shop.staged(2)
    with shop.context() as context, pytest.raises(FaturistaError) as caught:
        lift_quarantine(context, person="Ana", because="x")
    assert caught.value.problem.code == "ledger.not_quarantined"
    with restored(shop, copied(shop)) as again, again.context() as context:
        with pytest.raises(FaturistaError) as caught:
            lift_quarantine(context, person="Ana", because="x")
        assert caught.value.problem.code == "ledger.not_compared"
