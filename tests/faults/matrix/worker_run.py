"""One worker: it bills a sheet and sweeps until nothing is left to do, or until it is killed.

It is a separate process. Where only waiting would help, the ledger ages instead (`ageing`); where a person has to
decide, one does (`person`); rows that were refused because of another party's acts are dropped once more.
"""

import asyncio
import os
import sys
import urllib.error
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from configs.catalogue import Catalogue
from configs.load import load_settings
from configs.settings import Settings
from connectors.http.auth import BasicPair, BasicToken, TokenHeader
from connectors.http.retry import Patience
from connectors.http.session import HttpSession
from connectors.issuers import NFSE, PRODUCTS, OpenIssuers
from connectors.ledger import parties as ledger_parties
from connectors.ledger import tables
from connectors.ledger.batches import batches_where
from connectors.nfe.client import NfeClient
from connectors.nfe.issuing.issuer import NfeIssuer
from connectors.nfse.client import NfseClient
from connectors.nfse.issuing.issuer import NfseIssuer
from domain.issuing import Issuer
from domain.problems import FaturistaError
from domain.states import BatchState
from domain.station_result import Ending
from tasks.issuance.decide import decide_batch
from tasks.issuance.numbering import UnusableSerie, next_numbers
from tasks.runtime import Runtime, resolve_url, security_code
from tasks.runtime.secrets import resolve_secret
from tasks.stations.approve import approve_automatically
from tasks.stations.assemble import assemble_rows
from tasks.stations.intake import archive_file
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.resolve import resolve_rows
from tasks.stations.resume import resume_reading
from tasks.views.due_work import STATES, due_batches, stalled_readings, unfinished_batches
from tests.ageing import Sleep, age, seconds_to_next
from tests.faults.matrix import afterwards, months
from tests.faults.matrix.afterwards import Wanted
from tests.faults.matrix.person import decide
from tests.faults.matrix.worker_faults import FailingLedger, FailingSession, Kill, LedgerFault, WorkerFaults, namer
from tests.faults.sales import month_of_sales
from tests.faults.worker import PROFILE, STATIONS
from tests.sandboxes import RunningSandbox

FAILED: Final = 3
"""Exit code of a worker whose ledger or provider failed: it is started again."""
STUCK: Final = 4
"""Exit code when something waits that neither time nor a person can settle."""
REFUSED: Final = "told"
"""The file that reports a serie which another program uses."""
_ROUNDS: Final = 400
_DROPS: Final = 30
"""A provider that refuses one list in five refuses most imports: each asks for several lists."""
_TICK_S: Final = 0.001
_LONG_S: Final = 10.0
_DAY_S: Final = 86_401.0
_HALF_AN_HOUR_S: Final = 1_801.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerRun:
    """One worker's work, and its faults.

    `arrives_s`: real seconds after which no sent request can still be on its way. `clock_jumps`: errors of the worker's
    own clock, one for each reading. `takes_back`: a person takes the first batch back once it is staged. `wanted`:
    number of invoices that the sheet asks for. `full_at`: largest size of a file in bytes. `recounts`: number of days
    that pass at the end; each day, after all requests in flight have arrived, every finished batch is counted again.
    `is_alone`: if false, nothing ages, nobody decides, and the end is when nothing is due. `is_blind`: nothing can be
    read back, so the end is when nothing is left to send. `gathers`: bill contracts that are due and paid orders, too.
    `wants`: once everything is issued, a person wants some invoices cancelled or replaced. `is_late`: the provider's
    clock is half an hour ahead then.
    """

    settings: Mapping[str, Any]
    file: Path | None
    kind: str
    base_url: str
    wanted: int
    kill: Kill | None = None
    ledger_fault: LedgerFault | None = None
    arrives_s: float = 0.0
    clock_jumps: tuple[float, ...] = ()
    takes_back: bool = False
    full_at: int | None = None
    recounts: int = 0
    lingers_s: float = 0.0
    is_alone: bool = True
    is_blind: bool = False
    gathers: bool = False
    wants: Wanted | None = None
    is_late: bool = False


