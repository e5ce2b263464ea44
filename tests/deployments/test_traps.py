"""Three failures of an install with wrong versions: no server starts, no flow runs, or no schedule fires.

A real server on loopback, with the shipped settings, shows none of them. In the end that server dies in the middle of
an import, and starts again.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
import yaml

from flows import server_checks
from tests.faults.theatre import LATE_S, Theatre, rule
from tests.faults.workbooks import RIO, month_lines, write_month
from tests.house.tree import ROOT
from tests.ledgers import sqlite_url
from tests.sandboxes import running_sandbox
from tests.servers import free_port, kill_server, running_server

pytestmark = pytest.mark.prefect

SCHEDULE_PATIENCE_S = 600  # The server checks a new deployment within seconds, any other within a minute.
PROGRAM_PATIENCE_S = 600
AFTERLIFE_S = 2
SHORT_LEASE = {"PREFECT_SERVER_CONCURRENCY_INITIAL_DEPLOYMENT_LEASE_DURATION": "30"}
"""Seconds for which a lost run holds its deployment's place: five minutes without this setting."""


def shipped_settings() -> dict[str, str]:
    """Return the lines of `deployments/server.env`."""
    lines = (ROOT / "deployments" / "server.env").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Run a separate server; yield the environment in which a client finds it."""
    with running_server(tmp_path_factory.mktemp("prefect"), shipped_settings() | SHORT_LEASE) as environment:
        yield environment


@pytest.fixture(scope="module")
def submitted_run(server: Mapping[str, str]) -> str:
    """Submit a run that nobody starts, as a worker does that dies then. Return its deployment."""
    api = server["PREFECT_API_URL"]
    flow = posted(f"{api}/flows/", {"name": "sweep"})["id"]
    alone = {"concurrency_limit": 1, "concurrency_options": {"collision_strategy": "CANCEL_NEW"}}
    deployment = posted(f"{api}/deployments/", {"name": "sweep", "flow_id": flow, **alone})["id"]
    assert [submitted(api, deployment), submitted(api, deployment)] == ["PENDING", "CANCELLED"]
    return str(deployment)


@pytest.fixture(scope="module")
def output(server: Mapping[str, str]) -> dict[str, object]:
    """Run a flow against the server and put it on a schedule; return the client program's output."""
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


def test_a_flow_runs(output: Mapping[str, object]) -> None:
    assert output["swung"] == 42


def test_prefect_knows_every_setting_that_ships(output: Mapping[str, object]) -> None:
    assert output["ignored_settings"] == []


def scheduled_runs(api: str, deployments: Collection[object]) -> list[dict[str, Any]]:
    """Wait until each of these deployments has a scheduled run, or for a limited time; return the runs."""
    wanted = {
        "deployments": {"id": {"any_": [*deployments]}},
        "flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}},
    }
    runs: list[dict[str, Any]] = []
    deadline = time.monotonic() + SCHEDULE_PATIENCE_S
    with httpx.Client(timeout=300) as client:
        while {run["deployment_id"] for run in runs} != {*deployments} and time.monotonic() < deadline:
            time.sleep(0.5)
            runs = client.post(f"{api}/flow_runs/filter", json=wanted).json()
    return runs


def test_a_schedule_gets_its_runs(server: Mapping[str, str], output: Mapping[str, object]) -> None:
    runs = scheduled_runs(server["PREFECT_API_URL"], [output["deployment"]])
    assert runs, "the deployment is registered, and nothing was ever scheduled"
    starts = [datetime.fromisoformat(run["expected_start_time"]) for run in runs]
    assert {start.astimezone(ZoneInfo("America/Sao_Paulo")).strftime("%H:%M") for start in starts} == {"06:30"}


