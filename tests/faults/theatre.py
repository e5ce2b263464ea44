"""The scene of a story: a sandbox, an empty ledger, workers as real processes, and an operator's context.

No story races the machine. A worker gives a request so much time that only an injected fault leaves it unanswered. A
worker that is alone ages the ledger instead of waiting. A story that needs a lease to end in real time calls
`shorten_leases`.
"""

import multiprocessing
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final, Self

import pytest

from tasks.runtime import Context, open_context
from tests.ageing import age
from tests.faults import worker
from tests.faults.audited import audit_faults
from tests.faults.checker import find_faults, integrity
from tests.faults.evidence import Dropped, Evidence, Record, gather
from tests.ledgers import DATABASES
from tests.sandboxes import RunningSandbox, running_sandbox

QUIET_S: Final = 60.0
LEASE_S: Final = 90.0
SHORT_LEASE_S: Final = 6.0
"""The lease of workers that are frozen: the story waits for its end."""
LATE_S: Final = 2.0
"""How late an answer comes while a story acts on its worker: below the short timeout, and above any pause of a test."""
_SHORT: Final = {
    "REQUESTS__TIMEOUT_S": "4",
    "REQUESTS__CONNECT_TIMEOUT_S": "4",
    "PROTOCOL__QUIET_S": "8",
    "PROTOCOL__LEASE_S": str(SHORT_LEASE_S),
}
_SETTINGS: Final = {
    "REQUESTS__TIMEOUT_S": "30",
    "REQUESTS__CONNECT_TIMEOUT_S": "30",
    "NFSE__IN_FLIGHT": "4",
    # However often the provider asks for less: a story has a second for what a month has hours for.
    "NFSE__PACE__LEAST_PER_MINUTE": "6000",
    "PRODUCTS__PACE__LEAST_PER_MINUTE": "6000",
    "REQUESTS__READ_TRIES": "2",
    "PROTOCOL__QUIET_S": str(QUIET_S),
    "PROTOCOL__LEASE_S": str(LEASE_S),
    "PROTOCOL__CLOCK_SKEW_S": "0.1",
    "PROTOCOL__SETTLE_S": "0.02",
    "PROTOCOL__COUNTER_PATIENCE_S": "0.5",
    "PROTOCOL__BATCH_SIZE": "12",
    "RECONCILE__LOOKS_S": "[30]",
}
# A worker that is not alone waits in real time.
_SHORT_LOOKS: Final = {"FATURISTA_RECONCILE__LOOKS_S": "[0.05]"}
_PATIENCE_S: Final = 900.0
_PAUSE_S: Final = 0.02

# A server that has imported everything and billed a month, and forks workers: a restart costs milliseconds, and each
# worker is a real process that a real SIGKILL ends.
PROCESSES: Final = multiprocessing.get_context("forkserver")
_PRELOADED: Final = (
    "__main__",
    "alembic.config",
    "h2.connection",
    "tests.faults.matrix.worker_run",
    "tests.faults.warmed",
)
PROCESSES.set_forkserver_preload([*_PRELOADED])


