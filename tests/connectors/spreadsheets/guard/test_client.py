"""Whatever a file does to the process that opens it, our process continues and has an answer."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from connectors.spreadsheets.guard import client
from connectors.spreadsheets.guard.bounds import Bounds
from connectors.spreadsheets.guard.client import GuardInterrupted, run_guarded
from domain.problems import InputError

BOUNDS = Bounds(cpu_s=60, wall_s=120.0, memory_bytes=1_000_000_000, result_bytes=10_000_000)
ROOT = Path(__file__).parents[4]


def run(job: str, content: bytes = b"", arguments: Any = None, *, bounds: Bounds = BOUNDS) -> Any:
    return run_guarded(f"tests.connectors.spreadsheets.guard.jobs:{job}", content, arguments, bounds=bounds)


def test_answer_and_results_come_back() -> None:
    with tempfile.TemporaryFile() as spool:
        job = "tests.connectors.spreadsheets.guard.jobs:echo"
        answer = run_guarded(job, b"abc" * 1_000_000, ["ã", 1], bounds=BOUNDS, spool=spool.fileno())
        assert os.pread(spool.fileno(), 3, 2_999_997) == b"abc"
    assert answer == {"length": 3_000_000, "arguments": ["ã", 1]}


def test_early_start_serves_the_first_file() -> None:
    client._close_all()
    client.start_early("tests.connectors.spreadsheets.guard.jobs:echo")
    (server,) = client._servers
    assert run("echo", b"abc") == {"length": 3, "arguments": None}
    assert client._servers == [server]


def test_early_start_of_a_dead_server_breaks_nothing() -> None:
    client.start_early("tests.connectors.spreadsheets.guard.no_such_module:echo")
    client.start_early("tests.connectors.spreadsheets.guard.jobs:echo")
    assert run("echo", b"abc") == {"length": 3, "arguments": None}


def test_refusal_comes_back_with_its_place_and_details() -> None:
    with pytest.raises(InputError) as refused:
        run("refuse")
    problem, (detail,) = refused.value.problem, refused.value.details
    assert (problem.code, problem.where.sheet, problem.where.row, detail.code) == ("file.damaged", "S", 3, "file.empty")


@pytest.mark.parametrize(
    ("job", "bounds"),
    [
        ("spin", replace(BOUNDS, cpu_s=1)),
        ("sleep", replace(BOUNDS, wall_s=0.3)),
        ("swell", BOUNDS),
        ("write", BOUNDS),
        ("crash", BOUNDS),
        ("abort", BOUNDS),
        ("leave", BOUNDS),
        ("fail", BOUNDS),
        ("recurse", BOUNDS),
        ("end_keeper", BOUNDS),
    ],
)
def test_file_that_ends_its_process_is_refused(job: str, bounds: Bounds) -> None:
    with pytest.raises(InputError) as refused:
        run(job, bounds=bounds)
    assert refused.value.problem.code == "file.too_hard"
    assert run("echo", b"x")["length"] == 1


@pytest.mark.parametrize(
    "nonsense", ["", "[1]", "nonsense", '{"refused": 1, "details": []}', "[" * 100_000, "{}", "\n0\n"]
)
def test_nonsense_is_no_answer(nonsense: str) -> None:
    with pytest.raises(InputError) as refused:
        run("speak_nonsense", arguments=nonsense)
    assert refused.value.problem.code == "file.too_hard"


@pytest.mark.parametrize("job", ["be_ended", "fill_disk"])
def test_process_ended_from_outside_says_nothing_of_the_file(job: str) -> None:
    with pytest.raises(GuardInterrupted):
        run(job)


def test_server_that_was_killed_is_started_again() -> None:
    run("echo")
    os.kill(client._servers[0]._process.pid, signal.SIGKILL)
    assert run("echo", b"xy")["length"] == 2


def test_guarded_process_holds_no_secret_and_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FATURISTA_NFSE_TOKEN", "secret")
    client._forget(client._server())
    ours, theirs = socket.socketpair()
    with ours, theirs:
        found = run("look_around")
    assert not [name for name in found["environment"] if name.startswith("FATURISTA")]
    assert not [name for name in found["opened"] if name.startswith("socket")]


def test_many_threads_share_one_server() -> None:
    with ThreadPoolExecutor(8) as threads:
        found = [*threads.map(lambda n: run("echo", b"x" * n)["length"], range(24))]
    assert found == [*range(24)]
    assert len(client._servers) == 1


@pytest.mark.parametrize("is_ended", [False, True])
def test_a_fork_uses_its_parents_server(*, is_ended: bool) -> None:
    run("echo")
    server = client._servers[0]
    go, come = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.read(go, 1)
            is_answered = run("echo", b"abc")["length"] == 3
            os._exit(int(is_answered and (client._servers[0] is server) != is_ended))
        finally:
            os._exit(99)
    if is_ended:
        client._forget(server)
    os.write(come, b"x")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    os.close(go)
    os.close(come)
    assert run("echo", b"x")["length"] == 1


def test_nothing_goes_on_when_its_caller_is_killed(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    call = f"""
from tests.connectors.spreadsheets.guard.test_client import run
run("sleep", arguments={str(pid_file)!r})
"""
    with subprocess.Popen([sys.executable, "-c", call], cwd=ROOT) as caller:
        deadline = time.monotonic() + 600
        while not (pid_file.exists() and pid_file.read_text(encoding="ascii")):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        caller.kill()
    worker = Path("/proc") / pid_file.read_text(encoding="ascii")
    while worker.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
