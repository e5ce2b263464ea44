"""The sandbox from the command line: a mistake is a line, never a traceback."""

import socket
import subprocess
import sys

from tests.sandboxes import ROOT, running_sandbox


def test_second_sandbox_on_the_same_state_is_refused(tmp_path):
    state = tmp_path / "sandbox.db"
    with running_sandbox(state=state):
        command = [sys.executable, "-m", "connectors.sandbox", "--port", "0", "--state", str(state)]
        second = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert second.returncode != 0
    assert "another sandbox" in second.stderr
    assert "Traceback" not in second.stderr


def test_port_in_use_is_refused(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "connectors.sandbox", "--port", port]
        second = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert second.returncode != 0
    assert port in second.stderr
    assert "Traceback" not in second.stderr