@dataclass(slots=True)
class Theatre:
    """The sandbox, ledger and workers of one story.

    The checker looks for the rows of every workbook in `dropped`. `more` holds settings of this story's workers.
    """

    home: Path
    ledger_url: str
    sandbox: RunningSandbox
    dropped: list[Dropped] = field(default_factory=list)
    more: dict[str, str] = field(default_factory=dict)
    _workers: list[BaseProcess] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        """Return the settings of every worker and of the context."""
        settings = {
            **_SETTINGS,
            **self.more,
            "NFSE__BASE_URL": self.sandbox.base_url,
            "LEDGER__URL": self.ledger_url,
            "PATHS__HOME": str(self.home),
        }
        return {f"FATURISTA_{name}": value for name, value in settings.items()}

    @property
    def quiet_s(self) -> float:
        """Return the quiet time of this story's workers."""
        return float(self.environment["FATURISTA_PROTOCOL__QUIET_S"])

    def shorten_leases(self) -> None:
        """Let leases, requests and quiet time of this story's workers end within seconds of real time."""
        self.more.update(_SHORT)
        os.environ.update(self.environment)

    def outlive_lease(self) -> None:
        """Wait until the lease of a frozen worker is over by that worker's clock, then let the quiet time pass.

        No other worker may be alive.
        """
        time.sleep(SHORT_LEASE_S)
        self.pass_time(2 * (SHORT_LEASE_S + self.quiet_s))

    def pass_time(self, seconds: float) -> None:
        """Age the ledger while no worker works."""
        self.sandbox.settle()
        with self.context() as context:
            context.ledger.write(age, seconds)

    def drop(self, dropped: Dropped) -> Path:
        """Record what the workbook asks for. Return its path."""
        self.dropped.append(dropped)
        return dropped.path

    def start(self, file: Path | None = None, **asked: Any) -> BaseProcess:
        """Start a worker that bills the file, if any, as `asked`, and then sweeps until nothing is left to do."""
        looks = {} if "arrives_s" in asked else _SHORT_LOOKS
        arguments = ({**self.environment, **looks}, self.home / "worker.log", file)
        process = PROCESSES.Process(target=worker.work, args=arguments, kwargs=asked)
        process.start()
        self._workers.append(process)
        return process

    def finish(self, process: BaseProcess) -> int:
        """Wait for the process. Return its exit code, which must come in time; negative: the signal that ended it."""
        process.join(_PATIENCE_S)
        assert process.exitcode is not None, f"a worker does not come to its end:\n{self.logs()}"
        return process.exitcode

    def start_alone(self, file: Path | None = None, **asked: Any) -> BaseProcess:
        """Start a worker as `start` does; it ages the ledger instead of waiting, because no other worker runs."""
        assert not any(process.is_alive() for process in self._workers), "it is not alone"
        rules = self.sandbox.control("faults")
        late = (each.get("seconds", 0.0) for each in rules if each["kind"] == "held")
        return self.start(file, arrives_s=max(late, default=0.0), **asked)

    def run(self, file: Path | None = None, **asked: Any) -> None:
        """Run a worker to a good end, undisturbed but for the sandbox's faults."""
        assert self.finish(self.start_alone(file, **asked)) == 0, self.logs()

    def until(self, condition: Callable[[], bool], process: BaseProcess | None = None) -> bool:
        """Wait until the condition holds. Return False if `process` ended before."""
        end = time.monotonic() + _PATIENCE_S
        looks_at = time.monotonic()
        while not condition():
            if process is not None and process.exitcode is not None:
                return False
            assert time.monotonic() < end, f"it does not come to that:\n{self.logs()}"
            # A look that takes long is repeated less often: it must not take the processor from what it waits for.
            time.sleep(max(_PAUSE_S, 4 * (time.monotonic() - looks_at)))
            looks_at = time.monotonic()
        return True

    def seen(self, *operations: str) -> int:
        """How many requests the provider has seen, of these operations or of all."""
        counts = self.sandbox.requests()
        return sum(count for name, count in counts.items() if not operations or name in operations)

    def context(self) -> AbstractContextManager[Context]:
        """Return an operator's context on the same ledger."""
        return open_context(worker.PROFILE)

    def evidence(self) -> Evidence:
        return gather(self.dropped, self.ledger_url, self.sandbox.record(history=True))

    def check(self, *, forgiven: Collection[str] = ()) -> Evidence:
        """Check the end: no fault of any kind. Return the evidence, for the story's own checks.

        `forgiven`: kinds of violations that another party causes.
        """
        evidence = self.evidence()
        self._refuse(find_faults(evidence, quiet_s=self.quiet_s, forgiven=forgiven) + audit_faults(self.ledger_url))
        return evidence

    def check_integrity(self, *, forgiven: Collection[str] = ()) -> Evidence:
        """Check in the middle: however unfinished the work is, nothing is contradictory."""
        evidence = self.evidence()
        self._refuse(integrity(evidence, quiet_s=self.quiet_s, forgiven=forgiven) + audit_faults(self.ledger_url))
        return evidence

    def logs(self) -> str:
        """Return the workers' log."""
        log = self.home / "worker.log"
        return log.read_text()[-6000:] if log.exists() else "(nothing)"

    def _refuse(self, faults: list[str]) -> None:
        assert not faults, "\n".join([*faults, self.logs()])

    @contextmanager
    def performing(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Self]:
        """Set the environment to this theatre's, and end its workers at last."""
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)
        try:
            yield self
        finally:
            self.close()

    def close(self) -> None:
        """End all workers of the story."""
        for process in self._workers:
            if process.is_alive():
                process.kill()
            process.join()
            process.close()


@pytest.fixture
def theatre(tmp_path: Path, ledger_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Theatre]:
    """Yield a theatre on each database in turn; its city rejects a seventh of the notes."""
    with (
        running_sandbox(in_thread=True, advance="at_once", rejection_share=0.15, rejection_seed=3) as sandbox,
        Theatre(tmp_path, ledger_url, sandbox).performing(monkeypatch) as opened,
    ):
        yield opened


ON_SQLITE: Final = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
ON_POSTGRESQL: Final = pytest.mark.parametrize("ledger_url", ["postgresql"], indirect=True)
"""For a story that runs on one database, because the ledger plays no special part in it."""


def in_turn(name: str, cases: Mapping[str, Any]) -> pytest.MarkDecorator:
    """Run each case on one database, alternating between the two; `name` is the test's argument."""
    paired = zip(cycle(DATABASES), cases.items(), strict=False)
    params = [pytest.param(database, case, id=f"{database}, {label}") for database, (label, case) in paired]
    return pytest.mark.parametrize(("ledger_url", name), params, indirect=["ledger_url"])


def rule(operation: str, kind: str, **others: Any) -> Record:
    """Return a fault rule for the sandbox, in the form of `connectors.emulation.faults`."""
    return {"operation": operation, "kind": kind, **others}


def notes_of(evidence: Evidence) -> list[Record]:
    """Return the provider's notes, deleted ones too."""
    notes: list[Record] = evidence.record["notes"]
    return notes