@dataclass(slots=True)
class _Worker:
    worker_run: WorkerRun
    runtime: Runtime
    sandbox: RunningSandbox
    orders: FailingSession | None = None
    drops: int = 0
    asks: int = 0
    has_taken_back: bool = False
    recounted: int = 0
    has_news: bool = True
    sleep: Sleep = field(default_factory=Sleep)


def run_worker(worker_run: WorkerRun, log: Path) -> None:
    """Run the worker in this process, with its output in `log`. Exit with a code of this module."""
    sys.stdout = sys.stderr = log.open("a", buffering=1)
    if worker_run.full_at is not None:
        _limit_files(worker_run.full_at)
    try:
        sys.exit(asyncio.run(_work(worker_run)))
    except FaturistaError as error:
        print("let down:", type(error).__name__, error.problem)
        # Do not clean up, as after a crash.
        os._exit(FAILED)
    except urllib.error.URLError as error:
        print("the provider's machine is down:", error)
        os._exit(FAILED)


async def _work(worker_run: WorkerRun) -> int:
    async with _open(worker_run) as (runtime, orders):
        worker = _Worker(worker_run, runtime, RunningSandbox(worker_run.base_url), orders)
        await _drop(worker)
        for _ in range(_ROUNDS):
            if await _sweep(worker):
                continue
            if not worker_run.is_alone:
                if worker.asks == 0 and await _ask(worker):
                    continue
                return 0
            if worker_run.is_blind:
                # Only a person's look decides, and nobody looks before all requests in flight have arrived.
                worker.sandbox.settle(worker_run.arrives_s)
            if decide(runtime, worker.sandbox):
                continue
            if not (worker_run.is_blind and not _has_unsent(runtime)):
                if await _wait(worker):
                    continue
                if unfinished_batches(runtime):
                    return STUCK
            if worker.recounted < worker_run.recounts:
                worker.recounted += 1
                worker.sandbox.settle(worker_run.lingers_s)
                runtime.ledger.write(age, _DAY_S)
                await _ask_for_numbers(runtime)
                continue
            if worker.has_news and worker.drops < _DROPS and runtime.ledger.read(_billed) < worker_run.wanted:
                # The same sheet bills what was refused or taken back on the way, and nothing else.
                await _drop(worker)
            elif await _age_open_changes(worker):
                await _drop(worker)
            elif not await _ask(worker):
                return 0
        return STUCK


async def _drop(worker: _Worker) -> None:
    """Drop the sheet, and gather and bill what the month owes. Rows that are billed already change nothing."""
    worker_run, runtime = worker.worker_run, worker.runtime
    worker.drops += 1
    has_batches = False
    # A cancelled invoice's row is billed again by a new drop. Several workers start when all is issued: one of them may
    # cancel while another one reads.
    if worker_run.wants == "cancelled" and (not worker_run.is_alone or afterwards.has_begun(runtime)):
        worker.has_news = False
        return
    try:
        if worker_run.file is not None:
            options = ReadingOptions(operator="matrix")
            has_batches |= await _bill(runtime, archive_file(runtime, worker_run.file, kind=worker_run.kind), options)
        if worker.orders is not None:
            for file_id in await months.gather(runtime, worker.orders):
                options = ReadingOptions(operator="matrix", is_of_contracts=True)
                has_batches |= await _bill(runtime, file_id, options)
        # A drop that only ended an interrupted reading did not ask again for rows that were taken back.
        worker.has_news = worker.drops == 1 or has_batches
    except FaturistaError as error:
        if _is_fatal(error):
            raise
        print("not billed:", error.problem)


