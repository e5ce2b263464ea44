"""A listing is reliable only if nothing changed during it."""

import pytest

from configs.load import load_settings
from connectors.http.errors import Unreadable
from tasks.issuance.listing import Listing, Unstable, list_stably
from tasks.runtime import Runtime
from tasks.stations.stage import stage_batch
from tests.tasks.workshop import PROFILE, Workshop, fault


async def listed(runtime: Runtime, remote_id: int) -> Listing:
    return await list_stably(runtime, runtime.staging("nfse"), remote_id)


def test_all_pages_between_two_equal_counters(shop: Workshop):
    remote = shop.remote(shop.staged(23))
    before = shop.asked("batches.read")
    listing = shop.run(listed, remote)
    assert {note.id for note in listing.notes} == {note["id"] for note in shop.there()}
    assert (len(listing.notes), listing.batch.counters.total) == (23, 23)
    assert (shop.asked("batches.read") - before, shop.asked("batches.notes")) == (2, 3)


@pytest.mark.parametrize("act", [{"do": "add"}, {"do": "delete", "note_id": 2}])
@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_a_note_moved_between_pages_restarts_the_listing(shop: Workshop, act, order):
    shop.sandbox.switch(list_order=order)
    remote = shop.remote(shop.staged(23))
    shop.sandbox.faults(fault("batches.notes", "act", act={**act, "batch_id": remote}))
    listing = shop.run(listed, remote)
    assert {note.id for note in listing.notes} == {note["id"] for note in shop.there()}
    assert shop.asked("batches.notes") == 2 * 3


def test_a_page_with_another_count_is_not_believed(shop: Workshop):
    remote = shop.remote(shop.staged(3))
    shop.sandbox.faults(fault("batches.notes", "altered", fields={"count": 4}))
    assert len(shop.run(listed, remote).notes) == 3
    assert shop.asked("batches.notes") == 2


def test_a_list_shorter_than_the_counter_is_not_believed(shop: Workshop):
    """The pages agree with each other, but the counter before and after them knows one more."""
    remote = shop.remote(shop.staged(3))
    shop.sandbox.faults(fault("batches.read", "altered", count=2, fields={"properties": {"created": 4, "total": 4}}))
    assert len(shop.run(listed, remote).notes) == 3
    assert shop.asked("batches.notes") == 2


def test_a_counter_that_moves_without_the_total_is_not_believed(shop: Workshop):
    """Notes change their status during the listing: it may show some before and some after."""
    remote = shop.remote(shop.staged(3))
    shop.sandbox.faults(fault("batches.read", "altered", fields={"properties": {"created": 2, "scheduled": 1}}))
    assert len(shop.run(listed, remote).notes) == 3
    assert shop.asked("batches.notes") == 2


def test_a_batch_that_never_rests_is_given_up(shop: Workshop):
    batch = shop.staged(3)
    remote = shop.remote(batch)
    shop.sandbox.faults(fault("batches.notes", "act", count=99, act={"do": "add", "batch_id": remote}))
    with pytest.raises(Unstable) as raised:
        shop.run(listed, remote)
    assert raised.value.problem.code == "batch.unstable_listing"
    assert shop.asked("batches.notes") == load_settings(PROFILE).protocol.listing_tries


def test_a_partial_listing_is_stable_with_its_unread_entries(shop: Workshop):
    remote = shop.remote(shop.staged(3))
    page = shop.sandbox.call("GET", f"/api/v1/batches/{remote}/nfse")[1]["collection"]
    without_status = {name: value for name, value in page[1].items() if name != "status"}
    entries = {"collection": [page[0], without_status, None]}

    async def partial(runtime: Runtime) -> Listing:
        return await list_stably(runtime, runtime.staging("nfse"), remote, is_partial=True)

    shop.sandbox.faults(fault("batches.notes", "altered", fields=entries))
    listing = shop.run(partial)
    assert ([note.id for note in listing.notes], listing.unread_ids) == ([page[0]["id"]], (str(page[1]["id"]), "?"))
    # Whoever needs all invoices gets no listing: one of the entries may be the invoice that seems absent.
    shop.sandbox.faults(fault("batches.notes", "altered", fields=entries))
    with pytest.raises(Unreadable):
        shop.run(listed, remote)


def test_the_line_calls_a_person_when_a_batch_never_rests(shop: Workshop):
    batch = shop.planned(3)
    shop.sandbox.faults(
        fault("notes.create", "lose_answer"), fault("batches.notes", "act", count=99, act={"do": "add", "batch_id": 1})
    )
    assert shop.run(stage_batch, batch).ending == "disturbed"
    assert shop.incidents() == ["batch.unstable_listing"]
    assert shop.asked("notes.create") == 1
