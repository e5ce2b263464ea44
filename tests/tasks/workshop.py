"""The workshop that tests stations: a sandbox over a real socket, an empty ledger, and rows of a sheet.

Request timeouts suit a busy machine. Tests of quiet time advance the clock `Context.clock`; the ledger's own clock and
the wire's do not change.
"""

import asyncio
import dataclasses
import json
import shutil
import sqlite3
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import pytest

from connectors.ledger import attempts, batches, files, incidents, invoices, leases, parties, rows, transitions
from connectors.ledger.attempts import Attempt
from connectors.ledger.batches import BatchRecord
from connectors.ledger.engine import Ledger, shared_ledger
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.rows import NewRow, RowRecord, pack_new_row
from connectors.ledger.sheets.row_import import store_reading
from connectors.nfse.client import NfseClient
from connectors.nfse.issuing.invoices import note_body
from domain.problems import Problem
from domain.services.lines import ServiceLine
from domain.staff import Actor
from domain.states import BatchState, Entity, InvoiceState
from domain.station_result import StationResult
from tasks.approvals.findings import ALL, acknowledge
from tasks.issuance.decide import BatchDecision, NoteDecision, decide_batch, decide_note
from tasks.runtime import Context, Runtime, open_context, open_runtime
from tasks.stations.approve import approve_batches, waiting_batches
from tasks.stations.assemble import assemble_rows
from tasks.stations.reconcile import reconcile_batch
from tasks.stations.release import release_batch
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batch
from tests.ageing import age
from tests.ledgers import blank_file, sqlite_url
from tests.sandboxes import RunningSandbox, running_sandbox
from tests.sandboxes import note_body as somebodys_note
from tests.tasks.rows import company, lines
from tests.tasks.scenes import beginning, scene

P = ParamSpec("P")
T = TypeVar("T")

PROFILE: Final = "local"
SHEET: Final = "Faturamento"
QUIET_S: Final = 40.0
LEASE_S: Final = 60.0
TIMEOUT_S: Final = 20.0
_SETTINGS: Final = {
    "LANGUAGE": "en",
    "REQUESTS__TIMEOUT_S": str(TIMEOUT_S),
    "REQUESTS__CONNECT_TIMEOUT_S": str(TIMEOUT_S),
    "NFSE__IN_FLIGHT": "4",
    "REQUESTS__READ_TRIES": "1",
    "PROTOCOL__QUIET_S": str(QUIET_S),
    "PROTOCOL__LEASE_S": str(LEASE_S),
    "PROTOCOL__CLOCK_SKEW_S": "0.1",
    "PROTOCOL__SETTLE_S": "0.01",
    "PROTOCOL__COUNTER_PATIENCE_S": "0.1",
    "RECONCILE__LOOKS_S": "[0.01]",
}


def nfse_of(runtime: Runtime) -> NfseClient:
    """Return the provider of service invoices as its documents describe it, without the port."""
    return NfseClient(runtime.issuers.sessions["nfse"])


def fault(operation: str, kind: str, **others: Any) -> dict[str, Any]:
    """Return a rule of the sandbox, in the form of `connectors.emulation.faults`."""
    return {"operation": operation, "kind": kind, **others}


