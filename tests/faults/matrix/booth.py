"""Where runs of the matrix play, one after the other: a sandbox that is used again, and a new ledger each time.

A run is a sheet billed to the end by workers of whom all but the last are killed or let down; after each of them
nothing may be contradictory, and in the end nothing may be wrong.
"""

import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from connectors.ledger.engine import Ledger
from tasks.runtime import PRODUCTS, SERVICES
from tests.faults.evidence import Asked, Dropped, read_ledger, read_workbook
from tests.faults.matrix import life as lives
from tests.faults.matrix.cases import TIMEOUT_S, Case, Line, Plot, rules_of
from tests.faults.matrix.doom import Kill, Trouble
from tests.faults.matrix.life import Life
from tests.faults.matrix.verdict import Seen, Verdict, judge, middle_faults
from tests.faults.sales import Sale, month_of_sales, write_sales
from tests.faults.theatre import PROCESSES
from tests.faults.workbooks import RIO, SAO_PAULO, month_lines, write_month
from tests.ledgers import postgresql_url, sqlite_url
from tests.sandboxes import RunningSandbox

QUIET_S: Final = 120.0
_SETTINGS: Final[Mapping[str, Any]] = {
    "protocol": {
        "quiet_s": QUIET_S,
        "lease_s": 60.0,
        "clock_skew_s": 2.0,
        "settle_s": 0.01,
        "counter_patience_s": 0.2,
        "listing_tries": 5,
    },
    "reconcile": {"looks_s": [5.0, 30.0]},
}
_SWITCHES: Final = {"advance": "at_once", "rejection_share": 0.1, "product_advance": "at_once"}
_PATIENCE_S: Final = 120.0
_LIVES: Final = 12
_FULL: Final = 262_144


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is billed, and what the checker will look for."""

    path: Path
    kind: str
    asked: list[Asked] = field(default_factory=list)
    sales: list[Sale] = field(default_factory=list)


@dataclass(slots=True)
class Booth:
    """`notes`: how many invoices a run is about."""

    home: Path
    sandbox: RunningSandbox
    notes: int
    is_postgresql: bool = False
    _sheets: dict[tuple[Line, bool], Sheet] = field(default_factory=dict)
    _runs: int = 0

    def calm(self, line: Line, plot: Plot = "calm", *, outside: str | None = None) -> Mapping[str, int]:
        """How many requests of each kind the line makes in a plot in which nothing goes wrong.

        `outside`: with one issuer and one batch, as for what somebody else does.
        """
        self.play(Case(kind="calm", told="calm", line=line, plot=plot, rules=rules_of(plot), outside=outside))
        counts: dict[str, int] = self.sandbox.record()["requests_by_operation"]
        return counts

    def play(self, case: Case) -> Verdict:
        """Run the case to its end and judge it."""
        began = time.monotonic()
        self._runs += 1
        folder = self.home / f"run-{self._runs}"
        folder.mkdir(parents=True)
        sheet = self._sheet(case)
        self.sandbox.control("reset")
        self.sandbox.switch(**_SWITCHES, **case.switches)
        self.sandbox.faults(*case.rules)
        with self._ledger(folder) as url:
            faults = self._live_on(case, sheet, url, folder)
            # nothing of this run may arrive in the next one
            lives.settle_wire(self.sandbox, case.lingers_s)
            seen = self._seen(sheet, url, is_told=(folder / lives.TOLD).exists())
            verdict = judge(case, seen, quiet_s=QUIET_S, faults=faults, seconds=time.monotonic() - began)
        if verdict.faults:
            verdict.faults.append(_tail(folder / "worker.log"))
        shutil.rmtree(folder, ignore_errors=True)
        return verdict

    def _live_on(self, case: Case, sheet: Sheet, url: str, folder: Path) -> list[str]:
        """One life after the other until one comes to its end; what was wrong in between."""
        fates: list[Kill | Trouble | None] = [*case.lives, None]
        faults: list[str] = []
        for turn in range(_LIVES):
            fate = fates.pop(0) if fates else None
            code = self._one_life(case, fate, sheet, url, folder, is_first=turn == 0)
            if code == 0:
                return faults
            if code > 0 and code != lives.LET_DOWN:
                return [*faults, f"a worker ended with {code}"]
            lives.settle_wire(self.sandbox, case.arrives_s)
            faults += middle_faults(case, self._seen(sheet, url), quiet_s=QUIET_S)
        return [*faults, f"not at its end after {_LIVES} lives"]

    def _one_life(
        self, case: Case, fate: Kill | Trouble | None, sheet: Sheet, url: str, folder: Path, *, is_first: bool
    ) -> int:
        life = Life(
            settings=self._settings(case, url, folder),
            file=sheet.path,
            kind=sheet.kind,
            base_url=self.sandbox.base_url,
            wanted=self.notes,
            kill=fate if isinstance(fate, Kill) else None,
            trouble=fate if isinstance(fate, Trouble) else None,
            arrives_s=case.arrives_s,
            clock_jumps=case.clock_jumps,
            takes_back=case.plot == "taken back",
            recounts=case.outside is not None,
            lingers_s=case.lingers_s,
            full_at=_FULL if case.full_disk and is_first else None,
        )
        process = PROCESSES.Process(target=lives.live, args=(life, folder / "worker.log"))
        process.start()
        process.join(_PATIENCE_S)
        if process.exitcode is None:
            process.kill()
            process.join()
            return lives.STUCK
        code = process.exitcode
        process.close()
        return code

    def _settings(self, case: Case, url: str, folder: Path) -> Mapping[str, Any]:
        batch_size = max(4, self.notes // 3) if case.outside is None else self.notes
        listed = {"list_above_cents": 1} if case.plot == "listed" else {}
        wire = {"request_timeout_s": TIMEOUT_S, "connect_timeout_s": TIMEOUT_S, "read_tries": 2}
        return {
            "protocol": {**_SETTINGS["protocol"], "batch_size": batch_size, **listed},
            "reconcile": _SETTINGS["reconcile"],
            "nfse": {**wire, "base_url": self.sandbox.base_url, "in_flight": 4},
            "products": {"base_url": self.sandbox.base_url},
            "ledger": {"url": url},
            "paths": {"home": str(folder)},
        }

    def _sheet(self, case: Case) -> Sheet:
        """Written and read back once; for what somebody else does there is one issuer, and one batch."""
        key = (case.line, case.outside is not None)
        if key not in self._sheets:
            path = self.home / f"{case.line}-{len(self._sheets)}.xlsx"
            if case.line == "products":
                sales = month_of_sales(self.notes)
                self._sheets[key] = Sheet(write_sales(path, sales), PRODUCTS, sales=sales)
            else:
                emitters = (RIO,) if case.outside else (RIO, SAO_PAULO)
                dropped: Dropped = write_month(path, month_lines(self.notes, emitters=emitters))
                self._sheets[key] = Sheet(path, SERVICES, asked=list(read_workbook(dropped)))
        return self._sheets[key]

    def _seen(self, sheet: Sheet, url: str, *, is_told: bool = False) -> Seen:
        record = self.sandbox.record(history=True)
        # turned away at the door: the same attempt knocks again
        for rule in self.sandbox.control("faults"):
            if rule["kind"] == "status_429" and rule["operation"] in record["requests_by_operation"]:
                record["requests_by_operation"][rule["operation"]] -= rule["applied"]
        record["turned_away"] = 0
        return Seen(sheet.asked, sheet.sales, read_ledger(url), record, is_told)

    @contextmanager
    def _ledger(self, folder: Path) -> Iterator[str]:
        if self.is_postgresql:
            with postgresql_url() as url:
                yield url
            return
        empty = self.home / "ledger.db"
        if not empty.exists():
            Ledger.open(sqlite_url(self.home)).close()
        shutil.copyfile(empty, folder / "ledger.db")
        yield sqlite_url(folder)


def _tail(log: Path) -> str:
    return log.read_text()[-4000:] if log.exists() else "(nothing)"