async def _ask(worker: _Worker) -> bool:
    """Ask for what a person wants of the issued invoices. Return whether there is anything new to do."""
    runtime = worker.runtime
    worker.asks += 1
    if worker.worker_run.wants is None or worker.asks > _DROPS:
        return False
    if worker.worker_run.is_late and not afterwards.has_begun(runtime):
        worker.sandbox.control("clock", {"ahead_s": _HALF_AN_HOUR_S})
    try:
        if worker.worker_run.wants == "cancelled":
            return afterwards.cancel(
                runtime, month_of_sales(worker.worker_run.wanted) if worker.worker_run.kind == PRODUCTS else ()
            )
        path = afterwards.replacements(runtime)
        if path is None:
            return False
        return await _bill(runtime, archive_file(runtime, path), ReadingOptions(operator="matrix"))
    except FaturistaError as error:
        if _is_fatal(error):
            raise
        print("not asked:", error.problem)
        return True


async def _age_open_changes(worker: _Worker) -> bool:
    """Age the ledger until unanswered writes to the register can be looked up. Return whether a new drop may do so."""
    runtime = worker.runtime
    if worker.drops >= _DROPS or not runtime.ledger.read(afterwards.count_open_changes):
        return False
    worker.sandbox.settle(worker.worker_run.arrives_s)
    await runtime.ledger.write_async(age, runtime.settings.protocol.quiet_for(is_staged=True) + 1)
    return True


async def _bill(runtime: Runtime, file_id: int, options: ReadingOptions) -> bool:
    """Read and assemble a file. Return whether it made batches."""
    reading, result = read_file(runtime, file_id, options)
    print(result)
    print(await resolve_rows(runtime, reading))
    result = await assemble_rows(runtime, reading)
    print(result)
    return result.counts["batches"] > 0


async def _ask_for_numbers(runtime: Runtime) -> None:
    """Look at the serie as the next sheet would, which reveals another user; reserve no number."""
    for emitter in runtime.ledger.read(ledger_parties.emitters_all):
        try:
            await next_numbers(runtime, emitter, count=1)
        except UnusableSerie as error:
            (Path(runtime.settings.paths.home) / REFUSED).write_text(str(error.problem))


def _has_unsent(runtime: Runtime) -> bool:
    states = STATES["stage"] | STATES["release"] | {BatchState.STAGED}
    return bool(runtime.ledger.read(batches_where, states=states) or stalled_readings(runtime))


def _billed(conn: sa.Connection) -> int:
    """Return the number of rows whose invoice the city, or the tax authority, has decided."""
    table = tables.invoices
    ends = table.c.state.in_(["accepted", "rejected"])
    rows = sa.select(sa.func.count(sa.distinct(table.c.business_key))).where(ends)
    return int(conn.execute(rows).scalar_one())


def _is_fatal(error: FaturistaError) -> bool:
    return error.problem.code.startswith("ledger.")


async def _sweep(worker: _Worker) -> bool:
    """Work once on everything that is due. Return whether there was anything."""
    runtime, has_worked = worker.runtime, False
    for reading in stalled_readings(runtime):
        result = await resume_reading(runtime, reading)
        print(result)
        has_worked |= result.ending is Ending.DONE
    for station, look in STATIONS.items():
        for batch in due_batches(runtime, station):
            result = await look(runtime, batch)
            print(result)
            has_worked = True
            if station == "stage" and worker.worker_run.takes_back and not worker.has_taken_back and result.counts:
                worker.has_taken_back = True
                decide_batch(runtime, batch, "discard", person="Ana", because="not this month")
        if station == "stage":
            has_worked |= bool(approve_automatically(runtime))
    return has_worked


async def _wait(worker: _Worker) -> bool:
    """Let the requested time pass. Return False if the line waits for nothing."""
    runtime, worker_run = worker.runtime, worker.worker_run
    left = runtime.ledger.read(seconds_to_next, idle_s=runtime.settings.protocol.lease_s)
    if left is None:
        return False
    if left > 0:
        seconds = runtime.ledger.read(worker.sleep.seconds, left)
        if seconds > _LONG_S:
            worker.sandbox.settle(worker_run.arrives_s)
        runtime.ledger.write(age, seconds + _TICK_S)
    return True


