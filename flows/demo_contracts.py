"""Run the second part of the demo: contracts in two months, and one paid order that becomes an NFS-e."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

from rich.console import Console

from configs.catalogue import Catalogue
from connectors.ledger import contracts as ledger_contracts
from connectors.sandbox.control_client import steer
from connectors.spreadsheets.sample.contracts import write_sample_contracts
from connectors.spreadsheets.sample.month import RIO
from domain.competence import BRASILIA, add_months, month_text
from domain.staff import Actor
from domain.texts import visible
from flows.cli_close import show_closing
from flows.page_screen import show_page, show_section
from tasks.approvals.findings import ALL, acknowledge, findings_of
from tasks.closing.checklist import month_page
from tasks.contracts.plans import apply_contracts, plan_contracts
from tasks.preview.findings_section import findings_section
from tasks.runtime import open_context
from tasks.stations.approve import approve_batches, waiting_batches

_PLAN: Final = "essencial"
_AUTOMATIC: Final = "FATURISTA_APPROVAL__AUTOMATIC"
_NUMBER: Final = 9_001
"""The number of the order's invoice, above the sandbox's own numbers."""


async def run_contracts(console: Console, words: Catalogue, profile: str, month: date, base_url: str) -> list[int]:
    """Bill contracts in the month before, change them, and bill them and a paid order in `month`.

    Return the ids of the readings. A second run bills nothing.
    """
    # Prefect takes seconds to import: load it when it is needed.
    from flows import prefect_flows as line  # noqa: PLC0415

    before = add_months(month, -1)
    with open_context(profile) as context:
        home = Path(context.settings.paths.home)
        is_first = not context.ledger.read(ledger_contracts.contracts_all)
    readings = []
    # A rejected charge would keep its month open. The first part of the demo shows rejections.
    steer(base_url, "switches", {"rejection_share": 0})
    if is_first:
        path = home / f"contratos-{month_text(before)}.csv"
        write_sample_contracts(path, before)
        _enter(console, words, profile, path)
        readings += await line.monthly_billing(profile=profile, competence=before, operator="demo")
        path = home / f"contratos-{month_text(month)}.csv"
        write_sample_contracts(path, before, ends_on=month - timedelta(days=1))
        _enter(console, words, profile, path)
        _pay_order(base_url)
    _write_rules(home, month)
    console.print(words.text("demo.paid", plan=_PLAN, number=_NUMBER))
    with _approval_by_hand():
        readings += await line.monthly_billing(profile=profile, competence=month, operator="demo")
        _approve(console, words, profile)
    await line.reconcile_batches(profile=profile, until_done=True)
    return readings


def show_and_close_months(console: Console, profile: str, month: date) -> None:
    """Show the checklists of the month and of the one before, and close the earlier one."""
    before = add_months(month, -1)
    with open_context(profile) as context:
        for each in (before, month):
            show_page(console, month_page(context, each))
        show_closing(console, context, before, person="demo")


@contextmanager
def _approval_by_hand() -> Iterator[None]:
    """Require a person's approval, as in every other profile."""
    os.environ[_AUTOMATIC] = "false"
    try:
        yield
    finally:
        del os.environ[_AUTOMATIC]


def _approve(console: Console, words: Catalogue, profile: str) -> None:
    """Acknowledge the differences between the two months and approve the waiting batches."""
    with open_context(profile) as context:
        waiting, demo = waiting_batches(context), Actor("demo", is_automatic=True)
        show_section(console, findings_section(words, findings_of(context, waiting)))
        because = words.text("demo.because")
        made = acknowledge(context, waiting, [ALL], actor=demo, because=because)
        console.print(words.text("cli.acknowledged", count=made))
        approve_batches(context, waiting, actor=demo)


def _enter(console: Console, words: Catalogue, profile: str, path: Path) -> None:
    with open_context(profile) as context:
        plans = plan_contracts(context, path)
        apply_contracts(context, plans, person="demo", because=path.name)
    statuses = {status: sum(plan.status == status for plan in plans) for status in ("new", "changed", "same")}
    console.print(words.text("demo.contracts", path=visible(str(path)), **statuses))


def _pay_order(base_url: str) -> None:
    """Pay an invoice at the sandbox's order service."""
    paid_at = f"{datetime.now(UTC).astimezone(BRASILIA):%Y-%m-%d %H:%M:%S}"
    fields = {"number": _NUMBER, "paid_at": paid_at, "activated_at": paid_at, "redeemed_adjustments": []}
    fields |= {"amount": "89.90", "amount_with_adjustments": "89.90"}
    steer(base_url, "act", {"do": "add_sale", "plan": _PLAN, "like": 1, "fields": fields})


def _write_rules(home: Path, month: date) -> None:
    """Write the rule file at the first run and set its path. The demo does not bill payments of earlier days."""
    path = home / "plans.toml"
    if not path.exists():
        today = datetime.now(UTC).astimezone(BRASILIA).date()
        rule = f'[[rules]]\nplan = "{_PLAN}"\nemitter = "{RIO}"\ntemplate = "Mensalidade Sistema"\n'
        described = 'description = "Plano {plano}, fatura {fatura}"\n'
        path.write_text(f"since = {max(month, today)}\n\n{rule}{described}", encoding="utf-8")
    os.environ["FATURISTA_ORDERS__RULES"] = str(path)
    os.environ["FATURISTA_ORDERS__PLANS"] = f'["{_PLAN}"]'
