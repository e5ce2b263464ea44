"""Supervised processes: started in order, restarted, stopped together, one log."""

import io
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deployments.processes import NotReady, Program, Supervisor

PATIENCE_S = 300


@pytest.fixture
def log() -> io.BytesIO:
    return io.BytesIO()


@pytest.fixture
def events() -> list[tuple[str, str]]:
    return []


@pytest.fixture
def supervisor(log: io.BytesIO, events: list[tuple[str, str]]) -> Iterator[Supervisor]:
    made = Supervisor(log, lambda event, name: events.append((event, name)))
    yield made
    made.close()


def python(name: str, code: str, is_ready: Callable[[], bool] = lambda: True) -> Program:
    return Program(name=name, command=[sys.executable, "-c", code], is_ready=is_ready, patience_s=PATIENCE_S)


def wait_until(is_true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_log_names_the_program_of_each_line(supervisor: Supervisor, log: io.BytesIO) -> None:
    supervisor.start(python("one", "print('hello'); input()"))
    wait_until(lambda: b"one      hello\n" in log.getvalue())


def test_dead_program_is_started_again(supervisor: Supervisor, events: list[tuple[str, str]]) -> None:
    supervisor.start(python("short", "import time; time.sleep(0.2)"))
    watching = threading.Thread(target=lambda: supervisor.watch(every_s=0.05))
    watching.start()
    wait_until(lambda: events.count(("restarted", "short")) >= 2)
    supervisor.stop()
    watching.join(PATIENCE_S)
    assert events[:3] == [("started", "short"), ("died", "short"), ("restarted", "short")]


def test_program_that_ends_at_its_start_is_reported(supervisor: Supervisor) -> None:
    with pytest.raises(NotReady) as raised:
        supervisor.start(python("broken", "raise SystemExit(1)", is_ready=lambda: False))
    assert raised.value.name == "broken"


def test_close_ends_a_program_and_its_children(log: io.BytesIO) -> None:
    supervisor = Supervisor(log, lambda *_: None)
    code = (
        "import subprocess, sys; c = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        "print(c.pid, flush=True); c.wait()"
    )
    supervisor.start(python("parent", code))
    wait_until(lambda: log.getvalue().endswith(b"\n"))
    child = int(log.getvalue().split()[-1])
    supervisor.close()
    wait_until(lambda: not _is_running(child))


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
