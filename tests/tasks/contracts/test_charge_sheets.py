"""Contracts that a person changes between the sheet of a month and its invoices."""

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger import rows as ledger_rows
from domain.competence import add_months
from domain.contracts.contract import Adjustment
from tasks.contracts.changes import adjust_contract, end_contract, pause_contract
from tasks.contracts.charge_sheets import gather_due
from tasks.contracts.month import charges_of_month
from tasks.contracts.plans import apply_contracts, plan_contracts
from tasks.stations.assemble import assemble_rows
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.resolve import resolve_rows
from tasks.stations.resume import resume_reading
from tests.flows.test_monthly_billing import bill
from tests.tasks.contracts.sheets import CUSTOMERS, contract, customer, write_contracts
from tests.tasks.contracts.test_month import enter
from tests.tasks.rows import line, this_month
from tests.tasks.workshop import Workshop, codes

BY: Final = {"person": "Ana", "because": "x"}
OPTIONS: Final = ReadingOptions(operator="x", is_of_contracts=True)
OTHER: Final = {"CNPJ/CPF": customer(9), "Razão Social": CUSTOMERS[8]["social_reason"]}


def gathered(shop: Workshop) -> list[int]:
    with shop.context() as context:
        return gather_due(context, competence=None, is_catching_up=False)


def stopped(shop: Workshop, moment: str) -> int:
    """Write the month's sheet and stop at a moment. Return the id of the sheet."""
    (file_id,) = gathered(shop)
    if moment == "written":
        return file_id
    with shop.context() as context:
        reading, _ = read_file(context, file_id, OPTIONS)
    if moment == "resolved":
        shop.run(resolve_rows, reading)
    return file_id


def correct(shop: Workshop, folder: Path) -> None:
    """Change five of six contracts in five ways."""
    month = this_month()
    enter(shop, folder, contract(1, Valor="999,00"), contract(5, **OTHER))
    with shop.context() as context:
        pause_contract(context, "C-2", since=month, until=None, **BY)
        end_contract(context, "C-3", last_on=month - timedelta(days=1), **BY)
        adjust_contract(context, "C-4", Adjustment(competence=month, cents=15_000, reason="x"), person="Ana")


def billed(shop: Workshop) -> list[tuple[str, int]]:
    """Return the customer and the amount of every note."""
    return sorted((note["taker_document"], cents_of(note)) for note in shop.there())


def cents_of(note: Mapping[str, Any]) -> int:
    return int(Decimal(note["service_values"]["service_amount"]) * 100)


def expected(*charges: tuple[int, int]) -> list[tuple[str, int]]:
    return sorted((customer(number), cents) for number, cents in charges)


CORRECTED: Final = ((1, 99_900), (4, 25_004), (9, 10_005), (6, 10_006))


@pytest.mark.parametrize("moment", ["written", "read", "resolved"])
def test_a_run_that_stopped_bills_the_contracts_of_today(each_shop: Workshop, tmp_path: Path, moment: str) -> None:
    shop = each_shop
    enter(shop, tmp_path, *(contract(number) for number in range(1, 7)))
    file_id = stopped(shop, moment)
    correct(shop, tmp_path)
    with shop.context() as context:
        first, *others = gather_due(context, competence=None, is_catching_up=False)
    assert (first, len(others)) == (file_id, 1)
    old, new = bill()
    outdated = ["row.contract_changed"]
    assert shop.problems(old) == dict.fromkeys((2, 3, 4, 5, 6), outdated)
    assert shop.problems(new) == {}
    assert billed(shop) == expected(*CORRECTED)
    assert bill() == []
    assert len(shop.there()) == len(CORRECTED)
    with shop.context() as context:
        assert {each.status for each in charges_of_month(context, this_month())} == {"billed"}


def test_a_sweep_alone_bills_no_outdated_row(each_shop: Workshop, tmp_path: Path) -> None:
    shop = each_shop
    enter(shop, tmp_path, *(contract(number) for number in range(1, 7)))
    stopped(shop, "read")
    correct(shop, tmp_path)
    (reading,) = shop.read(ledger_rows.stalled_readings, idle_s=0)
    shop.run(resume_reading, reading)
    assert sorted(shop.problems(reading)) == [2, 3, 4, 5, 6]
    (other,) = bill()
    assert sorted(row.line["contract"] for row in shop.rows(other) if row.line) == ["C-1", "C-4", "C-5"]
    assert billed(shop) == expected(*CORRECTED)