@asynccontextmanager
async def _open(worker_run: WorkerRun) -> AsyncIterator[tuple[Runtime, FailingSession | None]]:
    settings = load_settings(PROFILE, worker_run.settings)
    worker_faults = WorkerFaults(worker_run.kill, worker_run.ledger_fault)
    ledger = FailingLedger.open_with(worker_faults, resolve_url(settings))
    try:
        async with _session(settings, worker_faults) as session, _product_session(settings, worker_faults) as products:
            line = (settings, Catalogue.load(settings.language), ledger, f"life:{os.getpid()}", _clock(worker_run))
            runtime = Runtime(*line, issuers=_issuers(settings, session, products))
            account = await runtime.issuer(NFSE).account()
            assert account is not None
            await ledger.write_async(ledger_parties.bind_account, uuid=account.uuid, name=account.name)
            if not worker_run.gathers:
                yield runtime, None
                return
            async with _order_session(settings, worker_faults) as orders:
                yield runtime, orders
    finally:
        ledger.close()


def _issuers(settings: Settings, session: HttpSession, products: HttpSession) -> OpenIssuers:
    client = NfeClient(products, extensions=settings.products.extensions)
    code = partial(security_code, settings)
    issuers: list[Issuer] = [
        NfseIssuer(NfseClient(session)),
        NfeIssuer(client, "nfe", code),
        NfeIssuer(client, "nfce", code),
    ]
    return OpenIssuers({each.name: each for each in issuers}, {NFSE: session, PRODUCTS: products})


def _session(settings: Settings, worker_faults: WorkerFaults) -> FailingSession:
    nfse, requests = settings.nfse, settings.requests
    session = FailingSession(
        nfse.base_url,
        BasicToken(resolve_secret(nfse.token).get_secret_value()),
        in_flight=nfse.in_flight,
        lane_size=nfse.lane_size,
        request_timeout_s=requests.timeout_s,
        connect_timeout_s=requests.connect_timeout_s,
        patience=Patience(tries=requests.read_tries, first_wait_s=_TICK_S),
    )
    session.worker_faults, session.name = worker_faults, namer("nfse")
    return session


def _product_session(settings: Settings, worker_faults: WorkerFaults) -> FailingSession:
    session = FailingSession(
        settings.products.base_url,
        TokenHeader(resolve_secret(settings.products.token).get_secret_value()),
        in_flight=settings.products.in_flight,
        request_timeout_s=settings.requests.timeout_s,
        connect_timeout_s=settings.requests.connect_timeout_s,
        patience=Patience(tries=settings.requests.read_tries, first_wait_s=_TICK_S),
    )
    session.worker_faults, session.name = worker_faults, namer("nfe")
    return session


def _order_session(settings: Settings, worker_faults: WorkerFaults) -> FailingSession:
    orders, requests = settings.orders, settings.requests
    session = FailingSession(
        orders.base_url,
        BasicPair(*(resolve_secret(each).get_secret_value() for each in (orders.user, orders.password))),
        in_flight=orders.in_flight,
        request_timeout_s=requests.timeout_s,
        connect_timeout_s=requests.connect_timeout_s,
        patience=Patience(tries=requests.read_tries, first_wait_s=_TICK_S),
    )
    session.worker_faults, session.name = worker_faults, namer("orders")
    return session


def _clock(worker_run: WorkerRun) -> Callable[[], datetime]:
    jumps = iter(worker_run.clock_jumps)
    off = timedelta()

    def clock() -> datetime:
        nonlocal off
        off += timedelta(seconds=next(jumps, 0.0))
        return datetime.now(UTC) + off

    return clock


def _limit_files(size: int) -> None:
    """Let no file grow beyond this size: the ledger then meets a full disk."""
    import resource  # noqa: PLC0415 - of this story alone

    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
