"""Changes of price indexes from a workbook."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from connectors.ledger import contracts as ledger_contracts
from domain.contracts.contract import Index
from tasks.contracts.indexes import apply_indexes, plan_indexes
from tests.tasks.contracts.sheets import write_contracts
from tests.tasks.workshop import Workshop, codes

HEADERS = ("Índice", "Mês", "Variação (%)")


@pytest.mark.both_databases
def test_months_are_entered_and_corrected(each_shop: Workshop, tmp_path: Path) -> None:
    shop = each_shop
    rows = [
        ["IPCA", "10/2026", "0,48"],
        ["IGP-M", "10/2026", "-0,12%"],
        ["INPC", "10/2026", "1"],
        ["IPCA", "11/2026", "x"],
    ]
    path = write_contracts(tmp_path / "indices.csv", rows, headers=HEADERS)
    with shop.context() as context:
        plans = plan_indexes(context, path)
        assert [plan.status for plan in plans] == ["new", "new", "refused", "refused"]
        assert codes(plans[2].problems) + codes(plans[3].problems) == [
            "contract.index_unknown",
            "contract.index_change",
        ]
        assert context.ledger.read(ledger_contracts.index_changes) == {}
        apply_indexes(context, plans, person="Ana")
        again = plan_indexes(
            context, write_contracts(tmp_path / "b.csv", [rows[0], ["igpm", "out/26", "0,2"]], headers=HEADERS)
        )
        assert [(plan.status, plan.who) for plan in again] == [("same", "IPCA 10/2026"), ("changed", "IGP-M 10/2026")]
        assert [(each.was, each.becomes) for each in again[1].changes] == [("-0,12%", "0,2%")]
        apply_indexes(context, again, person="Bia")
    month = date(2026, 10, 1)
    assert shop.read(ledger_contracts.index_changes) == {
        (Index.IPCA, month): Decimal("0.48"),
        (Index.IGPM, month): Decimal("0.2"),
    }
