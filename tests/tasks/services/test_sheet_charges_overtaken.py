"""A sheet of contracts whose rows were compared before a person changed the contracts."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tasks.contracts.changes import end_contract
from tasks.services import assemble
from tests.flows.test_monthly_billing import bill
from tests.tasks.contracts.sheets import CUSTOMERS, contract, customer
from tests.tasks.contracts.test_charge_sheets import BY, billed, expected
from tests.tasks.contracts.test_month import enter
from tests.tasks.interleaving import meanwhile
from tests.tasks.rows import this_month
from tests.tasks.workshop import Workshop


def test_contracts_changed_after_the_comparison_are_compared_again(
    shop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(shop, tmp_path, *(contract(number) for number in range(1, 4)))
    between: Callable[[Callable[[], Any]], None] = meanwhile(monkeypatch, assemble, "_draft")

    def change() -> None:
        with shop.context() as context:
            end_contract(context, "C-1", last_on=this_month() - timedelta(days=1), **BY)
        other = {"CNPJ/CPF": customer(9), "Razão Social": CUSTOMERS[8]["social_reason"]}
        successor = contract(1, Contrato="C-11", Valor="150,00", Início=f"{this_month():%d/%m/%Y}")
        enter(shop, tmp_path, successor, contract(2, **other))

    between(change)
    bill()
    assert billed(shop) == expected((3, 10_003))
    bill()
    assert billed(shop) == expected((1, 15_000), (9, 10_002), (3, 10_003))
