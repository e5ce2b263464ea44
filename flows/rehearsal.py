"""Rehearse a month: run the stations on a copy of the ledger, against a sandbox in this process."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from connectors.ledger import batches as ledger_batches
from connectors.ledger.engine import close_ledgers
from connectors.sandbox import prepare
from connectors.sandbox.control_client import steer
from domain.states import BatchState
from flows.billing import bill_file
from flows.runner import DirectRunner
from tasks import entries
from tasks.contracts.charge_sheets import gather_due
from tasks.payments.payment_sheets import gather_payments
from tasks.rehearsals.copying import at_month_end, copy_ledger, customers_of, restore_copy
from tasks.rehearsals.fault_injection import Company, Trouble, sandbox_faults
from tasks.rehearsals.sandbox_seed import seed_register
from tasks.runtime import Context, open_context, open_runtime, settings_of
from tasks.runtime.order_opening import open_orders
from tasks.runtime.rehearsal_settings import REHEARSAL, in_place, rehearsal_variables
from tasks.stations.reading_options import ReadingOptions

_LONGEST_S: Final = 300.0
"""Seconds after which an unfinished rehearsal ends and shows its partial result."""
_PAUSE_S: Final = 0.2
_ENDED: Final = frozenset({BatchState.PROCESSED, BatchState.DISTURBED, BatchState.DISCARDED})


def rehearse_month(
    profile: str,
    competence: date,
    troubles: Sequence[Trouble],
    show: Callable[[Context, Sequence[int]], None],
    *,
    outbox: Path,
) -> None:
    """Bill a month on a copy of the profile's ledger. Touch neither the ledger itself nor the providers.

    Args:
        profile: Source of the ledger and of the settings, except addresses and secrets.
        competence: First day of the month.
        troubles: Faults that the sandbox injects.
        show: Called at the end with the rehearsal's context and the ids of its readings, before the copy is deleted.
        outbox: Folder for the rehearsal's workbooks, which stay.

    Raises:
        FaturistaError: The month has not begun, or the ledger cannot be read.
    """
    settings = settings_of(profile)
    with TemporaryDirectory() as folder, _sandbox() as base_url:
        company = copy_ledger(profile, Path(folder))
        with in_place(rehearsal_variables(settings, home=folder, outbox=str(outbox), base_url=base_url)):
            try:
                restore_copy(Path(folder))
                readings = asyncio.run(_rehearse(base_url, company, competence, troubles))
                with open_context(REHEARSAL) as context:
                    show(context, readings)
            finally:
                close_ledgers()


@contextmanager
def _sandbox() -> Iterator[str]:
    server = prepare()
    thread = threading.Thread(target=server.run, name="sandbox")
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.stop()
        thread.join()


async def _rehearse(base_url: str, company: Company, competence: date, troubles: Sequence[Trouble]) -> list[int]:
    await asyncio.to_thread(steer, base_url, "seed", company)
    with open_context(REHEARSAL) as context:
        late = at_month_end(context, competence)
        customers = customers_of(late, competence)
        async with open_runtime(REHEARSAL, station="rehearse") as runtime:
            await seed_register(runtime, customers)
        steering = sandbox_faults(troubles)
        await asyncio.to_thread(steer, base_url, "switches", steering.switches)
        await asyncio.to_thread(steer, base_url, "faults", steering.faults)
        files = gather_due(late, competence=competence, is_catching_up=False)
        async with open_orders(REHEARSAL) as orders:
            at_end = replace(orders, clock=late.clock)
            files += await gather_payments(at_end, competence=competence, is_catching_up=False)
    options = ReadingOptions(operator="rehearsal", is_of_contracts=True)
    readings = [(await bill_file(DirectRunner(), REHEARSAL, file, options=options))[0] for file in files]
    await _follow(readings)
    return readings


async def _follow(readings: Sequence[int]) -> None:
    """Work on the readings' batches until they end. Other batches of the copy exist only at the real provider."""
    end = time.monotonic() + _LONGEST_S
    while batches := _open_batches(readings):
        if time.monotonic() > end:
            return
        for reading in readings:
            for shard in entries.unstaged_shards(REHEARSAL, reading):
                await entries.stage(REHEARSAL, shard.batches)
            await entries.approve(REHEARSAL, reading)
        ours = [batch.id for batch in batches]
        await entries.release(REHEARSAL, entries.due_among(REHEARSAL, "release", ours))
        await entries.reconcile(REHEARSAL, entries.due_among(REHEARSAL, "reconcile", ours))
        await asyncio.sleep(_PAUSE_S)


def _open_batches(readings: Sequence[int]) -> list[ledger_batches.BatchRecord]:
    with open_context(REHEARSAL) as context:
        found = [
            batch
            for reading in readings
            for batch in context.ledger.read(ledger_batches.batches_where, reading_id=reading)
        ]
    return [batch for batch in found if batch.state not in _ENDED]
