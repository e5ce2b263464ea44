"""Prepare the server that forks the workers: do once for all what each worker would do again.

A worker inherits modules, catalogues, models, compiled statements and the process that opens workbooks. It inherits no
connection and no thread: all of those are closed before the first fork.
"""

import asyncio
import contextlib
import gc
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from configs.catalogue import Catalogue
from configs.reference.cities import load_cities
from configs.reference.items import load_items
from connectors.ledger.engine import close_ledgers
from tasks.runtime import PRODUCTS, open_context
from tasks.stations.intake import archive_file
from tests.faults.sales import batch_of_sales, write_sales
from tests.faults.workbooks import RIO, month_lines, write_month
from tests.faults.worker import PROFILE, run_line
from tests.ledgers import postgresql_url, sqlite_url
from tests.sandboxes import running_sandbox


def _bill_months() -> None:
    """Bill a small month and an order on each database, with a temporary provider and temporary ledgers."""
    with TemporaryDirectory() as folder, running_sandbox(in_thread=True, advance="at_once") as sandbox:
        home = Path(folder)
        sheet = write_month(home / "month.xlsx", month_lines(3, emitters=[RIO])).path
        sales = write_sales(home / "sales.xlsx", batch_of_sales(1))
        for ledger in (contextlib.nullcontext(sqlite_url(home)), postgresql_url()):
            sandbox.control("reset")
            sandbox.switch(advance="at_once", product_advance="at_once")
            addresses = {f"{system}__BASE_URL": sandbox.base_url for system in ("NFSE", "PRODUCTS")}
            with ledger as url, _settings(**addresses, LEDGER__URL=url, PATHS__HOME=folder):
                with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
                    assert asyncio.run(run_line(sheet, arrives_s=0.0))
                    with open_context(PROFILE) as context:
                        archive_file(context, sales, kind=PRODUCTS)
                    assert asyncio.run(run_line(sales, arrives_s=0.0))
                close_ledgers()


@contextlib.contextmanager
def _settings(**settings: str) -> Iterator[None]:
    names = {f"FATURISTA_{name}": value for name, value in settings.items()}
    os.environ.update(names)
    try:
        yield
    finally:
        for name in names:
            del os.environ[name]


# The server starts in the middle of whichever test needs it first: its workers must not inherit that test's settings.
for _name in [name for name in os.environ if name.startswith("FATURISTA_")]:
    del os.environ[_name]
for _language in ("pt_BR", "en"):
    Catalogue.load(_language)
load_cities()
load_items()
_bill_months()
# These objects live for ever: without a freeze each worker's garbage collection would visit, and so copy, them.
gc.freeze()
