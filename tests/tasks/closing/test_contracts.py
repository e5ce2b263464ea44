"""Each contract of a closed month, as of the closing."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from connectors.ledger import closings
from connectors.ledger.database.sql import to_micros
from tasks.closing.contracts import contracts_of
from tests.tasks.closing.months import LAST_MONTH
from tests.tasks.contracts.sheets import contract
from tests.tasks.contracts.test_month import enter
from tests.tasks.rows import SAO_PAULO, this_month
from tests.tasks.workshop import Workshop


def test_a_contract_without_an_invoice_says_why(shop: Workshop, tmp_path: Path) -> None:
    ended = f"{LAST_MONTH - timedelta(days=1):%d/%m/%Y}"
    begins = f"{this_month():%d/%m/%Y}"
    enter(shop, tmp_path, contract(1), contract(2, Início="01/01/2025", Fim=ended), contract(3, Início=begins))
    closing = shop.write(closings.close, LAST_MONTH, person="Ana")
    assert closing is not None

    def reasons() -> list[tuple[str, str, int]]:
        with shop.context() as context:
            found = contracts_of(context, closing)
        return [(each.contract.key, each.unbilled_because, len(each.keys)) for each in found]

    unbilled = [("C-1", "entered_later", 1), ("C-2", "ended", 1), ("C-3", "no_charge", 1)]
    assert reasons() == unbilled
    # what a person changes after the closing is no part of it
    enter(shop, tmp_path, contract(1, **{"CNPJ Emitente": SAO_PAULO}))
    assert reasons() == unbilled
    entered = to_micros(datetime(LAST_MONTH.year, LAST_MONTH.month, 15, tzinfo=UTC))
    shop.tamper(f"UPDATE contracts SET changed_at = {entered}")
    assert reasons()[0] == ("C-1", "unbilled", 2)
