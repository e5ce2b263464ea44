"""A month's end at the terminal: what is open, the closing, what changed since, and opening it again."""

import re
from datetime import UTC, datetime
from pathlib import Path

from connectors.ledger.database.sql import to_micros
from tests.flows.terminal import Terminal
from tests.tasks.closing.months import LAST_MONTH, staged_last_month
from tests.tasks.contracts.sheets import contract
from tests.tasks.contracts.test_month import enter
from tests.tasks.rows import this_month
from tests.tasks.workshop import Workshop


def test_a_month_is_closed_once_nothing_is_open(shop: Workshop, terminal: Terminal) -> None:
    month = f"{LAST_MONTH:%Y-%m}"
    batch = staged_last_month(shop)
    ended = terminal("close", month)
    assert (ended.code, f"Batch {batch} (3 invoices) waits for a person" in ended.output) == (1, True)
    ended = terminal("close", f"{this_month():%Y-%m}")
    assert (ended.code, "is not over in Brasília" in ended.errors) == (2, True)
    shop.tamper(f"UPDATE batches SET state = 'discarded' WHERE id = {batch}")
    shop.tamper("UPDATE invoices SET state = 'deleted', is_living = false")

    ended = terminal("close", month)
    assert (ended.code, "is closed, by" in ended.output, "SHA-256" in ended.output) == (0, True, True), ended
    assert "Nothing has changed in it since." in ended.output
    assert "were written again" in terminal("close", month).output
    output = terminal("month", month).output
    assert "is closed, by" in output
    assert terminal("close", month, "--reopen").code == 2
    assert "open again" in terminal("close", month, "--reopen", "--because", "faltou").output
    ended = terminal("close", month, "--differences")
    assert (ended.code, "is not closed" in ended.errors) == (2, True)


def test_the_command_for_an_unbilled_contract_bills_it(shop: Workshop, terminal: Terminal, tmp_path: Path) -> None:
    month = f"{LAST_MONTH:%Y-%m}"
    enter(shop, tmp_path, contract(1))
    entered = to_micros(datetime(LAST_MONTH.year, LAST_MONTH.month, 15, tzinfo=UTC))
    shop.tamper(f"UPDATE contracts SET changed_at = {entered}")
    output = terminal("close", month).output
    command = re.search(r"faturista (bill-month[^;]*);", output)
    assert command is not None, output
    assert terminal(*command[1].split()).code == 0
    assert "have no invoice" not in terminal("close", month).output
    assert [batch.competence for batch in shop.batches()] == [LAST_MONTH]
