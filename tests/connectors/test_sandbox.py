"""The sandbox as a process: its state, its port, its control verbs."""

import socket
import subprocess
import sys

import pytest

from connectors.sandbox import build_sandbox
from tests.sandboxes import ROOT, note_body, running_sandbox


def test_the_same_provider_after_a_kill(tmp_path):
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


def test_second_sandbox_on_the_same_state_is_refused(tmp_path):
    state = tmp_path / "sandbox.db"
    with running_sandbox(state=state):
        command = [sys.executable, "-m", "connectors.sandbox", "--port", "0", "--state", str(state)]
        second = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert second.returncode != 0
    assert "another sandbox" in second.stderr
    assert "Traceback" not in second.stderr


def test_port_in_use_is_refused(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "connectors.sandbox", "--port", port]
        second = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert second.returncode != 0
    assert port in second.stderr
    assert "Traceback" not in second.stderr


def test_stops_in_good_order_and_frees_its_state(tmp_path):
    state = tmp_path / "sandbox.db"
    for _ in range(2):
        with running_sandbox(state=state, in_thread=True) as sandbox:
            assert sandbox.call("GET", "/api/v1")[0] == 200


def test_without_a_state_file_everything_is_forgotten():
    for _ in range(2):
        with running_sandbox(in_thread=True) as sandbox:
            assert sandbox.call("POST", "/api/v1/nfse", note_body(1))[1]["id"] == 1


@pytest.mark.parametrize(
    ("method", "verb", "body", "status"),
    [
        ("GET", "nonsense", None, 404),
        ("GET", "reset", None, 404),
        ("POST", "switches", {"gab": "refuse"}, 400),
        ("POST", "faults", [{"operation": "*"}], 400),
        ("POST", "faults", {"operation": "*"}, 400),
        ("POST", "clock", {}, 400),
        ("POST", "act", None, 400),
    ],
)
def test_control_refuses_nonsense_in_words(method, verb, body, status):
    with running_sandbox(in_thread=True) as sandbox:
        answered, answer, _ = sandbox.call(method, f"/_sandbox/{verb}", body)
    assert (answered, list(answer)) == (status, ["detail"])


def test_reset_is_a_first_start():
    with running_sandbox(in_thread=True, gap="refuse") as sandbox:
        sandbox.faults({"operation": "*", "kind": "late"})
        sandbox.control("clock", {"ahead_s": 60})
        sandbox.call("POST", "/api/v1/nfse", note_body(1))
        sandbox.control("reset")
        assert sandbox.record()["notes"] == []
        assert sandbox.control("faults") == []
        assert sandbox.control("switches")["gap"] == "accept"
        assert sandbox.control("clock", {"ahead_s": 0}) == {"ahead_s": 0}


def test_application_can_be_built_without_a_socket():
    assert build_sandbox().routes
