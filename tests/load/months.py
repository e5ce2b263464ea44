"""P15: measure computing and staging a month of contracts, against staging the same rows from a sheet."""

import asyncio
import shutil
import statistics
import time
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest

from connectors.ledger import batches as ledger_batches
from connectors.ledger import contracts as ledger_contracts
from connectors.ledger import files as ledger_files
from connectors.ledger.engine import close_ledgers
from connectors.nfse.emulator.seed import default_company
from connectors.spreadsheets.archive import archived
from domain.contracts.billing_day import BillingDay
from domain.contracts.contract import Contract
from tasks.contracts.charge_sheets import gather_due
from tasks.runtime import Context, open_context, open_runtime
from tasks.stations.assemble import assemble_rows
from tasks.stations.intake import archive_file
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batches
from tests.load.table import Row
from tests.sandboxes import RunningSandbox, running_sandbox
from tests.tasks.rows import RIO, company

COUNT: Final = 10_000
ROUNDS: Final = 3
TARGET: Final = 1.3
_SETTINGS: Final = {
    "REQUESTS__TIMEOUT_S": "30",
    "PROTOCOL__LEASE_S": "120",
    "PROTOCOL__QUIET_S": "60",
    "PROTOCOL__SETTLE_S": "0",
}
Take = Callable[[Context], int]
"""Puts a sheet into the ledger and returns its id."""


def rows() -> Iterable[Row]:
    spent = [measured(COUNT) for _ in range(ROUNDS)]
    yield judged(COUNT, [ours / sheet for ours, sheet in spent], min(ours for ours, _ in spent))


def judged(count: int, ratios: list[float], seconds: float) -> Row:
    return Row(
        "P15",
        f"{count} contracts to a staged month",
        statistics.median(ratios),
        TARGET,
        against="the same rows from a sheet",
        is_ceiling=True,
        remarks=(f"{seconds / count * 1e3:.1f} ms for each contract",),
    )


def measured(count: int) -> tuple[float, float]:
    """Return the seconds from contracts to a staged month, and from a sheet with the same rows."""
    with running_sandbox() as sandbox, TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as environment:
        sheet = Path(folder, "sheet.csv")
        spent = []
        for name, take in (("contracts", _gathered(sheet)), ("sheet", lambda context: archive_file(context, sheet))):
            home = Path(folder, name)
            home.mkdir()
            _begin(sandbox, home, environment, count)
            with open_context("local") as context:
                if name == "contracts":
                    context.ledger.write(_enter, count)
                began = time.perf_counter()
                asyncio.run(_stage(context, take, count))
                spent.append(time.perf_counter() - began)
            close_ledgers()
        return spent[0], spent[1]


def _gathered(kept: Path) -> Take:
    """Gather the month, and keep a copy of its sheet."""

    def take(context: Context) -> int:
        (file_id,) = gather_due(context, competence=None, is_catching_up=False)
        file = context.ledger.read(ledger_files.find_file, file_id=file_id)
        assert file is not None
        shutil.copy(archived(file.sha256, name=file.name, folder=context.archive), kept)
        return file_id

    return take


def _begin(sandbox: RunningSandbox, home: Path, environment: pytest.MonkeyPatch, count: int) -> None:
    """Start a provider with every customer and no notes, and an empty ledger."""
    seeded: dict[str, Any] = default_company()
    like = seeded["takers"][0]
    takers = [{**like, "cnpj": company(number).number, "social_reason": _name(number)} for number in range(count)]
    sandbox.control("seed", {**seeded, "takers": takers})
    places = {
        "LEDGER__URL": f"sqlite:///{home}/ledger.db",
        "PATHS__HOME": str(home),
        "NFSE__BASE_URL": sandbox.base_url,
    }
    for setting, value in {**_SETTINGS, **places}.items():
        environment.setenv(f"FATURISTA_{setting}", value)


def _enter(conn: Any, count: int) -> None:
    contracts = {f"C-{number}": (_contract(number), 0) for number in range(count)}
    assert not ledger_contracts.write_versions(conn, contracts, by="bench", because="bench")


def _contract(number: int) -> Contract:
    return Contract(
        key=f"C-{number}",
        emitter_cnpj=RIO,
        customer=company(number),
        customer_name=_name(number),
        template_name="Mensalidade Sistema",
        cents=10_000 + number,
        description="Mensalidade de {mês/ano}",
        starts_on=date(2026, 1, 1),
        billing_day=BillingDay.of("dia 1"),
    )


def _name(number: int) -> str:
    return f"Cliente {number} Ltda"


async def _stage(context: Context, take: Take, count: int) -> None:
    reading, _ = read_file(context, take(context), ReadingOptions(operator="bench", is_of_contracts=True))
    async with open_runtime("local", station="stage") as runtime:
        await resolve_rows(runtime, reading)
        await assemble_rows(runtime, reading)
        planned = runtime.ledger.read(ledger_batches.batches_where, reading_id=reading)
        results = await stage_batches(runtime, [batch.id for batch in planned])
    staged = sum(result.counts.get("staged", 0) for result in results)
    assert staged == count, f"{staged} of {count} staged: {results}"
