"""Run cases of the matrix one after the other: the same sandbox, and a new ledger for each run.

A run bills a sheet to the end. All workers but the last are killed or meet a failure; after each of them nothing may be
contradictory, and at the end nothing may be wrong.
"""

import json
import os
import shutil
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from connectors.ledger.engine import Ledger
from connectors.nfse.emulator.seed import default_company
from tasks.runtime import PRODUCTS, SERVICES
from tests.faults.audited import audit_faults
from tests.faults.evidence import Asked, Dropped, read_ledger, read_workbook
from tests.faults.matrix import afterwards, months
from tests.faults.matrix import worker_run as worker_runs
from tests.faults.matrix.cases import NOBODY, Case, Line, Plot, rules_of
from tests.faults.matrix.verdict import Seen, Verdict, judge, middle_faults
from tests.faults.matrix.worker_faults import Kill, LedgerFault
from tests.faults.matrix.worker_run import WorkerRun
from tests.faults.sales import Sale, month_of_sales, write_sales
from tests.faults.theatre import PROCESSES
from tests.faults.workbooks import RIO, SAO_PAULO, month_lines, write_month
from tests.ledgers import postgresql_url, sqlite_url
from tests.sandboxes import RunningSandbox, running_sandbox

QUIET_S: Final = 120.0
SHORT_LEASE_S: Final = 3.0
_SETTINGS: Final[Mapping[str, Any]] = {
    "protocol": {
        "quiet_s": QUIET_S,
        "lease_s": 60.0,
        "clock_skew_s": 2.0,
        "settle_s": 0.01,
        "counter_patience_s": 0.2,
        "listing_tries": 5,
        # A finished batch is listed again on each of the days that pass at the end.
        "relist_days": 1,
    },
    "reconcile": {"looks_s": [5.0, 30.0]},
}
_SWITCHES: Final = {"advance": "at_once", "rejection_share": 0.1, "product_advance": "at_once"}
_PATIENCE_S: Final = 600.0
_MOST_WORKERS: Final = 12
_FULL: Final = 262_144
_PAUSE_S: Final = 0.01


@dataclass(frozen=True, slots=True)
class Sheet:
    """The sheet to bill, and what the checker expects of it."""

    path: Path
    kind: str
    asked: list[Asked] = field(default_factory=list)
    sales: list[Sale] = field(default_factory=list)


