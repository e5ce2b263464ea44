"""Deliveries: each change once, in order, again after a failure, and never a delay for an answer."""

import threading

from tests.connectors.nfse.receivers import receiving

ISSUED = [("created", "scheduled"), ("scheduled", "processing"), ("processing", "accepted")]


def registered(provider, receiver):
    status, webhook = provider.post("webhooks", {"name": "Campainha", "url": receiver.url})
    assert status == 201
    return webhook["id"]


def test_every_change_is_delivered_in_order(provider, receiver):
    registered(provider, receiver)
    provider.post_note(1)
    assert receiver.until(3) == [(1, was, became) for was, became in ISSUED]
    link = receiver.deliveries[0].pop("_links")
    assert link == {"rel": "self", "method": "GET", "url": f"{provider.base_url}/api/v1/nfse/1"}


def test_staged_notes_are_reported_once_their_batch_is_sent(provider, receiver):
    registered(provider, receiver)
    batch = provider.filled_batch(2)
    provider.post(f"batches/{batch}/send")
    assert sorted(receiver.until(6)) == sorted((note, *change) for note in (1, 2) for change in ISSUED)


def test_time_passes_although_nobody_asks(provider, receiver):
    provider.switch(advance="seconds", advance_seconds=0.2)
    registered(provider, receiver)
    provider.post_note(1)
    assert receiver.until(3)[-1] == (1, "processing", "accepted")


def test_the_clock_may_be_put_ahead(provider, receiver):
    provider.switch(advance="seconds", advance_seconds=3600)
    registered(provider, receiver)
    provider.post_note(1)
    receiver.until(2)
    provider.control("clock", {"ahead_s": 3600})
    assert receiver.until(3)[-1] == (1, "processing", "accepted")


def test_three_further_attempts_follow_a_failure(provider, receiver):
    provider.switch(webhook_retry_seconds=0.01, advance="looks", advance_looks=100)
    registered(provider, receiver)
    receiver.statuses = [500, 404, 302]
    batch = provider.filled_batch(1)
    provider.post(f"batches/{batch}/send")
    assert receiver.until(4) == [(1, "created", "scheduled")] * 4


def test_there_is_no_fifth_attempt(provider, receiver):
    provider.switch(webhook_retry_seconds=0, advance="looks", advance_looks=1)
    registered(provider, receiver)
    receiver.statuses = [500] * 4
    batch = provider.filled_batch(1)
    provider.post(f"batches/{batch}/send")
    assert receiver.until(4) == [(1, "created", "scheduled")] * 4
    (delivery,) = provider.record(history=True)["webhook_deliveries"]
    assert (delivery["note_id"], delivery["status"], delivery["to_status"]) == (1, 500, "scheduled")
    provider.get("nfse/1")
    assert receiver.until(6)[4:] == [(1, was, became) for was, became in ISSUED[1:]]


def test_every_receiver_is_notified_without_waiting_for_others(provider, receiver):
    provider.switch(webhook_retry_seconds=60)
    with receiving() as other:
        registered(provider, receiver)
        registered(provider, other)
        other.statuses = [503]
        provider.post_note(1)
        receiver.until(3)
        assert len(other.until(3)) == 3


def test_a_removed_receiver_gets_nothing_more(provider, receiver):
    with receiving() as other:
        registered(provider, receiver)
        provider.call("DELETE", f"/api/v1/webhooks/{registered(provider, other)}")
        provider.post_note(1)
        receiver.until(3)
        assert other.deliveries == []


def test_a_receiver_that_hangs_holds_up_no_answer(provider, receiver):
    registered(provider, receiver)
    with receiver.lock:  # It answers nobody now.
        provider.post_note(1)
        assert provider.get("nfse/1")["status"] == "accepted"
        assert receiver.deliveries == []
    receiver.until(3)


def test_a_receiver_may_ask_the_provider_itself(provider, receiver):
    registered(provider, receiver)
    provider.post_note(1)
    asked = []
    thread = threading.Thread(target=lambda: asked.append(provider.get("nfse/1")["status"]))
    thread.start()
    thread.join(20)
    assert asked == ["accepted"]
    receiver.until(3)


def test_deliveries_go_astray_by_script(provider, receiver):
    registered(provider, receiver)
    provider.switch(advance="looks", advance_looks=2)
    batch = provider.filled_batch(3)
    provider.faults(
        {"operation": "webhook", "kind": "webhook_drop", "count": 1},
        {"operation": "webhook", "kind": "webhook_double", "count": 1},
    )
    provider.post(f"batches/{batch}/send")
    assert [note for note, *_ in receiver.until(3)] == [2, 2, 3]


def test_a_delivery_may_come_after_the_next_one(provider, receiver):
    registered(provider, receiver)
    provider.switch(advance="looks", advance_looks=2)
    batch = provider.filled_batch(3)
    provider.faults({"operation": "webhook", "kind": "webhook_reorder", "count": 1})
    provider.post(f"batches/{batch}/send")
    found = [note for note, *_ in receiver.until(3)]
    assert sorted(found) == [1, 2, 3]
    assert found[0] != 1


def test_a_held_back_batch_is_reported_at_the_end(provider, receiver):
    registered(provider, receiver)
    provider.faults({"operation": "webhook", "kind": "webhook_reorder", "share": 1.0})
    provider.post_note(1)
    assert sorted(receiver.until(3)) == sorted((1, *change) for change in ISSUED)


def test_nothing_is_queued_when_nobody_listens(provider):
    provider.post_note(1)
    assert provider.get("nfse/1")["status"] == "accepted"
