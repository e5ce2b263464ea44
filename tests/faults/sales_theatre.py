"""The setting of product stories: workers that bill sales, and the checks of `sales`."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from tasks.issuance.decide import decide_batch, decide_note
from tasks.runtime import PRODUCTS
from tasks.stations.intake import archive_file
from tests.faults.evidence import Record, read_ledger
from tests.faults.sales import Sale, faults_without_read_back, sale_faults, unfinished_sales, write_sales
from tests.faults.theatre import Theatre
from tests.sandboxes import running_sandbox

CREATES: Final = ("nfe.create", "nfce.create")

Ledger = dict[str, list[Record]]


class SalesTheatre(Theatre):
    """A theatre whose workers bill orders. `has_no_read_back`: the provider shows nothing of its invoices."""

    has_no_read_back = False

    @property
    def environment(self) -> dict[str, str]:
        sells = {
            "PRODUCTS__BASE_URL": self.sandbox.base_url,
            "PRODUCTS__EXTENSIONS": "false" if self.has_no_read_back else "true",
            "PROTOCOL__BATCH_SIZE": "24",
        }
        return super().environment | {f"FATURISTA_{name}": value for name, value in sells.items()}

    def stop_read_back(self) -> None:
        """Let the provider show nothing of its invoices from now on, and let the workers' settings say so."""
        self.has_no_read_back = True
        self.sandbox.switch(product_extensions="off")

    def offer(self, sales: Sequence[Sale]) -> Path:
        """Write the workbook and enter it in the ledger. Return its path."""
        path = write_sales(self.home / "sales.xlsx", sales)
        with self.context() as context:
            archive_file(context, path, kind=PRODUCTS)
        return path

    def state(self) -> tuple[Ledger, Record]:
        """Return the content of the ledger and the provider's record."""
        rules = self.sandbox.control("faults")
        turned_away = sum(each["applied"] for each in rules if each["kind"] == "status_429")
        return read_ledger(self.ledger_url), self.sandbox.record() | {"turned_away": turned_away}

    def check_sound(self, sales: Sequence[Sale]) -> None:
        """Check in the middle: however unfinished the work is, nothing is contradictory."""
        self._refuse(sale_faults(sales, *self.state(), quiet_s=self.quiet_s))

    def check_done(self, sales: Sequence[Sale], *, forgiven: Collection[str] = ()) -> tuple[Ledger, Record]:
        """Check the end: one invoice for each order, nothing under way, no fault of any kind."""
        state = self.state()
        self._refuse(
            [*sale_faults(sales, *state, quiet_s=self.quiet_s, forgiven=forgiven), *unfinished_sales(sales, *state)]
        )
        return state

    def check_without_read_back(self, sales: Sequence[Sale]) -> tuple[Ledger, Record]:
        """Check the end of a run whose invoices nobody could read back: unknown outcomes wait for a person."""
        state = self.state()
        self._refuse([*sale_faults(sales, *state, quiet_s=self.quiet_s), *faults_without_read_back(sales, *state)])
        return state

    def decide_what_only_a_person_can(self) -> bool:
        """Decide unresolved invoices and disturbed batches as a person would; return whether there were any."""
        ledger, record = self.state()
        issued = {
            (each["organization_cnpj"], each["kind"], each["number"]): each for each in record["product_invoices"]
        }
        cnpjs = {each["id"]: each["cnpj"] for each in ledger["emitters"]}
        unresolved = [each for each in ledger["invoices"] if each["state"] == "unresolved"]
        disturbed = [batch["id"] for batch in ledger["batches"] if batch["state"] == "disturbed"]
        with self.context() as context:
            for invoice in unresolved:
                there = issued.get((cnpjs[invoice["emitter_id"]], invoice["kind"], invoice["number"]))
                if there is None:
                    decide_note(context, invoice["id"], "retired", person="Ana", because="not in the provider's page")
                    continue
                assert self.has_no_read_back, "what is there was not found"
                word, why = {"succeeded": "accepted", "rejected": "rejected"}[there["status"]], "seen in the page"
                decide_note(context, invoice["id"], word, person="Ana", because=why, remote_id=there["id"])  # type: ignore[arg-type]
            for batch_id in disturbed:
                decide_batch(context, batch_id, "sent", person="Ana", because="what was lost is retired")
        return bool(unresolved or disturbed)


@pytest.fixture
def sales_theatre(tmp_path: Path, ledger_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[SalesTheatre]:
    """Yield a theatre of sales on each database in turn; the tax authority rejects a fifth of the invoices."""
    switches: dict[str, Any] = {
        "product_advance": "at_once",
        "product_rejection_share": 0.2,
        "product_rejection_seed": 5,
    }
    with (
        running_sandbox(in_thread=True, **switches) as sandbox,
        SalesTheatre(tmp_path, ledger_url, sandbox).performing(monkeypatch) as opened,
    ):
        yield opened
