"""One worker of a story: the line's plain stations, without an orchestrator, in a process that may be killed.

FATURISTA_…=… python -m tests.faults.worker [FILE]

It bills the file, if one is named, at every start; then it sweeps over every due batch, as the schedule does, until
none can continue without a person.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from connectors.ledger.batches import batches_where
from connectors.ledger.engine import LedgerUnavailable
from connectors.ledger.sheets.row_import import ReadMeanwhile
from domain.problems import FaturistaError
from domain.states import BatchState
from domain.station_result import StationResult
from tasks.cancellations.cancel import cancel_batch
from tasks.contracts.charge_sheets import gather_due
from tasks.issuance.discard import discard_batch
from tasks.orders.payments import first_instant, rules_of
from tasks.orders.sync import mirror_orders, mirror_paid_invoices
from tasks.payments.payment_sheets import gather_payments
from tasks.replacements.settle import settle_replaced
from tasks.runtime import Runtime, open_context, open_runtime, words_of
from tasks.runtime.order_opening import open_orders
from tasks.stations.approve import approve_automatically
from tasks.stations.assemble import assemble_rows
from tasks.stations.intake import archive_file
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.reconcile import recheck_batch, reconcile_batch
from tasks.stations.release import release_batch
from tasks.stations.resolve import resolve_rows
from tasks.stations.resume import resume_reading
from tasks.stations.stage import stage_batch, stage_batches
from tasks.views.due_work import STATES, Station, due_batches, stalled_readings, unfinished_batches
from tests.ageing import Sleep, age, seconds_to_next
from tests.sandboxes import RunningSandbox

PROFILE: Final = "local"
FAILED: Final = 3
"""Exit code of a worker whose ledger failed."""
_PAUSE_S: Final = 0.03
_TICK_S: Final = 0.001
_WORTH_S: Final = 0.25
"""Seconds. A shorter wait takes less time than writing every instant again."""
STATIONS: Final[Mapping[Station, Callable[[Runtime, int], Awaitable[StationResult]]]] = {
    "stage": stage_batch,
    "release": release_batch,
    "reconcile": reconcile_batch,
    "cancel": cancel_batch,
    "replace": settle_replaced,
    "discard": discard_batch,
    "recount": recheck_batch,
}


def work(environment: Mapping[str, str], log: Path, file: Path | None, **asked: Any) -> None:
    """Run the process; write all its output to `log`.

    Its exit code is 1 if the file could not be billed, 3 if its ledger failed.
    """
    os.environ.update(environment)
    sys.stdout = sys.stderr = log.open("a", buffering=1)
    try:
        is_billed = asyncio.run(run_line(file, **asked))
    except LedgerUnavailable as error:
        print(*words_of(PROFILE).explain(error), sep="\n")
        sys.exit(FAILED)
    if not is_billed:
        sys.exit(1)


async def run_line(
    file: Path | None,
    *,
    retry_rejected: bool = False,
    allow_repeats: bool = False,
    is_followed: bool = True,
    arrives_s: float | None = None,
    gathers: bool = False,
) -> bool:
    """Return False if the file could not be billed now; the ledger's work continues all the same.

    `gathers`: bill the due charges of contracts and paid orders, too.

    Unless `is_followed`, the end is reached when nothing is left to send. `arrives_s`: nobody else is at work, and
    nothing is on its way to the provider for longer; then the ledger ages where others wait.
    """
    is_billed = True
    if file is not None:
        try:
            await _bill(
                file, ReadingOptions(operator="story", retry_rejected=retry_rejected, allow_repeats=allow_repeats)
            )
        except ReadMeanwhile:
            print("left to the worker that reads it")
        except FaturistaError as error:
            is_billed = False
            print("not billed:", error.problem)
    if gathers:
        with open_context(PROFILE) as context:
            found = gather_due(context, competence=None, is_catching_up=False)
        for file_id in (*found, *await _gather_paid()):
            # Another worker that gathered it too bills it.
            with suppress(ReadMeanwhile):
                await _bill_file(file_id, ReadingOptions(operator="story", is_of_contracts=True))
    async with open_runtime(PROFILE, station="story") as runtime:
        await _sweep(runtime)
        sleep = Sleep()
        while unfinished_batches(runtime) if is_followed else _has_unsent(runtime):
            await _pass_time(runtime, arrives_s, sleep)
            await _sweep(runtime)
    return is_billed


async def _gather_paid() -> list[int]:
    """The sheets of what orders were paid, as the monthly flow gathers them; none where no rule file is named."""
    with open_context(PROFILE) as context:
        rules = rules_of(context)
    if rules is None:
        return []
    async with open_orders(PROFILE) as runtime:
        for plan in rules.plans:
            print(await mirror_paid_invoices(runtime, plan, since=first_instant(rules.since)))
            print(await mirror_orders(runtime, plan))
        return await gather_payments(runtime, competence=None, is_catching_up=False)


async def _bill(file: Path, options: ReadingOptions) -> None:
    with open_context(PROFILE) as context:
        file_id = archive_file(context, file)
    await _bill_file(file_id, options)


async def _bill_file(file_id: int, options: ReadingOptions) -> None:
    with open_context(PROFILE) as context:
        reading, result = read_file(context, file_id, options)
        print(result)
    async with open_runtime(PROFILE, station="story") as runtime:
        for station in (resolve_rows, assemble_rows):
            print(await station(runtime, reading))


async def _pass_time(runtime: Runtime, arrives_s: float | None, sleep: Sleep) -> None:
    left = None
    if arrives_s is not None:
        left = runtime.ledger.read(seconds_to_next, idle_s=runtime.settings.protocol.lease_s)
    if arrives_s is None or left is None or left <= _WORTH_S:
        await asyncio.sleep(_PAUSE_S)
        return
    try:
        await asyncio.to_thread(RunningSandbox(runtime.settings.nfse.base_url).settle, arrives_s)
    except OSError:
        # The provider's machine is down: it may return with what it accepted.
        await asyncio.sleep(_PAUSE_S)
        return
    runtime.ledger.write(age, runtime.ledger.read(sleep.seconds, left) + _TICK_S)


def _has_unsent(runtime: Runtime) -> bool:
    states = STATES["stage"] | STATES["release"] | {BatchState.STAGED}
    return bool(runtime.ledger.read(batches_where, states=states))


async def _sweep(runtime: Runtime) -> None:
    for reading in stalled_readings(runtime):
        print(await resume_reading(runtime, reading))
    for station, look in STATIONS.items():
        due = due_batches(runtime, station)
        if station == "stage":
            print(*await stage_batches(runtime, due), sep="\n")
            approve_automatically(runtime)
            continue
        for batch in due:
            print(await look(runtime, batch))


if __name__ == "__main__":
    sys.exit(not asyncio.run(run_line(Path(sys.argv[1]) if sys.argv[1:] else None)))