@dataclass(slots=True)
class CaseRunner:
    """Run cases with one sandbox. `notes`: invoices in a run. Each `postgresql_every`th run uses PostgreSQL; 0: none.

    `keep`: the folder for the evidence of a failed run.
    """

    home: Path
    sandbox: RunningSandbox
    notes: int
    postgresql_every: int = 0
    keep: Path | None = None
    _sheets: dict[tuple[Line, bool, bool], Sheet] = field(default_factory=dict)
    _runs: int = 0
    _provider: ExitStack = field(default_factory=ExitStack)

    def calm(self, line: Line, plot: Plot = "calm", *, outside: str | None = None) -> Mapping[str, int]:
        """Return the number of requests of each kind in a plot without faults.

        `outside`: use one issuer and one batch, as for another party's acts.
        """
        verdict = self.run_case(
            Case(kind="calm", story="calm", line=line, plot=plot, rules=rules_of(plot), outside=outside)
        )
        assert not verdict.faults, verdict.faults
        return self.sandbox.requests()

    def run_case(self, case: Case) -> Verdict:
        began = time.monotonic()
        self._runs += 1
        folder = self.home / f"run-{self._runs}"
        folder.mkdir(parents=True)
        is_postgresql = bool(self.postgresql_every) and self._runs % self.postgresql_every == 0
        with _prepared_provider(self, case, folder), self._ledger(folder, is_postgresql=is_postgresql) as url:
            sheet = self._sheet(case)
            if case.line == "monthly":
                months.enter(url, self.sandbox)
            faults = self._run_until_done(case, sheet, url, folder)
            # No request of this run may arrive in the next one.
            self.sandbox.settle(case.lingers_s)
            seen = self._seen(case, sheet, url, is_refused=(folder / worker_runs.REFUSED).exists())
            if case.plot == "updated":
                self.sandbox.faults()
                seen = replace(seen, known=afterwards.register(self.sandbox, seen.asked))
            verdict = judge(case, seen, quiet_s=QUIET_S, faults=faults, seconds=time.monotonic() - began)
            verdict = replace(verdict, is_postgresql=is_postgresql)
            if verdict.faults:
                verdict.faults.append(self._evidence(verdict, seen, folder))
        shutil.rmtree(folder, ignore_errors=True)
        return verdict

    def _run_until_done(self, case: Case, sheet: Sheet, url: str, folder: Path) -> list[str]:
        """Start worker after worker until one comes to its end. Return the faults found in between."""
        disturbances: list[Kill | LedgerFault | None] = [*case.disturbances, None]
        faults: list[str] = []
        for turn in range(_MOST_WORKERS):
            disturbance = disturbances.pop(0) if disturbances else None
            if turn == 0 and case.crowd > 1:
                if case.wanted is not None and (codes := self._issue(case, sheet, url, folder)) != [0]:
                    return [*faults, f"a worker ended with {codes}"]
                codes = self._crowd(case, disturbance, sheet, url, folder)
            else:
                worker_run = self._worker_run(case, disturbance, sheet, url, folder, is_first=turn == 0)
                codes = self._run_worker(worker_run, folder, dies_after_s=case.dies_after_s if turn == 0 else None)
                if codes == [0]:
                    return faults
            wrong = [code for code in codes if code > 0 and code != worker_runs.FAILED]
            if wrong:
                return [*faults, *(f"a worker ended with {code}" for code in wrong)]
            self.sandbox.settle(case.arrives_s)
            faults += middle_faults(case, self._seen(case, sheet, url), quiet_s=QUIET_S)
        return [*faults, f"not at its end after {_MOST_WORKERS} workers"]

    def _issue(self, case: Case, sheet: Sheet, url: str, folder: Path) -> list[int]:
        """Let one worker issue everything, before anybody wants something else. Return its exit code."""
        worker_run = self._worker_run(case, None, sheet, url, folder, is_first=True)
        return self._run_worker(replace(worker_run, wants=None), folder, dies_after_s=None)

    def _crowd(
        self, case: Case, disturbance: Kill | LedgerFault | None, sheet: Sheet, url: str, folder: Path
    ) -> list[int]:
        """Start several workers at once; the first of them meets the disturbance. Return each one's exit code."""
        alone = self._worker_run(case, disturbance, sheet, url, folder, is_first=True)
        first = replace(alone, is_alone=False)
        others = [replace(first, kill=None, ledger_fault=None)] * (case.crowd - 1)
        processes = [_begin(worker_run, folder) for worker_run in (first, *others)]
        return [_end(process) for process in processes]

    def _run_worker(self, worker_run: WorkerRun, folder: Path, *, dies_after_s: float | None) -> list[int]:
        process = _begin(worker_run, folder)
        if worker_run.kill is not None and worker_run.kill.is_frozen and _is_stopped(process):
            return self._overtaken(worker_run, process, folder)
        if dies_after_s is not None:
            time.sleep(dies_after_s)
            self._restart_provider(folder)
        return [_end(process)]

    def _overtaken(self, worker_run: WorkerRun, frozen: BaseProcess, folder: Path) -> list[int]:
        """Let another worker do the work of one frozen past its lease; then let that one continue alone."""
        assert frozen.pid is not None
        # Its lease must end by its own clock, which nobody can advance.
        time.sleep(SHORT_LEASE_S)
        other = _end(_begin(replace(worker_run, kill=None), folder))
        os.kill(frozen.pid, signal.SIGCONT)
        return sorted({other, _end(frozen)})

    def _restart_provider(self, folder: Path) -> None:
        self.sandbox.kill()
        port = urlsplit(self.sandbox.base_url).port
        assert port is not None
        self._provider.enter_context(_provider(folder, self, port=port))

    def _worker_run(
        self,
        case: Case,
        disturbance: Kill | LedgerFault | None,
        sheet: Sheet,
        url: str,
        folder: Path,
        *,
        is_first: bool,
    ) -> WorkerRun:
        return WorkerRun(
            settings=self._settings(case, url, folder),
            file=sheet.path,
            kind=sheet.kind,
            base_url=self.sandbox.base_url,
            wanted=self.notes + (months.DUE if case.line == "monthly" else 0),
            gathers=case.line == "monthly",
            kill=disturbance if isinstance(disturbance, Kill) else None,
            ledger_fault=disturbance if isinstance(disturbance, LedgerFault) else None,
            arrives_s=case.arrives_s,
            clock_jumps=case.clock_jumps,
            takes_back=case.plot == "taken back",
            # The next day's look sees what was done after the last look of one day.
            recounts={None: 0, NOBODY: 1}.get(case.outside, 2),
            lingers_s=case.lingers_s,
            full_at=_FULL if case.full_disk and is_first else None,
            is_blind=case.plot == "blind",
            wants=case.wanted,
            is_late=case.plot == "cancelled late",
        )

    def _settings(self, case: Case, url: str, folder: Path) -> Mapping[str, Any]:
        batch_size = max(4, self.notes // 3) if case.outside is None else self.notes
        listed = {"list_above_cents": 1} if case.plot == "listed" else {}
        listed |= {"canary_notes": 1} if case.plot == "canary" else {}
        wire = {"timeout_s": case.timeout_s, "connect_timeout_s": case.timeout_s, "read_tries": 2}
        short = {"lease_s": SHORT_LEASE_S, "clock_skew_s": 0.1} if case.is_slow else {}
        return {
            "protocol": {**_SETTINGS["protocol"], "batch_size": batch_size, **listed, **short},
            "reconcile": _SETTINGS["reconcile"],
            "requests": wire,
            "nfse": {"base_url": self.sandbox.base_url, "in_flight": 4},
            "products": {"base_url": self.sandbox.base_url, "extensions": case.plot != "blind"},
            "ledger": {"url": url},
            "paths": {"home": str(folder)},
            **(months.settings_of(self.sandbox.base_url, folder) if case.line == "monthly" else {}),
        }

    def _sheet(self, case: Case) -> Sheet:
        """Write the case's sheet and read it back once; for another party's acts with one issuer and one batch."""
        key = (case.line, case.outside is not None, case.plot == "updated")
        if key not in self._sheets:
            path = self.home / f"{case.line}-{len(self._sheets)}.xlsx"
            if case.line == "products":
                sales = month_of_sales(self.notes)
                self._sheets[key] = Sheet(write_sales(path, sales), PRODUCTS, sales=sales)
            else:
                emitters = (RIO,) if case.outside else (RIO, SAO_PAULO)
                lines = month_lines(self.notes, emitters=emitters)
                if case.plot == "updated":
                    lines = afterwards.updating_lines(self.notes, default_company()["takers"])
                dropped: Dropped = write_month(path, lines)
                due = months.asked() if case.line == "monthly" else []
                self._sheets[key] = Sheet(path, SERVICES, asked=[*read_workbook(dropped), *due])
        return self._sheets[key]

    def _seen(self, case: Case, sheet: Sheet, url: str, *, is_refused: bool = False) -> Seen:
        record = self.sandbox.record(history=True)
        # The provider refused it at once: the same attempt tries again.
        for rule in self.sandbox.control("faults"):
            if rule["kind"] == "status_429" and rule["operation"] in record["requests_by_operation"]:
                record["requests_by_operation"][rule["operation"]] -= rule["applied"]
        record["turned_away"] = 0
        asked, sales = sheet.asked, sheet.sales
        if case.wanted is not None:
            asked = afterwards.expected(asked, case.wanted)
            sales = afterwards.sales_expected(sales, is_late=case.plot == "cancelled late")
        return Seen(asked, sales, read_ledger(url), record, is_refused, audit_faults(url))

    @contextmanager
    def _ledger(self, folder: Path, *, is_postgresql: bool) -> Iterator[str]:
        if is_postgresql:
            with postgresql_url() as url:
                yield url
            return
        empty = self.home / "ledger.db"
        if not empty.exists():
            Ledger.open(sqlite_url(self.home)).close()
        shutil.copyfile(empty, folder / "ledger.db")
        yield sqlite_url(folder)

    def _evidence(self, verdict: Verdict, seen: Seen, folder: Path) -> str:
        """Store the run's files, its case and its faults. Return the folder, or else the end of its log."""
        log = folder / "worker.log"
        if self.keep is None:
            return log.read_text()[-4000:] if log.exists() else "(nothing)"
        place = self.keep / f"{os.getpid()}-{self._runs}"
        shutil.copytree(folder, place)
        expected = ("case", repr(verdict.case)), ("faults", "\n".join(verdict.faults))
        for name, text in expected:
            (place / f"{name}.txt").write_text(text)
        for name, what in (("ledger", seen.ledger), ("provider", seen.record)):
            (place / f"{name}.json").write_text(json.dumps(what, indent=1, default=str))
        return f"evidence in {place}"


@contextmanager
def _prepared_provider(runner: CaseRunner, case: Case, folder: Path) -> Iterator[None]:
    """Give the runner its own provider, reset, or a separate one for a case in which the provider dies."""
    switches = {**_SWITCHES, **case.switches, "product_extensions": "off" if case.plot == "blind" else "on"}
    own = runner.sandbox
    try:
        with ExitStack() as runner._provider:
            if case.dies_after_s is not None:
                runner._provider.enter_context(_provider(folder, runner))
            else:
                own.control("reset")
            runner.sandbox.switch(**switches)
            runner.sandbox.faults(*case.rules)
            yield
    finally:
        runner.sandbox = own


@contextmanager
def _provider(folder: Path, runner: CaseRunner, *, port: int = 0) -> Iterator[None]:
    with running_sandbox(state=folder / "provider.db", port=port) as runner.sandbox:
        yield


def _begin(worker_run: WorkerRun, folder: Path) -> BaseProcess:
    process = PROCESSES.Process(target=worker_runs.run_worker, args=(worker_run, folder / "worker.log"))
    process.start()
    return process


def _end(process: BaseProcess) -> int:
    """Wait for the end of a process, at most the allowed time, and return its exit code."""
    process.join(_PATIENCE_S)
    if process.exitcode is None:
        process.kill()
        process.join()
        return worker_runs.STUCK
    code = process.exitcode
    process.close()
    return code


def _is_stopped(process: BaseProcess) -> bool:
    """Wait until a process is stopped; return False if it ends first or the allowed time is over."""
    end = time.monotonic() + _PATIENCE_S
    while process.exitcode is None and time.monotonic() < end:
        if Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T":
            return True
        time.sleep(_PAUSE_S)
    return False
