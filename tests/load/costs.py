"""P7 and P8: the requests of an invoice from its sheet to the city's number, and the cost of a look.

The whole line bills sheets at the sandbox, whose own record counts the requests. Beside each cost is its difference
from the preview's estimate.
"""

import asyncio
import io
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import pytest
import sqlalchemy as sa

from connectors.ledger.batches import batches_where
from connectors.ledger.engine import Ledger
from domain.forecasts.budget import Budget
from tasks.preview.dry_run import forecast_file
from tasks.runtime import open_runtime
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.reconcile import reconcile_batch
from tasks.views.due_work import STATES
from tests.faults.workbooks import RIO, Line, month_lines, write_month
from tests.faults.worker import PROFILE, run_line
from tests.load.table import Row
from tests.sandboxes import RunningSandbox, running_sandbox

P = ParamSpec("P")
T = TypeVar("T")

ROWS: Final = 2_000
BATCH_SIZE: Final = 500
LOOKS: Final = 5
NEW_TAKER_IN: Final = 5
_TOLERANCE: Final = 0.02
_SETTINGS: Final = {
    "PROTOCOL__SETTLE_S": "0",
    "PROTOCOL__LEASE_S": "120",
    "NFSE__PACE__LEAST_PER_MINUTE": "6000",
    "RECONCILE__LOOKS_S": "[0.05]",
}
_SCENES: Final[tuple[tuple[str, float, dict[str, str]], ...]] = (
    ("one new taker in five", 1.56, {}),
    ("takers known, counted proof", 1.13, {}),
    ("takers known, listed proof", 1.24, {"PROTOCOL__LIST_ABOVE_CENTS": "1"}),
)


def rows(*, count: int = ROWS, batch_size: int = BATCH_SIZE) -> Iterator[Row]:
    """Measure for about a minute."""
    with tempfile.TemporaryDirectory(prefix="faturista-bench-") as folder, pytest.MonkeyPatch.context() as environment:
        home = Path(folder)
        # Each look at the batch is one look at each of its notes; the count before the send is the first.
        with running_sandbox(advance="looks", advance_looks=LOOKS) as sandbox:
            places = {
                "NFSE__BASE_URL": sandbox.base_url,
                "PATHS__HOME": folder,
                "LEDGER__URL": f"sqlite:///{home}/l.db",
            }
            _set(environment, _SETTINGS | places | {"PROTOCOL__BATCH_SIZE": str(batch_size)})
            for number, (what, target, settings) in enumerate(_SCENES):
                _set(environment, settings)
                month = home / f"month {number}.xlsx"
                write_month(month, _lines(count, prefix=str(number)))
                yield from _billed(sandbox, month, what=what, target=target)
            yield from _looked_at(sandbox, home, batch_size)


def _set(environment: pytest.MonkeyPatch, settings: dict[str, str]) -> None:
    for name, value in settings.items():
        environment.setenv(f"FATURISTA_{name}", value)


def _lines(count: int, *, prefix: str) -> list[Line]:
    """Return one emitter's good lines: every fifth with another taker, the same takers in every sheet."""
    takers = [line for line in month_lines(2 * count // NEW_TAKER_IN, emitters=(RIO,)) if line.kind == "good"]
    each = takers[: count // NEW_TAKER_IN]
    return [
        line.but(description=f"Contrato {prefix}-{place:05}") for place, line in enumerate(islice(cycle(each), count))
    ]


def _billed(sandbox: RunningSandbox, month: Path, *, what: str, target: float) -> Iterator[Row]:
    budget = asyncio.run(_previewed(month))
    before = sandbox.record()
    _bill(month)
    after = sandbox.record()
    asked = _asked(after) - _asked(before)
    accepted = _accepted(after) - _accepted(before)
    yield Row("P7", f"requests an invoice: {what}", asked / accepted, target, is_ceiling=True)
    off = abs(asked - budget.total) / asked
    text = f"told {budget.total}, asked {asked}, for {accepted} accepted invoices"
    yield Row("", "that beside the preview's budget, off by", off, _TOLERANCE, is_ceiling=True, remarks=(text,))


def _bill(month: Path, *, is_followed: bool = True) -> None:
    with redirect_stdout(io.StringIO()) as printed:
        is_billed = asyncio.run(run_line(month, allow_repeats=True, is_followed=is_followed))
    assert is_billed, printed.getvalue()


async def _previewed(month: Path) -> Budget:
    async with open_runtime(PROFILE, station="bench") as runtime:
        budget = (await forecast_file(runtime, month, ReadingOptions(operator="bench", allow_repeats=True))).budget
        assert budget is not None
        return budget


def _asked(record: dict[str, Any]) -> int:
    return sum(record["requests_by_operation"].values())


def _accepted(record: dict[str, Any]) -> int:
    return sum(note["status"] == "accepted" for note in record["notes"])


def _looked_at(sandbox: RunningSandbox, home: Path, size: int) -> Iterator[Row]:
    """Look at an unchanged batch under way; yield the costs."""
    sandbox.switch(advance_looks=1_000)
    month = home / "under way.xlsx"
    write_month(month, _lines(size, prefix="under way"))
    _bill(month, is_followed=False)
    before = _asked(sandbox.record())
    spent = asyncio.run(_looks())
    asked = (_asked(sandbox.record()) - before) / LOOKS
    yield Row("P8", f"requests of a look at {size} unchanged notes", asked, 1, is_ceiling=True)
    yield Row("P8", "ledger time of that look", statistics.median(spent) * 1_000, 5, is_ceiling=True, unit=" ms")


async def _looks() -> list[float]:
    """Return the ledger's time in each look, in seconds."""
    async with open_runtime(PROFILE, station="bench") as runtime:
        with _ClockedLedger.open(runtime.settings.ledger.url) as ledger:
            (batch,) = ledger.read(batches_where, states=STATES["reconcile"])
            clocked = replace(runtime, ledger=ledger)
            spent = []
            for _ in range(LOOKS):
                ledger.seconds = 0.0
                await reconcile_batch(clocked, batch.id)
                spent.append(ledger.seconds)
            return spent


class _ClockedLedger(Ledger):
    """Adds up the time between call and answer, including commits."""

    seconds = 0.0

    def write(self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self._clocked():
            return super().write(fn, *args, **kwargs)

    def read(self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self._clocked():
            return super().read(fn, *args, **kwargs)

    @contextmanager
    def _clocked(self) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - start
