"""Everything on one machine: the schedule bills a dropped sheet, a dead process is restarted, one stop ends all."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import yaml
from prefect.client.orchestration import PrefectClient
from prefect.events.schemas.automations import Automation, AutomationCore

from deployments.bootstrap import JOB_TEMPLATE, put_automation
from flows.server_checks import crashed_flows
from tests.faults.workbooks import RIO, month_lines, write_month
from tests.house import tree
from tests.house.tree import ROOT
from tests.servers import free_port

pytestmark = pytest.mark.prefect

# A slot of a dead run is free after five minutes: longer than that, on a busy machine.
PATIENCE_S = 900


class Machine:
    """A running `faturista up` with separate files."""

    def __init__(self, home: Path) -> None:
        self.home, self.port, self.provider = home, free_port(), free_port()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
        address = f"http://127.0.0.1:{self.provider}"
        environment |= {f"FATURISTA_{name}__BASE_URL": address for name in ("NFSE", "ORDERS", "PRODUCTS")}
        self.receiver = free_port()
        environment |= {"FATURISTA_WEBHOOKS__URL": f"http://127.0.0.1:{self.receiver}"}
        environment["FATURISTA_WEBHOOKS__PORT"] = str(self.receiver)
        self.environment = environment | {"FATURISTA_PATHS__HOME": str(home), "FATURISTA_LANGUAGE": "en"}
        self.process = subprocess.Popen(
            self.command, cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.lines: list[str] = []

    @property
    def command(self) -> list[str]:
        return [str(Path(sys.executable).with_name("faturista")), "up", "--port", str(self.port)]

    def wait_for(self, line: str) -> None:
        assert self.process.stdout is not None
        for printed in self.process.stdout:
            self.lines.append(printed)
            if line in printed:
                return
        log = self.home / "faturista.log"
        raise AssertionError("".join(self.lines) + (log.read_text()[-3000:] if log.exists() else ""))

    def ask(self, path: str, body: Any = None, method: str | None = None) -> Any:
        """Make one call of Prefect's API and return the answer. Repeat it while the server's database is locked."""
        raw = None if body is None else json.dumps(body).encode()
        url = f"http://127.0.0.1:{self.port}/api/{path}"
        asked = urllib.request.Request(url, raw, {"Content-Type": "application/json"}, method=method)
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                with urllib.request.urlopen(asked, timeout=300) as answer:
                    return json.loads(answer.read() or b"null")
            except urllib.error.HTTPError as refused:
                if refused.code != 503 or time.monotonic() > end:
                    raise
                refused.close()
                time.sleep(0.5)

    def run(self, deployment: str, **body: Any) -> str:
        """Create a run of a deployment. Return its id."""
        (found,) = self.ask("deployments/filter", {"deployments": {"name": {"any_": [deployment]}}})
        return str(self.ask(f"deployments/{found['id']}/create_flow_run", body)["id"])

    def state(self, run: str) -> str:
        return str(self.ask(f"flow_runs/{run}")["state_type"])

    def program(self, word: str) -> int | None:
        """Return the id of the process with this word in its command."""
        for status in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = status.read_bytes().split(b"\0")
            except OSError:
                continue
            parent = (status.parent / "stat").read_text().rpartition(")")[2].split()[1]
            if word.encode() in words and int(parent) == self.process.pid:
                return int(status.parent.name)
        return None


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def wait_until(is_true: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.5)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    running = Machine(tmp_path_factory.mktemp("up"))
    try:
        running.wait_for("Ready.")
        yield running
    finally:
        running.process.send_signal(signal.SIGINT)
        running.process.communicate(timeout=PATIENCE_S)


def test_dropped_sheet_is_answered_by_schedule(machine: Machine) -> None:
    sheet = machine.home / "month.xlsx"
    write_month(sheet, month_lines(3, emitters=[RIO]))
    sheet.rename(machine.home / "inbox" / sheet.name)
    wait_until(lambda: list((machine.home / "outbox").glob("month-*.xlsx")))


def test_a_worker_without_the_code_is_reported(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    (report,) = machine.ask("deployments/filter", {"deployments": {"name": {"any_": ["report_orders"]}}})
    machine.ask(f"deployments/{report['id']}", {"entrypoint": "flows_of_next_year.orders:report"}, method="PATCH")
    monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{machine.port}/api")
    run = machine.run("report_orders")
    wait_until(lambda: machine.state(run) == "CRASHED")
    assert crashed_flows() == ["report_orders"]


def test_two_bootstraps_at_once_are_the_same_as_one(machine: Machine) -> None:
    def registered() -> tuple[list[str], int, int]:
        deployments = [each["name"] for each in machine.ask("deployments/filter", {})]
        return (
            sorted(deployments),
            len(machine.ask("automations/filter", {})),
            len(machine.ask("work_pools/filter", {})),
        )

    before = registered()
    assert "sweep_inbox" in before[0]
    environment = machine.environment | {"PREFECT_API_URL": f"http://127.0.0.1:{machine.port}/api"}
    # a copy of the automation, as two first bootstraps at once may leave it
    ours = yaml.safe_load(tree.text("deployments/automations.yaml"))
    machine.ask("automations/", ours)
    command = [sys.executable, "-m", "deployments.bootstrap"]
    running = [subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE) for _ in range(2)]
    found = [process.communicate(timeout=PATIENCE_S)[1] for process in running]
    assert [process.returncode for process in running] == [0, 0], found
    assert registered() == before


class Overtaken(PrefectClient):
    """A client whose looks list an automation that another bootstrap removes before it can be written.

    The first look lists the removed one alone, or after the others.
    """

    def __init__(self, url: str, *, is_alone: bool) -> None:
        super().__init__(url)
        self.is_alone = is_alone

    async def read_automations_by_name(self, name: str) -> list[Automation]:
        found = await super().read_automations_by_name(name)
        removed = found[0].model_copy(update={"id": UUID(int=2**128 - 1)})
        found, self.is_alone = [] if self.is_alone else found, False
        return [*found, removed]


@pytest.mark.parametrize("is_alone", [True, False])
def test_another_bootstrap_may_remove_an_automation_before_ours(machine: Machine, *, is_alone: bool) -> None:
    wanted = AutomationCore.model_validate(yaml.safe_load(tree.text("deployments/automations.yaml")))

    async def put() -> None:
        async with Overtaken(f"http://127.0.0.1:{machine.port}/api", is_alone=is_alone) as client:
            await put_automation(client, wanted)

    before = machine.ask("automations/filter", {})
    asyncio.run(put())
    after = machine.ask("automations/filter", {})
    assert [each["name"] for each in after] == [each["name"] for each in before]


def test_a_run_cannot_choose_its_command_or_environment(machine: Machine) -> None:
    assert machine.ask("work_pools/faturista")["base_job_template"] == JOB_TEMPLATE
    (sweep,) = [each for each in machine.ask("deployments/filter", {}) if each["name"] == "release_batches"]
    for variables in ({"command": "true"}, {"env": {"FATURISTA_LEDGER__URL": "sqlite:///other.db"}}):
        with pytest.raises(urllib.error.HTTPError) as refused:
            machine.ask(f"deployments/{sweep['id']}/create_flow_run", {"job_variables": variables})
        refused.value.close()
        assert refused.value.code in {409, 422}


def test_the_receiver_listens_and_starts_sweeps(machine: Machine) -> None:
    url = f"http://127.0.0.1:{machine.receiver}/sandbox-webhooks-0123456789"
    wait_until(lambda: answers(url))
    start = (
        "import asyncio\nfrom deployments.sweeps import start_sweep\n"
        "for profile in ('another', 'local'):\n    print(asyncio.run(start_sweep(profile)))"
    )
    environment = machine.environment | {"PREFECT_API_URL": f"http://127.0.0.1:{machine.port}/api"}
    command = [sys.executable, "-c", start]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["False", "True"]
    assert machine.ask("flow_runs/filter", {"flow_runs": {"tags": {"all_": ["webhook"]}}})


def test_its_processes_share_no_folder_with_other_users(machine: Machine) -> None:
    """Somebody else's worker may have made Prefect's folder in the shared one."""
    worker = machine.program("worker")
    environment = Path(f"/proc/{worker}/environ").read_bytes().split(b"\0")
    (folder,) = (each.partition(b"=")[2].decode() for each in environment if each.startswith(b"TMPDIR="))
    wait_until(Path(folder, "runner_storage").is_dir)
    assert Path(folder).stat().st_mode & 0o077 == 0


def test_killed_worker_is_started_again(machine: Machine) -> None:
    first = machine.program("worker")
    assert first is not None
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: machine.program("worker") not in (None, first))


def test_a_server_back_after_a_weekend_sweeps_one_at_a_time(machine: Machine) -> None:
    wait_until(lambda: machine.program("worker"))
    worker, server = machine.program("worker"), machine.program("server")
    assert worker is not None
    assert server is not None
    os.kill(worker, signal.SIGSTOP)
    try:
        friday = {"type": "SCHEDULED", "state_details": {"scheduled_time": (now() - timedelta(days=2)).isoformat()}}
        late = [machine.run("sweep_inbox", state=friday) for _ in range(20)]
        os.kill(server, signal.SIGKILL)
        wait_until(lambda: machine.program("server") not in (None, server))
        wait_until(lambda: answers(f"http://127.0.0.1:{machine.port}/api/health"))
        sheet = machine.home / "monday.xlsx"
        write_month(sheet, month_lines(3, emitters=[RIO], seed=7))
        sheet.rename(machine.home / "inbox" / sheet.name)
    finally:
        os.kill(worker, signal.SIGCONT)
    wait_until(lambda: all(machine.state(each) in {"COMPLETED", "CANCELLED"} for each in late))
    wait_until(lambda: list((machine.home / "outbox").glob("monday-*.xlsx")))
    asked = {
        "deployments": {"name": {"any_": ["sweep_inbox"]}},
        "flow_runs": {"state": {"type": {"any_": ["COMPLETED"]}}},
    }
    swept = sorted((run["start_time"], run["end_time"]) for run in machine.ask("flow_runs/filter", asked))
    assert all(end <= start for (_, end), (start, _) in pairwise(swept))
    assert len(swept) < len(late)


def now() -> datetime:
    return datetime.now(UTC)


def test_second_up_in_the_same_folder_is_refused(machine: Machine) -> None:
    second = subprocess.run(
        machine.command, cwd=ROOT, env=machine.environment, capture_output=True, text=True, check=False
    )
    assert second.returncode == 3
    assert re.search("Another faturista up", second.stderr)
