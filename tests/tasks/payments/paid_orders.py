"""Paid orders for tests: a rule file, and invoices that the sandbox's order service says were paid now."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

from connectors.nfse.emulator.seed import default_company
from domain.competence import BRASILIA
from tests.sandboxes import RunningSandbox
from tests.tasks.rows import RIO
from tests.tasks.workshop import Workshop

TAKER: Final = default_company()["takers"][0]
"""A customer that the provider of service invoices knows already."""
RULE: Final = f'[[rules]]\nplan = "essencial"\nemitter = "{RIO}"\ntemplate = "Mensalidade Sistema"\n'
NEW: Final = 9_001
"""The first number of invoices that tests add: the sandbox's own are fewer."""


def today() -> date:
    """Return today's date in Brasília."""
    return datetime.now(UTC).astimezone(BRASILIA).date()


def rule_file(folder: Path, *rules: str, since: date | None = None) -> Path:
    """Write a rule file that begins today by default."""
    path = folder / "plans.toml"
    path.write_text(f"since = {since or today()}\n\n" + "\n".join(rules or (RULE,)), encoding="utf-8")
    return path


def write_rules(shop: Workshop, *rules: str, since: date | None = None) -> Path:
    """Write such a file and let the profile use it."""
    path = rule_file(shop.home, *rules, since=since)
    shop.set(ORDERS__BASE_URL=shop.sandbox.base_url, IDENTITY__BASE_URL=shop.sandbox.base_url)
    shop.set(ORDERS__RULES=path, ORDERS__PLANS="[]")
    return path


def pay(
    sandbox: RunningSandbox,
    number: int = NEW,
    *,
    at: datetime | None = None,
    plan: str = "essencial",
    user_data: dict[str, Any] | None = None,
    **fields: Any,
) -> None:
    """Pay an invoice of the plan, by default now, by a customer that the provider knows."""
    shown = f"{at or datetime.now(UTC).astimezone(BRASILIA):%Y-%m-%d %H:%M:%S}"
    payer = {
        **dict.fromkeys(("address", "address_number", "address_complement", "address_quarter")),
        **dict.fromkeys(("address_city", "address_state", "zip_code")),
        "client_name": TAKER["social_reason"],
        "client_email": "financeiro@cliente.example",
        "document_number": TAKER.get("cnpj") or TAKER["cpf"],
        **(user_data or {}),
    }
    money = {"amount": "89.90", "amount_with_adjustments": "89.90", "redeemed_adjustments": []}
    sale = {"number": number, "paid_at": shown, "activated_at": shown, "user_data": payer, **money, **fields}
    sandbox.control("act", {"do": "add_sale", "plan": plan, "like": 1, "fields": sale})
