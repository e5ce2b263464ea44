"""Add to a month's sheet: contracts in the ledger, and payments at the order service."""

from datetime import date
from pathlib import Path
from typing import Any, Final

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger.engine import Ledger
from connectors.nfse.emulator.seed import default_company
from connectors.orders.client import OrdersClient
from domain.contracts.billing_day import BillingDay
from domain.contracts.contract import Contract
from domain.documents import Document
from tasks.contracts.charge_sheets import gather_due
from tasks.orders.payments import first_instant, rules_of
from tasks.orders.sync import mirror_orders, mirror_paid_invoices
from tasks.payments.payment_sheets import gather_payments
from tasks.runtime import Runtime
from tasks.runtime.order_opening import OrdersRuntime
from tests.faults.evidence import Asked
from tests.faults.matrix.worker_faults import FailingSession
from tests.faults.workbooks import RIO
from tests.sandboxes import RunningSandbox
from tests.tasks.payments.paid_orders import NEW, RULE, pay, rule_file, today

DUE: Final = 5
"""Number of charges beside the sheet: contracts and payments of as many customers, whom the provider knows."""
_CONTRACTS: Final = 3
_CENTS: Final = 8_990
_RULE: Final = RULE + 'description = "Fatura {fatura}"\n'


def settings_of(base_url: str, folder: Path) -> dict[str, Any]:
    """Return the settings with which a worker bills payments."""
    rules = folder / "plans.toml"
    if not rules.exists():
        rule_file(folder, _RULE)
    return {"orders": {"base_url": base_url, "rules": str(rules), "plans": []}}


def enter(url: str, sandbox: RunningSandbox) -> None:
    """Enter the contracts, and let the orders be paid."""
    ledger = Ledger.open(url)
    for place in range(_CONTRACTS):
        made = ledger.write(ledger_contracts.write_version, _contract(place), after=0, by="Ana", because="new")
        assert made
    ledger.close()
    for place in range(_CONTRACTS, DUE):
        taker = _taker(place)
        payer = {"client_name": taker["social_reason"], "document_number": _document(place).number}
        pay(sandbox, NEW + place, user_data=payer)


def asked() -> list[Asked]:
    """Return the invoices of contracts and payments, which no dropped sheet has."""
    month = today().replace(day=1)
    found = [(f"Mensalidade de {month:%m/%Y}", _contract(place).cents) for place in range(_CONTRACTS)]
    found += [(f"Fatura {NEW + place}", _CENTS) for place in range(_CONTRACTS, DUE)]
    return [
        Asked("", "", "", place, "good", RIO, _document(place).number, text, month.isoformat(), cents)
        for place, (text, cents) in enumerate(found)
    ]


async def gather(runtime: Runtime, session: FailingSession) -> list[int]:
    """Gather like the monthly flow. Return the sheets."""
    line = (runtime.settings, runtime.catalogue, runtime.ledger, runtime.worker, runtime.clock)
    orders = OrdersRuntime(*line, OrdersClient(session))
    rules = rules_of(runtime)
    assert rules is not None
    found = gather_due(runtime, competence=None, is_catching_up=False)
    for plan in rules.plans:
        await mirror_paid_invoices(orders, plan, since=first_instant(rules.since))
        await mirror_orders(orders, plan)
    return [*found, *await gather_payments(orders, competence=None, is_catching_up=False)]


def _contract(place: int) -> Contract:
    return Contract(
        key=f"C-{place}",
        emitter_cnpj=RIO,
        customer=_document(place),
        customer_name=_taker(place)["social_reason"],
        template_name="Mensalidade Sistema",
        cents=10_000 + place,
        description="Mensalidade de {mês/ano}",
        starts_on=date(2026, 1, 1),
        billing_day=BillingDay(day=1, shift="none"),
    )


def _taker(place: int) -> dict[str, Any]:
    found: dict[str, Any] = default_company()["takers"][place]
    return found


def _document(place: int) -> Document:
    taker = _taker(place)
    return Document("cnpj", taker["cnpj"]) if taker.get("cnpj") else Document("cpf", taker["cpf"])
