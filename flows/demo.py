"""The command `demo`: bill a whole month on this machine, from the workbook to the outcome, under embedded Prefect."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

from rich.console import Console

from configs.catalogue import Catalogue
from connectors.spreadsheets.sample import write_sample_month, write_sample_sales
from domain.competence import BRASILIA, add_months, first_of_month
from domain.problems import FaturistaError, Problem
from flows import orchestrator, screens
from flows.answer_screen import show_answer
from flows.demo_contracts import run_contracts, show_and_close_months
from flows.progress import show_progress
from tasks.runtime import open_context
from tasks.views.status import overview

_PROFILE: Final = "local"
_START_S: Final = 300
_REJECTED_SHARE: Final = 0.04
_MONTHS: Final = 13
"""Number of months before this one that the reports cover."""


def run_demo(console: Console) -> None:
    """Run the demo. A second run uses the same provider and the same ledger, and issues nothing."""
    started = time.monotonic()
    with open_context(_PROFILE) as context:
        home, words = Path(context.settings.paths.home).resolve(), context.catalogue
    home.mkdir(parents=True, exist_ok=True)
    orchestrator.prepare(home)
    month = first_of_month(datetime.now(UTC).astimezone(BRASILIA).date())
    services, sales = home / f"faturamento-{month:%Y-%m}.xlsx", home / f"vendas-{month:%Y-%m}.xlsx"
    write_sample_month(services, month)
    write_sample_sales(sales, month)
    console.print(words.text("demo.workbook", path=str(services)))
    console.print(words.text("demo.sales", path=str(sales)))
    with _sandbox(home) as base_url:
        for service in ("NFSE", "PRODUCTS", "ORDERS", "IDENTITY"):
            os.environ[f"FATURISTA_{service}__BASE_URL"] = base_url
        console.print(words.text("demo.sandbox", url=base_url))
        console.print(words.text("cli.starting"))
        from flows import embedded_server  # noqa: PLC0415 - as in `_run`

        embedded_server.start()
        order = _run(console, words, services=services, sales=sales, month=month, base_url=base_url)
        readings, reports = orchestrator.run(order)
    _show_end(console, words, readings=readings, reports=reports)
    show_and_close_months(console, _PROFILE, month)
    console.print(words.text("demo.took", seconds=round(time.monotonic() - started)))


async def _run(
    console: Console, words: Catalogue, *, services: Path, sales: Path, month: date, base_url: str
) -> tuple[list[int], list[str]]:
    """Run the flows under an embedded Prefect server. Return the ids of the readings and both reports' paths."""
    # Prefect takes seconds to import: load it when the sandbox is up.
    from flows import prefect_flows as line  # noqa: PLC0415

    with show_progress(console, _PROFILE, title=words.text("progress.reading")):
        readings = [
            await line.bill_services(str(services), profile=_PROFILE, operator="demo"),
            await line.bill_products(str(sales), profile=_PROFILE, operator="demo"),
        ]
        await line.release_batches(profile=_PROFILE)
        await line.reconcile_batches(profile=_PROFILE, until_done=True)
    paid, _ = await line.report_paid_invoices(profile=_PROFILE, since=add_months(month, -_MONTHS))
    orders, _ = await line.report_orders(profile=_PROFILE)
    readings += await run_contracts(console, words, _PROFILE, month, base_url)
    return readings, [paid, orders]


@contextmanager
def _sandbox(home: Path) -> Iterator[str]:
    """Run the sandbox in a separate process, with its state beside the ledger. Yield its address."""
    port_file = home / "sandbox.port"
    port_file.unlink(missing_ok=True)
    command = [sys.executable, "-m", "connectors.sandbox", "--port", "0", "--state", str(home / "sandbox.db")]
    command += ["--port-file", str(port_file), "--switch", f"rejection_share={_REJECTED_SHARE}"]
    process = subprocess.Popen(command)  # noqa: S603 - our own module, no word of it from outside
    try:
        yield f"http://127.0.0.1:{_wait_for_port(process, port_file)}"
    finally:
        process.terminate()
        process.wait(timeout=_START_S)


def _wait_for_port(process: subprocess.Popen[bytes], port_file: Path) -> int:
    for _ in range(_START_S * 20):
        if port_file.exists():
            return int(port_file.read_text(encoding="ascii"))
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise FaturistaError(Problem("demo.sandbox_failed"))


def _show_end(console: Console, words: Catalogue, *, readings: Sequence[int], reports: Sequence[str]) -> None:
    with open_context(_PROFILE) as context:
        for reading in readings:
            show_answer(console, context, reading)
        console.rule()
        screens.show_overview(console, words, overview(context))
        for path in reports:
            console.print(words.text("demo.report", path=path))
        console.print(words.text("demo.ledger", path=context.ledger.address))
