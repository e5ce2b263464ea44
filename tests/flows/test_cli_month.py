"""Billing a month at the terminal: which months a person sees afterwards."""

from datetime import UTC, datetime
from pathlib import Path

from connectors.ledger.database.sql import to_micros
from tests.flows.terminal import Terminal
from tests.tasks.closing.months import LAST_MONTH
from tests.tasks.contracts.sheets import contract
from tests.tasks.contracts.test_month import enter
from tests.tasks.rows import this_month
from tests.tasks.workshop import Workshop


def test_a_caught_up_month_is_shown_with_what_waits(shop: Workshop, terminal: Terminal, tmp_path: Path) -> None:
    shop.set(APPROVAL__AUTOMATIC="false")
    enter(shop, tmp_path, contract(1))
    entered = to_micros(datetime(LAST_MONTH.year, LAST_MONTH.month, 15, tzinfo=UTC))
    shop.tamper(f"UPDATE contracts SET changed_at = {entered}")
    assert f"Month {LAST_MONTH:%m/%Y}" not in terminal("bill-month").output
    before, _, present = terminal("bill-month", "--catch-up").output.partition(f"Month {this_month():%m/%Y}")
    assert "1 batch waits for an approval" in before.partition(f"Month {LAST_MONTH:%m/%Y}")[2]
    assert "1 batch waits for an approval" in present
