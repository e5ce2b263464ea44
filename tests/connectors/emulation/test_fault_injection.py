"""Every fault as a client sees it on a real socket, and what the provider has done by then."""

import json
import socket
import time

import pytest

CREATE = json.dumps({"emitter_id": 1, "name": "Lote"}).encode()
HEAD = (
    "POST /api/v1/batches HTTP/1.1\r\nHost: here\r\nAuthorization: Basic c2FuZGJveC10b2tlbjp4\r\n"
    f"Content-Type: application/json\r\nContent-Length: {len(CREATE)}\r\n\r\n"
).encode()
CLOSED, RESET = "closed", "reset"


def connect(sandbox):
    host, port = sandbox.base_url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=120)


def exchange(sandbox, connection=None):
    """Return the answer to one POST, and how the connection ended (None: it is still open)."""
    wire = connection or connect(sandbox)
    received = b""
    try:
        wire.sendall(HEAD + CREATE)
        while not is_whole(received):
            part = wire.recv(65536)
            if not part:
                return received, CLOSED
            received += part
    except ConnectionError:
        return received, RESET
    finally:
        if connection is None:
            wire.close()
    return received, None


def is_whole(received):
    head, blank, body = received.partition(b"\r\n\r\n")
    if not blank:
        return False
    length = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return bool(length) and len(body) >= int(length[0].split(b":")[1])


def batches(sandbox):
    return len(sandbox.record()["batches"])


@pytest.mark.parametrize(
    ("rule", "ending", "done"),
    [
        ({"kind": "reset_before"}, RESET, 0),
        ({"kind": "reset_after"}, RESET, 0),
        ({"kind": "close_after"}, CLOSED, 0),
        ({"kind": "lose_answer"}, CLOSED, 1),
        ({"kind": "lose_answer", "how": "reset"}, RESET, 1),
        ({"kind": "hang", "seconds": 0.05}, CLOSED, 1),
    ],
)
@pytest.mark.parametrize("is_reused", [False, True])
def test_connection_ends_without_a_byte(sandbox, rule, ending, done, is_reused):
    with connect(sandbox) as connection:
        if is_reused:
            assert exchange(sandbox, connection)[1] is None
        sandbox.faults({"operation": "batches.create"} | rule)
        assert exchange(sandbox, connection) == (b"", ending)
    assert batches(sandbox) == done + is_reused
    requests = sandbox.record(requests=True)["requests"]
    assert (requests[-1]["operation"], requests[-1]["fault"]) == ("batches.create", rule["kind"])
    assert exchange(sandbox)[1] is None