@dataclass(slots=True)
class Workshop:
    """One test's sandbox and ledger. It prepares everything through the stations themselves."""

    sandbox: RunningSandbox
    ledger_url: str
    home: Path
    _patch: pytest.MonkeyPatch
    _ledger: Ledger
    _files: int = 0
    began: tuple[int, dict[str, str]] = (-1, {})
    """Signs of a workshop in which nothing has happened yet; see `tests.tasks.scenes`."""

    def set(self, **settings: object) -> None:
        """Change settings for this test, such as `PROTOCOL__QUIET_S=2`."""
        for name, value in settings.items():
            self._patch.setenv(f"FATURISTA_{name}", str(value))

    @contextmanager
    def context(self, *, ahead: timedelta = timedelta(0)) -> Iterator[Context]:
        with open_context(PROFILE) as context:
            yield dataclasses.replace(context, clock=lambda: datetime.now(UTC) + ahead)

    def run(
        self,
        station: Callable[Concatenate[Runtime, P], Awaitable[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run the station with a new runtime, as a task run does."""
        return self.run_ahead(timedelta(0), station, *args, **kwargs)

    def run_ahead(
        self,
        ahead: timedelta,
        station: Callable[Concatenate[Runtime, P], Awaitable[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run the station as a worker whose clock is this much ahead."""

        async def work() -> T:
            async with open_runtime(PROFILE, station="test") as runtime:
                moved = dataclasses.replace(runtime, clock=lambda: datetime.now(UTC) + ahead)
                return await station(moved, *args, **kwargs)

        return asyncio.run(work())

    def run_quiet(
        self,
        station: Callable[Concatenate[Runtime, P], Awaitable[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run the station after the quiet time, by the ledger's clock."""
        self._ledger.write(age, QUIET_S + 1)
        return self.run(station, *args, **kwargs)

    def read(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
        """Call a function of the ledger's package on a snapshot."""
        return self._ledger.read(fn, *args, **kwargs)

    def write(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
        return self._ledger.write(fn, *args, **kwargs)

    def reading(self, *asked: ServiceLine, file_id: int | None = None, first_row: int = 5, **options: Any) -> int:
        """Store a reading with these rows, of a new file unless one is named. Return its id."""
        self._files += file_id is None
        file_id = file_id or self.file(self._files)
        news = [
            pack_new_row(NewRow(sheet=SHEET, row_number=first_row + n, cells={}, line=each.to_json()))
            for n, each in enumerate(asked)
        ]
        return store_reading(self._ledger, file_id, operator="clerk", options=options, understood={}, news=news)

    @property
    def file_count(self) -> int:
        """Return how many files were invented."""
        return self._files

    def continue_after(self, files: int) -> None:
        """Take a scene's count of invented files as this workshop's own."""
        self._files = files

    def file(self, number: int = 1) -> int:
        """Return the ledger's id of an invented file."""
        sha256 = f"{number:064x}"
        return self.write(files.receive, sha256=sha256, name=f"mes-{number}.xlsx", size_bytes=3, kind="services").id

    def assembled(self, *asked: ServiceLine, **options: Any) -> tuple[int, list[int]]:
        """Resolve and assemble a reading. Return its id, and the ids of its batches."""
        reading = self.reading(*asked, **options)
        self.run(resolve_rows, reading)
        self.run(assemble_rows, reading)
        return reading, [batch.id for batch in self.read(batches.batches_where, reading_id=reading)]

    @scene
    def planned(self, count: int = 5) -> int:
        """Plan a batch of this many notes in the ledger alone."""
        (batch,) = self.assembled(*lines(count))[1]
        return batch

    @scene
    def staged(self, count: int = 5) -> int:
        batch = self.planned(count)
        self.run(stage_batch, batch)
        assert self.batch(batch).state == "staged", self.incidents()
        return batch

    @scene
    def approved(self, count: int = 5) -> int:
        batch = self.staged(count)
        self.approve()
        return batch

    def approve(self) -> None:
        """Approve everything that waits, as a person."""
        with self.context() as context:
            waiting = waiting_batches(context)
            acknowledge(context, waiting, [ALL], actor=Actor("Ana"), because="it is so")
            for batch in waiting:
                approve_batches(context, [batch], actor=Actor("Ana"))

    @scene
    def sent(self, count: int = 5) -> int:
        batch = self.approved(count)
        self.run(release_batch, batch)
        assert self.batch(batch).state == "scheduled", self.incidents()
        return batch

    @scene
    def processed(self, count: int = 5) -> int:
        batch = self.sent(count)
        self.follow(batch)
        return batch

    def follow(self, batch: int, *, looks: int = 40) -> StationResult:
        """Look at a sent batch until it is processed."""
        for _ in range(looks):
            result = self.run(reconcile_batch, batch)
            if self.batch(batch).state == "processed":
                return result
        raise AssertionError(f"not processed: {self.batch(batch)}, {self.incidents()}")

    def batch(self, batch_id: int) -> BatchRecord:
        return self.read(batches.batch_of, batch_id)

    def remote(self, batch_id: int) -> int:
        """Return the provider's id of a batch."""
        found = self.batch(batch_id).remote_id
        assert found is not None
        return found

    def batches(self) -> list[BatchRecord]:
        return self.read(batches.batches_where)

    def notes(self, batch_id: int) -> list[InvoiceRecord]:
        """Return the ledger's invoices of a batch, by number."""
        return list(self.read(invoices.invoices_of, batch_id))

    def states(self, batch_id: int) -> list[InvoiceState]:
        return [note.state for note in self.notes(batch_id)]

    def rows(self, reading_id: int) -> list[RowRecord]:
        return self.read(rows.rows_of, reading_id)

    def problems(self, reading_id: int) -> dict[int, list[str]]:
        """Return problem codes by row number, for the rows with problems."""
        return {row.row_number: codes(row.problems) for row in self.rows(reading_id) if row.problems}

    def incidents(self) -> list[str]:
        """Return the codes of the open incidents."""
        return [each.code for each in self.read(incidents.incidents_open)]

    def attempts(self, batch_id: int, what: str) -> list[Attempt]:
        return [each for each in self.read(attempts.attempts_of, batch_id=batch_id) if each.what == what]

    def reasons(self, entity: Entity, entity_id: int) -> list[str]:
        """Return the reason of each of its moves, oldest first."""
        return [event.because for event in self.read(transitions.events_of, entity, [entity_id])]

    def record(self) -> Any:
        return self.sandbox.record(requests=True)

    def there(self, *, deleted: bool = False) -> list[dict[str, Any]]:
        """Return the provider's notes, by number."""
        notes = [note for note in self.record()["notes"] if deleted or not note["is_deleted"]]
        return sorted(notes, key=lambda note: (note["number"], note["id"]))

    def asked(self, *operations: str) -> int:
        """How many requests the provider has seen, of these operations."""
        counts = self.sandbox.requests()
        return sum(counts.get(operation, 0) for operation in operations)

    def forget_taker(self, number: int) -> None:
        """Delete the taker that `taker(number)` made at the provider, which refuses its notes from now on."""
        _, found, _ = self.sandbox.call("GET", f"/api/v1/takers?cnpj={company(number).number}")
        status, _, _ = self.sandbox.call("DELETE", f"/api/v1/takers/{found['collection'][0]['id']}")
        assert status == 204

    def post_as_somebody_else(self, **changes: Any) -> int:
        """Post a note of another system, in no batch unless `batch` names one. Return its id."""
        status, note, _ = self.sandbox.call(
            "POST", "/api/v1/nfse", somebodys_note(changes.pop("number", None), **changes)
        )
        assert status in {201, 202}, note
        return int(note["id"])

    def lock_out(self) -> None:
        """Change the account's token from now on."""
        self.sandbox.control("seed", {"account": {"id": 1, "name": "locked", "token": "another"}})

    def decide(self, batch_id: int, decision: BatchDecision) -> None:
        """Take a person's decision on a disturbed batch."""
        with self.context() as context:
            decide_batch(context, batch_id, decision, person="Ana", because="looked at it")

    def decide_note(self, invoice_id: int, decision: NoteDecision) -> None:
        with self.context() as context:
            decide_note(context, invoice_id, decision, person="Ana", because="looked for it")

    def disturb(self, batch_id: int) -> None:
        """Disturb the batch, so that it stops and waits for a person."""
        self.write(batches.disturb, batch_id, code="batch.foreign_note", params={"number": 3})

    def age(self, columns: str, by: timedelta) -> None:
        """Move these instants of every batch into the past."""
        earlier = int(by.total_seconds() * 1_000_000)
        self.tamper("UPDATE batches SET " + ", ".join(f"{name} = {name} - {earlier}" for name in columns.split(", ")))

    def reopen(self, batch_id: int) -> None:
        """Open the content of a staged or approved batch again."""
        states = {BatchState.STAGED, BatchState.APPROVED}
        lease = self.write(leases.claim, batch_id, owner="test", seconds=60, states=states)
        assert lease is not None
        self.write(batches.reopen, lease, because="opened again")
        self.write(leases.give_back, lease)

    def tamper(self, statement: str) -> None:
        """Change the SQLite ledger directly, past its own guards."""
        with closing(sqlite3.connect(self.ledger_url.removeprefix("sqlite:///"), isolation_level=None)) as conn:
            for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                conn.execute(f"DROP TRIGGER {name}")
            changed = conn.execute(statement).rowcount
        assert changed, statement

    def arrive(self, invoice: InvoiceRecord) -> int:
        """Let the request for a note arrive after all, long after its timeout. Return the id it gets."""
        assert invoice.batch_id is not None
        batch = self.batch(invoice.batch_id)
        assert batch.emission_at is not None
        place = {"batch_id": batch.remote_id, "serie": invoice.serie, "number": invoice.number}
        emitter = self.read(parties.emitter_of, invoice.emitter_id)
        body = note_body(json.loads(invoice.content), emitter_id=emitter.remote_id)
        dated = {"emission_date": batch.emission_at.isoformat(), **body, **place}
        status, note, _ = self.sandbox.call("POST", "/api/v1/nfse", dated)
        assert status == 201, note
        return int(note["id"])

    def act(self, do: str, **what: Any) -> Any:
        """Do what a person does in the provider's web page."""
        return self.sandbox.control("act", {"do": do, **what})


def codes(problems: Collection[Problem]) -> list[str]:
    return [problem.code for problem in problems]


def remarks(result: StationResult) -> Sequence[str]:
    return codes(result.remarks)


@pytest.fixture(scope="session")
def provider() -> Iterator[RunningSandbox]:
    """Yield one sandbox for all tests of this worker; each test resets it."""
    with running_sandbox(in_thread=True) as running:
        yield running


@pytest.fixture(scope="session")
def blank_ledger() -> Path:
    """Return a migrated, empty SQLite ledger to copy."""
    return blank_file()


@pytest.fixture
def shop(
    provider: RunningSandbox, blank_ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workshop]:
    """Yield a workshop whose ledger is a SQLite file."""
    shutil.copy(blank_ledger, tmp_path / "ledger.db")
    yield from _opened(provider, sqlite_url(tmp_path), tmp_path, monkeypatch)


@pytest.fixture
def each_shop(
    provider: RunningSandbox, ledger_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workshop]:
    """Yield a workshop on each database in turn."""
    yield from _opened(provider, ledger_url, tmp_path, monkeypatch)


def _opened(
    provider: RunningSandbox, ledger_url: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workshop]:
    provider.control("reset")
    provider.switch(advance="at_once")
    # The stations' own ledger: a second one would open as many connections again. A rehearsal closes it, and what reads
    # it afterwards connects anew, so it is closed here whatever came before.
    with closing(shared_ledger(ledger_url)) as ledger:
        opened = Workshop(provider, ledger_url, home, monkeypatch, ledger)
        opened.set(**_SETTINGS, NFSE__BASE_URL=provider.base_url, PRODUCTS__BASE_URL=provider.base_url)
        opened.set(LEDGER__URL=ledger_url, PATHS__HOME=home)
        opened.began = beginning(opened)
        yield opened
