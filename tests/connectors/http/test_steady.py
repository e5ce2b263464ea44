"""The steady clock agrees between processes and never goes back."""

import subprocess
import sys

from connectors.http.steady import steady_s


def test_two_processes_read_the_same_clock():
    before = steady_s()
    command = [sys.executable, "-c", "from connectors.http.steady import steady_s; print(steady_s())"]
    read = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert before <= read <= steady_s()