def test_truncated_answer_has_its_head_and_half_of_its_body(sandbox):
    sandbox.faults({"operation": "batches.create", "kind": "truncated"})
    received, ending = exchange(sandbox)
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(next(line for line in head.split(b"\r\n") if line.startswith(b"Content-Length")).split(b":")[1])
    assert head.startswith(b"HTTP/1.1 201 ")
    assert (len(body), ending, batches(sandbox)) == (length // 2, CLOSED, 1)


def test_truncated_head_is_no_answer(sandbox):
    sandbox.faults({"operation": "batches.create", "kind": "truncated_head"})
    received, ending = exchange(sandbox)
    assert received.startswith(b"HTTP/1.1 201 Created\r\n")
    assert (b"\r\n\r\n" in received, ending, batches(sandbox)) == (False, CLOSED, 1)


@pytest.mark.parametrize(("when", "done"), [("before", 0), ("after", 1)])
@pytest.mark.parametrize("status", [500, 503, 429, 422])
def test_status_before_or_after_the_work(sandbox, status, when, done):
    sandbox.faults({"operation": "batches.*", "kind": f"status_{status}", "when": when})
    received, ending = exchange(sandbox)
    assert received.startswith(f"HTTP/1.1 {status} ".encode())
    assert (b"Retry-After" in received, ending, batches(sandbox)) == (status in (503, 429), None, done)


def test_malformed_and_altered_answers(sandbox):
    sandbox.faults(
        {"operation": "batches.create", "kind": "malformed"},
        {"operation": "batches.create", "kind": "altered", "fields": {"name": "Outro", "properties": {"total": 9}}},
    )
    received, ending = exchange(sandbox)
    assert (received.startswith(b"HTTP/1.1 201 "), ending) == (True, None)
    with pytest.raises(ValueError, match=r"Expecting|Unterminated"):
        json.loads(received.partition(b"\r\n\r\n")[2])
    altered = json.loads(exchange(sandbox)[0].partition(b"\r\n\r\n")[2])
    assert (altered["name"], altered["properties"]["total"], altered["properties"]["created"]) == ("Outro", 9, 0)
    assert batches(sandbox) == 2


def test_late_answer_is_for_work_done_at_once(sandbox):
    sandbox.faults({"operation": "batches.create", "kind": "late", "seconds": 30})
    with connect(sandbox) as impatient:
        impatient.sendall(HEAD + CREATE)
        until(lambda: batches(sandbox) == 1)


def test_slow_work_is_done_although_the_client_has_left(sandbox):
    sandbox.faults({"operation": "batches.create", "kind": "slow", "seconds": 0.3})
    with connect(sandbox) as impatient:
        impatient.sendall(HEAD + CREATE)
        until(lambda: sandbox.control("faults")[0]["applied"] == 1)
    assert batches(sandbox) == 0
    until(lambda: batches(sandbox) == 1)


def until(holds):
    for _ in range(500):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("waited in vain")


@pytest.mark.parametrize(("kind", "ending"), [("close_accept", CLOSED), ("reset_accept", RESET)])
def test_connection_refused_after_it_was_accepted(sandbox, kind, ending):
    with connect(sandbox) as control:
        body = json.dumps([{"operation": "connection", "kind": kind}]).encode()
        head = f"POST /_sandbox/faults HTTP/1.1\r\nHost: here\r\nContent-Length: {len(body)}\r\n\r\n"
        control.sendall(head.encode() + body)
        assert control.recv(65536).startswith(b"HTTP/1.1 200 ")
        assert how_it_ends(sandbox) == ending
    assert exchange(sandbox)[1] is None


def how_it_ends(sandbox):
    try:
        with connect(sandbox) as victim:
            return CLOSED if victim.recv(1) == b"" else None
    except ConnectionResetError:  # A quick reset may hit the client while it still connects.
        return RESET


def test_latency_of_every_answer_is_a_switch(sandbox):
    sandbox.switch(fixed_latency_ms=30_000)
    with connect(sandbox) as impatient:
        impatient.sendall(HEAD + CREATE)
        until(lambda: batches(sandbox) == 1)


def test_a_wrong_content_type_comes_with_the_true_answer(sandbox):
    sandbox.faults({"operation": "account.read", "kind": "content_type"})
    found = [sandbox.call("GET", "/api/v1")[1:] for _ in range(2)]
    assert [headers["content-type"] for _, headers in found] == ["text/html", "application/json"]
    assert found[0][0] == found[1][0]


def test_too_many_requests_say_when_to_come_back(sandbox):
    sandbox.faults({"operation": "*", "kind": "status_429", "seconds": 7})
    status, _, headers = sandbox.call("GET", "/api/v1")
    assert (status, headers["retry-after"]) == (429, "7")


def test_held_work_begins_at_a_release(sandbox):
    sandbox.faults(
        {"operation": "batches.create", "kind": "held"}, {"operation": "batches.create", "kind": "release", "after": 2}
    )
    assert exchange(sandbox) == (b"", CLOSED)
    assert exchange(sandbox)[1] is None
    assert batches(sandbox) == 1
    assert exchange(sandbox)[1] is None
    until(lambda: batches(sandbox) == 3)


def test_held_work_begins_after_its_seconds(sandbox):
    sandbox.faults({"operation": "batches.create", "kind": "held", "seconds": 0.05})
    assert exchange(sandbox) == (b"", CLOSED)
    until(lambda: batches(sandbox) == 1)