def test_our_deployments_are_taken_and_the_sweeps_are_scheduled(server: Mapping[str, str]) -> None:
    api = server["PREFECT_API_URL"]
    pool = httpx.post(f"{api}/work_pools/", json={"name": "faturista", "type": "process"}, timeout=300)
    assert pool.status_code == 201, pool.text
    command = "-m prefect --no-prompt deploy --all --prefect-file deployments/prefect.yaml"
    ran = subprocess.run(
        [sys.executable, *command.split()],
        cwd=ROOT,
        env=dict(server) | {"FATURISTA_PROFILE": "homologation"},
        check=False,
        capture_output=True,
        text=True,
        timeout=PROGRAM_PATIENCE_S,
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-4000:]
    ours = {
        found["name"]: found
        for found in httpx.post(f"{api}/deployments/filter", json={}, timeout=300).json()
        if found["work_pool_name"] == "faturista"
    }
    declared = yaml.safe_load((ROOT / "deployments" / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]
    assert ours.keys() == {deployment["name"] for deployment in declared}
    asked_for = ("acknowledge_", "approve_", "bill_", "report_adjustments", "report_members", "work_")
    sweeps = [found["id"] for found in ours.values() if found["schedules"]]
    runs = scheduled_runs(api, sweeps)
    assert (
        {run["deployment_id"] for run in runs}
        == {*sweeps}
        == {found["id"] for name, found in ours.items() if not name.startswith(asked_for)}
    )
    assert all(run["parameters"] == {"profile": "homologation"} for run in runs)


def test_the_doctor_reads_where_a_real_server_keeps_places(
    server: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_checks, "_PATIENCE_S", 300)
    monkeypatch.setenv("PREFECT_API_URL", server["PREFECT_API_URL"])
    found = {each.what: each for each in asyncio.run(server_checks.check_work("local"))}
    assert (found["places"].is_good, found["places"].detail.rpartition(".")[2]) == (True, "filesystem")


def test_the_server_takes_our_automation(server: Mapping[str, str]) -> None:
    """A person saw that it works: a killed run is called crashed two minutes later."""
    ours = yaml.safe_load((ROOT / "deployments" / "automations.yaml").read_text(encoding="utf-8"))
    answer = httpx.post(f"{server['PREFECT_API_URL']}/automations/", json=ours, timeout=300)
    assert answer.status_code == 201, answer.text
    taken = answer.json()["trigger"]
    # Within its threshold the shipped settings give four heartbeats.
    assert set(taken["expect"]) == {*ours["trigger"]["expect"]}
    assert taken["within"] == 4 * int(shipped_settings()["PREFECT_FLOWS_HEARTBEAT_FREQUENCY"])


def test_a_commands_run_tells_its_story_on_its_page(server: Mapping[str, str], tmp_path: Path) -> None:
    """A failed run opens on its log: it ends with the sentence. The screen has the sentence alone."""
    sheet = write_month(tmp_path / "month.xlsx", month_lines(2, emitters=[RIO])).path
    ours = {"FATURISTA_PATHS__HOME": str(tmp_path), "FATURISTA_NFSE__BASE_URL": f"http://127.0.0.1:{free_port()}"}
    command = [sys.executable, "-c", "from flows.cli import main; main()", "bill", str(sheet)]
    ran = subprocess.run(
        command,
        cwd=ROOT,
        env={**server, **ours, "FATURISTA_LANGUAGE": "en"},
        check=False,
        capture_output=True,
        text=True,
        timeout=PROGRAM_PATIENCE_S,
    )
    assert ran.returncode == 3, ran.stderr[-2000:]
    assert "flow run" not in ran.stderr
    with httpx.Client(timeout=300) as client:
        named = {"flow_runs": {"name": {"any_": [f"bill {sheet.name}"]}}}
        (run,) = client.post(f"{server['PREFECT_API_URL']}/flow_runs/filter", json=named).json()
        asked = {"logs": {"flow_run_id": {"any_": [run["id"]]}}, "sort": "TIMESTAMP_ASC"}
        found = [line["message"] for line in client.post(f"{server['PREFECT_API_URL']}/logs/filter", json=asked).json()]
    assert "Read the sheet: reading 1 · Done · read 2" in found
    assert any(line.endswith("/artifacts/key/situacao") for line in found)
    assert "could not be reached; nothing was sent" in found[-1]


def submitted(api: str, deployment: str) -> str:
    """Create a run and submit it, as a worker does. Return its state."""
    run = posted(f"{api}/deployments/{deployment}/create_flow_run", {})["id"]
    answer = posted(f"{api}/flow_runs/{run}/set_state", {"state": {"type": "PENDING"}})
    return str(answer["state"]["type"])


def posted(url: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Post as Prefect's own client does: again while the server says that its database is busy."""
    deadline = time.monotonic() + PROGRAM_PATIENCE_S
    answer = httpx.post(url, json=body, timeout=300)
    while answer.status_code == httpx.codes.SERVICE_UNAVAILABLE and time.monotonic() < deadline:
        time.sleep(2)
        answer = httpx.post(url, json=body, timeout=300)
    answer.raise_for_status()
    content: dict[str, Any] = answer.json()
    return content


@pytest.mark.usefixtures("submitted_run")
def test_a_server_killed_during_an_import_loses_nothing(
    server: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server is gone after this test, with all it knew of the run: only the next test can follow."""
    with running_sandbox(in_thread=True, advance="at_once") as sandbox:
        # Late answers from the fifth on: the import is under way however late the server is killed.
        sandbox.faults(rule("notes.create", "late", after=4, seconds=LATE_S, count=24))
        theatre = Theatre(tmp_path, sqlite_url(tmp_path), sandbox)
        month = theatre.drop(write_month(tmp_path / "month.xlsx", month_lines(24, emitters=[RIO])))
        ours = {**theatre.environment, "FATURISTA_PROFILE": "local"}
        command = [sys.executable, "-c", "from flows.cli import main; main()", "bill", str(month)]
        with (tmp_path / "worker.log").open("wb") as log:
            flow = subprocess.Popen(command, cwd=ROOT, env={**server, **ours}, stdout=log, stderr=log)
        try:
            assert theatre.until(lambda: theatre.seen("notes.create") >= 5 or flow.poll() is not None)
            assert flow.poll() is None, theatre.logs()
            kill_server(server)
            # Otherwise the client tries for minutes to report its end to a dead server.
            with suppress(subprocess.TimeoutExpired):
                flow.wait(AFTERLIFE_S)
        finally:
            flow.kill()
            flow.wait()
        theatre.check_integrity()
        posted = theatre.seen("notes.create")
        for name, value in theatre.environment.items():
            monkeypatch.setenv(name, value)
        sandbox.faults()
        try:
            theatre.run(month)
        finally:
            theatre.close()
        theatre.check()
        assert posted >= 5


def test_a_run_that_a_killed_server_lost_keeps_no_later_run_away(server: Mapping[str, str], submitted_run: str) -> None:
    """Nobody starts a run whose worker died while it submitted the run."""
    with suppress(ProcessLookupError):
        kill_server(server)
    with running_server(Path(server["PREFECT_HOME"]), shipped_settings() | SHORT_LEASE) as environment:
        deadline = time.monotonic() + PROGRAM_PATIENCE_S
        while submitted(environment["PREFECT_API_URL"], submitted_run) != "PENDING":
            assert time.monotonic() < deadline, "the lost run holds its place for ever"
            time.sleep(2)