def test_an_assembled_row_keeps_its_terms(each_shop: Workshop, tmp_path: Path) -> None:
    shop = each_shop
    enter(shop, tmp_path, contract(1), contract(2))
    file_id = stopped(shop, "resolved")
    (reading,) = shop.read(ledger_rows.stalled_readings, idle_s=0)
    shop.run(assemble_rows, reading)
    path = write_contracts(tmp_path / "outra.csv", [contract(1, Valor="999,00")])
    with shop.context() as context:
        plans = plan_contracts(context, path)
        (plan,) = apply_contracts(context, plans, **BY)
        assert codes(plan.problems) == ["contract.old_terms", "contract.billed_otherwise"]
        assert gather_due(context, competence=None, is_catching_up=False) == []
        assert context.ledger.read(ledger_contracts.sheets_of, this_month()) == [file_id]
    bill()
    assert billed(shop) == expected((1, 10_001), (2, 10_002))


def test_another_cadence_with_the_same_row_counts(each_shop: Workshop, tmp_path: Path) -> None:
    """The sheet's bytes stay the same, but the invoice covers one month and not three."""
    shop, month = each_shop, this_month()
    quarter = {"Início": f"{month:%d/%m/%Y}", "Periodicidade": "trimestral", "Discriminação": "Plano"}
    enter(shop, tmp_path, contract(1, **quarter))
    stopped(shop, "written")
    enter(shop, tmp_path, contract(1, **quarter | {"Periodicidade": "mensal"}))
    (reading,) = bill()
    assert shop.problems(reading) == {}
    assert billed(shop) == expected((1, 10_001))
    with shop.context() as context:
        (coming,) = charges_of_month(context, add_months(month, 1))
    assert coming.status == "later"


def test_a_change_that_is_taken_back_bills_the_first_sheet(each_shop: Workshop, tmp_path: Path) -> None:
    shop = each_shop
    enter(shop, tmp_path, contract(1), contract(2))
    file_id = stopped(shop, "read")
    enter(shop, tmp_path, contract(1, Valor="999,00"))
    assert len(gathered(shop)) == 2
    enter(shop, tmp_path, contract(1))
    assert gathered(shop)[0] == file_id
    for _ in range(3):
        bill()
    assert billed(shop) == expected((1, 10_001), (2, 10_002))


@pytest.mark.both_databases
def test_a_row_gathered_while_its_contract_changed_is_left_out(each_shop: Workshop, tmp_path: Path) -> None:
    """Between the look at the versions and the look at the contracts somebody changed the customer."""
    shop = each_shop
    enter(shop, tmp_path, contract(1))
    stopped(shop, "read")
    enter(shop, tmp_path, contract(1, **OTHER))
    # The sheet claims that it knows the newest version.
    (sheet,) = shop.read(ledger_contracts.sheets_of, this_month())
    shop.write(
        ledger_contracts.store_charge_sheet,
        sheet,
        source="contracts",
        competence=this_month(),
        count=1,
        last_contract=99,
    )
    (reading,) = bill()
    assert shop.problems(reading) == {2: ["row.contract_changed"]}
    bill()
    assert billed(shop) == expected((9, 10_001))


def test_a_row_whose_days_were_billed_meanwhile_is_left_out(each_shop: Workshop, tmp_path: Path) -> None:
    shop, month = each_shop, this_month()
    last = add_months(month, -1)
    quarter = {"Início": f"{last:%d/%m/%Y}", "Periodicidade": "trimestral", "Proporcional": "Não"}
    enter(shop, tmp_path, contract(1, **quarter))
    enter(shop, tmp_path, contract(1, **quarter | {"Início": f"{month:%d/%m/%Y}"}))
    stopped(shop, "written")
    # Somebody bills the first quarter by hand after all.
    assert len(shop.assembled(line(1, own_key="C-1", competence=last))[1]) == 1
    (reading,) = bill()
    assert shop.problems(reading) == {2: ["row.contract_changed"]}
    assert bill() == []
    assert [each.competence for each in shop.batches()] == [last]
