"""The sandbox as a process: it keeps its state after a restart, and it ends cleanly."""

import os
import signal
import threading
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from tests.sandboxes import note_body, running_sandbox

FROZEN_S = 3.0


def test_a_killed_provider_continues_from_its_state(tmp_path):
    state = tmp_path / "sandbox.db"
    with running_sandbox(state=state, advance="looks") as sandbox:
        batch = sandbox.call("POST", "/api/v1/batches", {"emitter_id": 1, "name": "Lote"})[1]["id"]
        note = sandbox.call("POST", "/api/v1/nfse", note_body(1, batch=batch))[1]["id"]
        sandbox.faults({"operation": "notes.read", "kind": "status_500", "count": 2})
        assert sandbox.call("GET", f"/api/v1/nfse/{note}")[0] == 500
        before = sandbox.record(requests=True, history=True)
        sandbox.kill()
    with running_sandbox(state=state) as sandbox:
        assert sandbox.record(requests=True, history=True) == before
        assert sandbox.control("switches")["advance"] == "looks"
        assert sandbox.call("GET", f"/api/v1/nfse/{note}")[0] == 500
        assert sandbox.call("GET", f"/api/v1/nfse/{note}")[1]["number"] == 1


def test_stops_in_good_order_and_frees_its_state(tmp_path):
    state = tmp_path / "sandbox.db"
    for _ in range(2):
        with running_sandbox(state=state, in_thread=True) as sandbox:
            assert sandbox.call("GET", "/api/v1")[0] == 200


def test_without_a_state_file_everything_is_forgotten():
    for _ in range(2):
        with running_sandbox(in_thread=True) as sandbox:
            assert sandbox.call("POST", "/api/v1/nfse", note_body(1))[1]["id"] == 1


def test_an_answer_has_the_time_of_its_request_and_not_an_older_one():
    with running_sandbox() as sandbox:
        assert sandbox.process
        sandbox.call("GET", "/api/v1")
        sandbox.process.send_signal(signal.SIGSTOP)
        time.sleep(FROZEN_S)
        asked_at = datetime.now(UTC).replace(microsecond=0)
        thaw = threading.Timer(0.2, os.kill, (sandbox.process.pid, signal.SIGCONT))
        thaw.start()
        _, _, headers = sandbox.call("GET", "/api/v1")
        thaw.join()
    assert parsedate_to_datetime(headers["date"]) >= asked_at
