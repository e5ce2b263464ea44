"""The journal of single writes, and the counts of requests."""

from datetime import UTC, datetime

import pytest

from connectors.ledger import attempts, leases, request_counts
from tests.connectors.ledger import scene as scenes


def test_a_line_before_the_request_and_its_end_after(ledger):
    scene, lease = ledger.write(scenes.opened)
    line = ledger.write(attempts.begin, lease, "send")
    [open_line] = ledger.read(attempts.unanswered_attempts, scene.batch_id)
    assert (open_line.id, open_line.what, open_line.fence, open_line.outcome) == (line, "send", lease.fence, None)
    at = datetime.now(UTC)
    values = {"status": 503, "last_byte_at": at, "detail": "Doubtful"}
    assert ledger.write(attempts.end, line, "in_doubt", **values)
    [doubtful] = ledger.read(attempts.unanswered_attempts, scene.batch_id, "send")
    assert (doubtful.outcome, doubtful.status, doubtful.last_byte_at, doubtful.detail) == (
        "in_doubt", 503, at, "Doubtful",
    )  # fmt: skip
    assert ledger.read(attempts.unanswered_attempts, scene.batch_id, "create") == []


def test_a_line_is_closed_once_and_without_a_fence(ledger):
    scene, lease = ledger.write(scenes.opened)
    line = ledger.write(attempts.begin, lease, "delete", invoice_id=scene.invoice_ids[0])
    ledger.write(scenes.age_lease, scene.batch_id, 3600)
    assert ledger.write(attempts.end, line, "done", status=204)
    assert not ledger.write(attempts.end, line, "refused")
    [closed] = ledger.read(attempts.attempts_of, invoice_id=scene.invoice_ids[0])
    assert (closed.outcome, closed.status) == ("done", 204)
    assert ledger.read(attempts.unanswered_attempts, scene.batch_id) == []
    with pytest.raises(leases.FenceLost):
        ledger.write(attempts.begin, lease, "delete")
    with pytest.raises(ValueError):
        ledger.read(attempts.attempts_of)


def test_requests_are_summed_by_station(ledger):
    for station, requests in (("stage", 3), ("stage", 4), ("resolve", 2), ("reconcile", 5), ("release", 0)):
        ledger.write(request_counts.count_requests, station, requests)
    assert ledger.read(request_counts.requests_by_station) == {"reconcile": 5, "resolve": 2, "stage": 7}
