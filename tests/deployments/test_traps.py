"""Three version traps, sprung by an install that looks right: a server that does not start, a flow that does not run,
and a schedule that silently never fires. A real server on loopback, with the settings that ship, shows none of them.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
import yaml

from tests.house.tree import ROOT

pytestmark = pytest.mark.prefect

START_PATIENCE_S = 180  # migrations of a first start take a dozen seconds on two quiet cores
SCHEDULE_PATIENCE_S = 150  # a new deployment is looked at within seconds, any other within a minute
PROGRAM_PATIENCE_S = 180

# Runs the server and ends it when this process closes the pipe or dies, in whatever way.
KEEPER = 'exec 3<&0; "$@" & server=$!; { cat <&3 >/dev/null; kill "$server" 2>/dev/null; } & wait "$server"'


def shipped_settings() -> dict[str, str]:
    """The lines of `deployments/server.env`."""
    lines = (ROOT / "deployments" / "server.env").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def surroundings(home: Path) -> dict[str, str]:
    """An environment with the shipped settings and no other Prefect setting of this machine."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return ours | shipped_settings() | {"PREFECT_HOME": str(home)}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A server of its own; gives the environment in which a client finds it."""
    home = tmp_path_factory.mktemp("prefect")
    port = free_port()
    log = home / "server.log"
    command = [
        sys.executable,
        "-m",
        "prefect",
        "server",
        "start",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--no-ui",
    ]
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["sh", "-c", KEEPER, "sh", *command],
            cwd=home,
            env=surroundings(home),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_until_healthy(f"http://127.0.0.1:{port}/api", process, log)
        yield surroundings(home) | {"PREFECT_API_URL": f"http://127.0.0.1:{port}/api"}
    finally:
        stop(process)


def wait_until_healthy(api: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(f"{api}/health", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.3)
    pytest.fail(f"the server did not start:\n{log.read_text(errors='replace')[-4000:]}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """Close the keeper's input, which ends the server; after half a minute end the whole process group."""
    assert process.stdin
    process.stdin.close()
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=10)


@pytest.fixture(scope="module")
def said(server: Mapping[str, str]) -> dict[str, object]:
    """What the client's program printed: it ran a flow against the server and put it on a schedule."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.deployments.clockwork"],
        cwd=ROOT,
        env=dict(server),
        check=False,
        capture_output=True,
        text=True,
        timeout=PROGRAM_PATIENCE_S,
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    answer: dict[str, object] = json.loads(ran.stdout.strip().splitlines()[-1])
    return answer


def test_a_flow_runs(said: Mapping[str, object]) -> None:
    assert said["swung"] == 42


def test_prefect_knows_every_setting_that_ships(said: Mapping[str, object]) -> None:
    assert said["ignored_settings"] == []


def scheduled_runs(api: str, deployments: Collection[object]) -> list[dict[str, Any]]:
    """The scheduled runs of some deployments, as soon as each of them has one; what there is when patience ends."""
    wanted = {
        "deployments": {"id": {"any_": [*deployments]}},
        "flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}},
    }
    runs: list[dict[str, Any]] = []
    deadline = time.monotonic() + SCHEDULE_PATIENCE_S
    while {run["deployment_id"] for run in runs} != {*deployments} and time.monotonic() < deadline:
        time.sleep(0.5)
        runs = httpx.post(f"{api}/flow_runs/filter", json=wanted, timeout=30).json()
    return runs


def test_a_schedule_gets_its_runs(server: Mapping[str, str], said: Mapping[str, object]) -> None:
    runs = scheduled_runs(server["PREFECT_API_URL"], [said["deployment"]])
    assert runs, "the deployment is registered, and nothing was ever scheduled"
    starts = [datetime.fromisoformat(run["expected_start_time"]) for run in runs]
    assert {start.astimezone(ZoneInfo("America/Sao_Paulo")).strftime("%H:%M") for start in starts} == {"06:30"}


def test_our_deployments_are_taken_and_the_sweeps_are_scheduled(server: Mapping[str, str]) -> None:
    prefect = [sys.executable, "-m", "prefect", "--no-prompt"]
    for command in (
        ["work-pool", "create", "faturista", "--type", "process"],
        ["deploy", "--all", "--prefect-file", "deployments/prefect.yaml"],
    ):
        ran = subprocess.run(
            [*prefect, *command],
            cwd=ROOT,
            env=dict(server) | {"FATURISTA_PROFILE": "homologation"},
            check=False,
            capture_output=True,
            text=True,
            timeout=PROGRAM_PATIENCE_S,
        )
        assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-4000:]
    api = server["PREFECT_API_URL"]
    ours = {
        found["name"]: found
        for found in httpx.post(f"{api}/deployments/filter", json={}, timeout=30).json()
        if found["work_pool_name"] == "faturista"
    }
    declared = yaml.safe_load((ROOT / "deployments" / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]
    assert ours.keys() == {deployment["name"] for deployment in declared}
    sweeps = [found["id"] for found in ours.values() if found["schedules"]]
    runs = scheduled_runs(api, sweeps)
    assert (
        {run["deployment_id"] for run in runs}
        == {*sweeps}
        == {found["id"] for name, found in ours.items() if not name.startswith("bill_")}
    )
    assert all(run["parameters"] == {"profile": "homologation"} for run in runs)
