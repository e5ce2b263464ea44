"""A listed batch with entries that cannot be read: the others are settled, and none of ours counts as absent."""

from collections.abc import Callable
from typing import Any

import pytest

from connectors.ledger import incidents
from domain.states import InvoiceState
from tasks.stations.reconcile import recheck_batch, reconcile_batch
from tests.ageing import age
from tests.tasks.rows import lines
from tests.tasks.workshop import Workshop, fault, remarks

ACCEPTED, SCHEDULED = InvoiceState.ACCEPTED, InvoiceState.SCHEDULED
DAY_S = 86_401.0
NOWHERE = 777_777
"""An id that the provider does not have."""

Entry = dict[str, Any]


def without_status(entry: Entry) -> Entry:
    return {name: value for name, value in entry.items() if name != "status"}


def with_values(**values: Any) -> Callable[[Entry], Entry]:
    return lambda entry: {**entry, **values}


UNREADABLE: dict[str, Callable[[Entry], Entry | None]] = {
    "no item": lambda _entry: None,
    "no status": without_status,
    "an id of words": with_values(id="x"),
    "a number of words": with_values(number="uno"),
    "an amount of words": lambda entry: {
        **entry,
        "service_values": {**entry["service_values"], "service_amount": "R$ dez"},
    },
}


def entries_of(shop: Workshop, batch: int) -> list[Any]:
    """Return the provider's list of a batch, every note accepted."""
    listed = shop.sandbox.call("GET", f"/api/v1/batches/{shop.remote(batch)}/nfse")[1]["collection"]
    return [{**entry, "status": "accepted"} for entry in sorted(listed, key=lambda entry: int(entry["number"]))]


def list_with(shop: Workshop, batch: int, entries: list[Any], *others: Entry, count: int = 1) -> None:
    """Let the next listings show these entries, and add other faults."""
    shown = {"count": len(entries), "collection": entries}
    shop.sandbox.faults(fault("batches.notes", "altered", count=count, fields=shown), *others)


@pytest.mark.parametrize("kind", UNREADABLE)
def test_an_unreadable_entry_is_read_by_its_id(each_shop: Workshop, kind: str):
    shop = each_shop
    batch = shop.sent(4)
    entries = entries_of(shop, batch)
    entries[1] = UNREADABLE[kind](entries[1])
    list_with(shop, batch, entries)
    result = shop.run(reconcile_batch, batch)
    assert (result.ending, result.counts["accepted"], remarks(result)) == ("done", 4, [])
    assert (shop.states(batch), shop.incidents()) == ([ACCEPTED] * 4, [])


@pytest.mark.parametrize("kind", ["altered", "status_422", "status_500", "malformed"])
def test_a_note_that_nothing_shows_keeps_no_other_waiting(each_shop: Workshop, kind: str):
    shop = each_shop
    batch = shop.sent(4)
    entries = entries_of(shop, batch)
    entries[1] = without_status(entries[1])
    list_with(shop, batch, entries, fault("notes.read", kind, fields={"status": None}))
    result = shop.run(reconcile_batch, batch)
    assert (result.ending, remarks(result)) == ("waiting", ["batch.unreadable_notes"])
    assert shop.states(batch) == [ACCEPTED, SCHEDULED, ACCEPTED, ACCEPTED]
    (incident,) = shop.read(incidents.incidents_open, batch)
    assert (incident.code, incident.params) == ("batch.unreadable_notes", {"count": 1, "numbers": "F-2"})
    # In no case is the row free for another invoice.
    again, batches = shop.assembled(*lines(4))
    assert (batches, set(map(tuple, shop.problems(again).values()))) == ([], {("row.living",)})
    shop.follow(batch)
    assert (shop.states(batch), shop.incidents(), shop.asked("notes.create")) == ([ACCEPTED] * 4, [], 4)


