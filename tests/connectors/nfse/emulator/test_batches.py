"""Batches: filled, sent or cancelled as one, counted."""

import pytest

from tests.sandboxes import RIO


def properties(provider, batch):
    return {name: n for name, n in provider.get(f"batches/{batch}")["properties"].items() if n}


def test_new_batch_has_all_counters_at_zero(provider):
    status, batch, headers = provider.call("POST", "/api/v1/batches", {"emitter_id": RIO, "name": "11/2026"})
    assert (status, batch["status"], batch["name"]) == (201, "created", "11/2026")
    assert set(batch["properties"].values()) == {0}
    assert len(batch["properties"]) == 8
    assert headers["location"] == f"{provider.base_url}/api/v1/batches/{batch['id']}"


def test_batch_needs_an_emitter_and_a_name(provider):
    assert set(provider.post("batches")[1]) == {"emitter_id", "name"}
    assert set(provider.post("batches", {"emitter_id": 99, "name": "x"})[1]) == {"emitter_id"}


def test_batches_are_found_by_exact_name(provider):
    for name in ("A", "A B", "A"):
        provider.open_batch(name=name)
    assert provider.get("batches?name=A")["count"] == 2
    assert provider.get("batches?name=A%20B&emitter_id=1&status=created")["count"] == 1
    assert provider.get("batches?name=A&emitter_id=2")["count"] == 0


def test_send_schedules_every_note(provider):
    provider.switch(advance="looks", advance_looks=100)
    batch = provider.filled_batch(3)
    assert properties(provider, batch) == {"created": 3, "total": 3}
    status, shown = provider.post(f"batches/{batch}/send")
    assert (status, shown["status"], shown["properties"]["scheduled"]) == (202, "scheduled", 3)


def test_batch_is_processed_when_all_notes_are(provider):
    batch = provider.filled_batch(3)
    provider.post(f"batches/{batch}/send")
    assert properties(provider, batch) == {"accepted": 3, "total": 3}
    history = provider.get(f"batches/{batch}/history")["collection"]
    assert [(entry["from_status"], entry["to_status"]) for entry in history] == [
        (None, "created"),
        ("created", "scheduled"),
        ("scheduled", "processing"),
        ("processing", "processed"),
    ]
    assert history[0]["batch"]["id"] == batch


@pytest.mark.parametrize("verb", ["send", "cancel"])
def test_empty_or_sent_batches_refuse(provider, verb):
    empty = provider.open_batch()
    assert list(provider.post(f"batches/{empty}/{verb}")[1]) == ["batch"]
    sent = provider.filled_batch(1)
    provider.post(f"batches/{sent}/send")
    status, errors = provider.post(f"batches/{sent}/{verb}")
    assert (status, list(errors)) == (422, ["batch"])


def test_a_cancelled_batch_and_its_notes_end_cancelled(provider):
    provider.switch(cancellation="refuse")  # A city decides nothing about an unsent batch.
    batch = provider.filled_batch(2)
    status, shown = provider.post(f"batches/{batch}/cancel")
    assert (status, shown["status"]) == (202, "scheduled")
    assert properties(provider, batch) == {"cancelled": 2, "total": 2}
    assert provider.get(f"batches/{batch}")["status"] == "processed"


def test_incomplete_notes_are_not_sent(provider):
    batch = provider.filled_batch(1)
    provider.post("nfse", {"emitter_id": RIO, "batch_id": batch, "allow_incomplete": True})
    provider.post(f"batches/{batch}/send")
    assert properties(provider, batch) == {"created": 1, "accepted": 1, "total": 2}


def test_counters_may_lag(provider):
    batch = provider.filled_batch(2)
    provider.faults({"operation": "batches.read", "kind": "lagging_counters", "seconds": 60})
    assert properties(provider, batch) == {}
    assert properties(provider, batch) == {"created": 2, "total": 2}


def test_a_batch_has_no_notes_to_post_to_and_no_put_or_delete(provider):
    batch = provider.open_batch()
    status, body, headers = provider.call("POST", f"/api/v1/batches/{batch}/nfse", {})
    assert (status, list(body), headers["allow"]) == (405, ["detail"], "GET, HEAD, OPTIONS")
    assert provider.call("PUT", f"/api/v1/batches/{batch}", {})[0] == 405
    assert provider.call("DELETE", f"/api/v1/batches/{batch}")[0] == 405
    assert provider.call("OPTIONS", f"/api/v1/batches/{batch}/send")[2]["allow"] == "POST, OPTIONS"