@pytest.mark.parametrize("entry", [None, {"id": 77_777}, {"id": 77_777, "status": "accepted", "number": "x"}])
def test_a_foreign_unreadable_entry_is_reported(each_shop: Workshop, entry: Entry | None):
    shop = each_shop
    batch = shop.sent(3)
    shop.act("add", note_id=shop.there()[0]["id"], serie="X", number=1)
    entries = [*(each for each in entries_of(shop, batch) if each["serie"] != "X"), entry]
    list_with(shop, batch, entries)
    result = shop.run(reconcile_batch, batch)
    assert (result.ending, remarks(result)) == ("done", ["batch.unreadable_entries"])
    assert shop.states(batch) == [ACCEPTED] * 3
    shown = {each.code: each.params for each in shop.read(incidents.incidents_open, batch)}
    assert shown["batch.unreadable_entries"] == {"count": 1, "entries": "?" if entry is None else "77777"}
    # The next listing shows whose note it is.
    shop.write(age, DAY_S)
    shop.run(recheck_batch, batch)
    assert "batch.unreadable_entries" not in shop.incidents()
    assert "batch.foreign_note" in shop.incidents()


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("no item", "batch.unreadable_entries"),
        ("an id of words", "batch.unreadable_entries"),
        ("no status", "batch.unreadable_notes"),
    ],
)
def test_an_unreadable_entry_is_never_absent(shop: Workshop, kind: str, code: str):
    """The provider says by id that it has no such note, but the entry in its list may be that note."""
    batch = shop.sent(3)
    entries = entries_of(shop, batch)
    shop.tamper(f"UPDATE invoices SET remote_id = {NOWHERE} WHERE number = 2")
    entries[1] = UNREADABLE[kind]({**entries[1], "id": NOWHERE})
    list_with(shop, batch, entries, count=99)
    for _ in range(2):
        result = shop.run(reconcile_batch, batch)
        assert (result.ending, remarks(result), shop.incidents()) == ("waiting", [code], [code])
        assert shop.states(batch) == [ACCEPTED, SCHEDULED, ACCEPTED]
    again, batches = shop.assembled(*lines(3))
    assert (batches, set(map(tuple, shop.problems(again).values()))) == ([], {("row.living",)})
    # A list that can be read proves that the note is gone.
    fewer = {**shop.sandbox.call("GET", f"/api/v1/batches/{shop.remote(batch)}")[1]["properties"], "total": 2}
    counted = fault("batches.read", "altered", count=99, fields={"properties": fewer})
    list_with(shop, batch, [entries[0], entries[2]], counted)
    assert shop.run(reconcile_batch, batch).ending == "done"
    assert shop.incidents() == ["batch.counters_differ", "batch.note_vanished"]


def test_an_unknown_status_keeps_no_other_waiting(each_shop: Workshop):
    shop = each_shop
    batch = shop.sent(4)
    entries = entries_of(shop, batch)
    entries[1]["status"] = "waiting for rain"
    list_with(shop, batch, entries)
    result = shop.run(reconcile_batch, batch)
    assert (result.ending, remarks(result)) == ("waiting", ["batch.unknown_status"])
    assert (shop.states(batch), shop.incidents()) == (
        [ACCEPTED, SCHEDULED, ACCEPTED, ACCEPTED],
        ["batch.unknown_status"],
    )
    shop.follow(batch)
    assert shop.states(batch) == [ACCEPTED] * 4


def test_a_list_that_is_never_whole_still_settles_notes(each_shop: Workshop):
    """The list has one entry more than the batch's counter, for ever: it proves no absence, but it shows notes."""
    shop = each_shop
    batch = shop.sent(3)
    list_with(shop, batch, [*entries_of(shop, batch), {"id": 77_777}], count=99)
    result = shop.run(reconcile_batch, batch)
    assert (result.ending, remarks(result), shop.incidents()) == (
        "waiting",
        ["batch.unstable_listing"],
        ["batch.unstable_listing"],
    )
    assert (shop.states(batch), shop.batch(batch).state) == ([ACCEPTED] * 3, "scheduled")


def test_a_page_that_repeats_for_ever_is_reported(each_shop: Workshop):
    shop = each_shop
    batch = shop.sent(11)
    repeated = {"count": 10, "collection": entries_of(shop, batch), "next": "/api/v1/batches/1/nfse?page=2"}
    before = shop.asked("batches.notes")
    shop.sandbox.faults(fault("batches.notes", "altered", count=99, fields=repeated))
    result = shop.run(reconcile_batch, batch)
    assert (result.ending, remarks(result)) == ("waiting", ["provider.unreadable"])
    (incident,) = shop.read(incidents.incidents_open, batch)
    assert incident.params["facts"] == f"GET batches/{shop.remote(batch)}/nfse, 200, 20 items of 10"
    # The notes that it shows are settled.
    assert (shop.states(batch).count(ACCEPTED), shop.asked("batches.notes") - before) == (10, 4)


def test_a_recount_with_an_unreadable_entry_sees_the_others(each_shop: Workshop):
    shop = each_shop
    batch = shop.processed(3)
    shop.act("cancel", note_id=shop.notes(batch)[2].remote_id)
    entries = entries_of(shop, batch)
    entries[2]["status"] = "cancelled"
    entries[0] = without_status(entries[0])
    list_with(shop, batch, entries, fault("notes.read", "altered", fields={"status": None}))
    result = shop.run(recheck_batch, batch)
    assert (result.ending, dict(result.counts)) == ("done", {"cancelled": 1})
    assert shop.states(batch) == [ACCEPTED, ACCEPTED, InvoiceState.CANCELLED]
    assert sorted(shop.incidents()) == ["batch.unreadable_notes", "state.not_commanded"]
