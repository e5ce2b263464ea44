"""The days that a contract's invoice covers are charged by no other contract of the same service."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger import rows as ledger_rows
from domain.competence import add_months
from tasks.cancellations.cancel import cancel_batch
from tasks.closing.checklist import month_page
from tasks.contracts.changes import end_contract
from tasks.contracts.month import charges_of_month, unbilled_of_month
from tasks.contracts.plans import apply_contracts, plan_contracts, remarks_of
from tasks.stations.assemble import assemble_rows
from tests.flows.test_monthly_billing import bill, enter
from tests.tasks.cancellations.requested import request_cancellation
from tests.tasks.contracts.sheets import contract, write_contracts
from tests.tasks.contracts.test_charge_sheets import stopped
from tests.tasks.rows import line, taker, this_month
from tests.tasks.services.test_similar_charges_renamed import NEW, OLD, rename
from tests.tasks.workshop import Workshop, codes

BY: Final = {"person": "Ana", "because": "x"}
DAY: Final = timedelta(days=1)


def written(day: date) -> str:
    return f"{day:%d/%m/%Y}"


def successor(first: date, **changes: str) -> list[str]:
    """Return the row of another contract of the first contract's customer, company and template."""
    return contract(1, **{"Contrato": "NOVO-1", "Início": written(first), **changes})


def add(shop: Workshop, folder: Path, row: list[str]) -> list[str]:
    """Import a contract. Return the codes of its problems if it is refused."""
    path = write_contracts(folder / "novo.csv", [row])
    with shop.context() as context:
        (plan,) = apply_contracts(context, plan_contracts(context, path), **BY)
        assert all(context.catalogue.say(each) for each in plan.problems)
    return codes(plan.problems) if plan.status == "refused" else []


def end(shop: Workshop, last: date) -> list[str]:
    """End the first contract. Return the codes of the remarks."""
    with shop.context() as context:
        record = end_contract(context, "C-1", last_on=last, **BY)
        found = remarks_of(context, [record.contract])
        assert all(context.catalogue.say(each) for problems in found.values() for each in problems)
    return [code for problems in found.values() for code in codes(problems)]


def write_unasked(shop: Workshop, **changes: Any) -> None:
    """Write the second contract as two people could who enter and end contracts at once."""
    (record,) = shop.read(ledger_contracts.contracts_all)
    other = replace(record.contract, key="NOVO-1", ends_on=None, **changes)
    assert shop.write(ledger_contracts.write_version, other, after=0, by="Bia", because="y")


def coming(shop: Workshop) -> dict[str, str]:
    """Return the status of each contract's charge of next month."""
    with shop.context() as context:
        return {each.contract.key: each.status for each in charges_of_month(context, add_months(this_month(), 1))}


STARTS: Final[Mapping[str, tuple[dict[str, str], int]]] = {
    "monthly": ({}, 0),
    "quarterly": ({"Periodicidade": "trimestral"}, -1),
    "whole amounts": ({"Periodicidade": "trimestral", "Proporcional": "Não"}, -1),
}


@pytest.mark.parametrize("how", [*STARTS, "in mid month"])
def test_another_key_charges_no_billed_day_again(each_shop: Workshop, tmp_path: Path, how: str) -> None:
    shop, month = each_shop, this_month()
    changes, shift = STARTS.get(how, ({}, 0))
    billed = add_months(month, shift)
    start = billed if changes else add_months(month, -1)
    enter(shop, tmp_path, contract(1, **{"Início": written(start), **changes}))
    assert len(bill(billed)) == 1
    first = month + 15 * DAY if how == "in mid month" else month
    assert "contract.paid_beyond_end" in end(shop, first - DAY)
    assert add(shop, tmp_path, successor(first)) == ["contract.period_billed_by_other"]
    write_unasked(shop, starts_on=first, cadence_months=1)
    assert (bill(), bill(catch_up=True), bill(month)) == ([], [], [])
    assert len(shop.there()) == 1
    with shop.context() as context:
        found = {each.contract.key: each for each in charges_of_month(context, month)}["NOVO-1"]
        assert unbilled_of_month(context, month) == []
        page = month_page(context, month)
    assert (found.status, codes(found.problems)[0]) == ("covered", "contract.covered_by_other")
    assert "contract C-1" in " ".join(str(row) for section in page.sections for row in section.rows)


def test_a_contract_that_follows_the_billed_days_is_billed(each_shop: Workshop, tmp_path: Path) -> None:
    shop, month = each_shop, this_month()
    last = add_months(month, -1)
    enter(shop, tmp_path, contract(1))
    assert len(bill(last)) == 1
    assert end(shop, month - DAY) == []
    assert add(shop, tmp_path, successor(month)) == []
    (reading,) = bill()
    assert shop.problems(reading) == {}
    assert sorted(each.competence for each in shop.batches()) == [last, month]


def test_each_part_of_a_shared_month_is_billed(each_shop: Workshop, tmp_path: Path) -> None:
    shop, month = each_shop, this_month()
    middle = month + 14 * DAY
    enter(shop, tmp_path, contract(1, Fim=written(middle)), successor(middle + DAY))
    (reading,) = bill()
    assert shop.problems(reading) == {}
    assert len(shop.there()) == 2


def test_another_template_company_or_customer_is_another_service(each_shop: Workshop, tmp_path: Path) -> None:
    shop, month = each_shop, this_month()
    enter(shop, tmp_path, contract(1))
    bill()
    end(shop, month - DAY)
    assert add(shop, tmp_path, successor(month, Modelo="Consultoria")) == []
    assert add(shop, tmp_path, contract(2)) == []
    bill()
    assert len(shop.there()) == 3


def test_a_cancelled_invoice_covers_nothing(each_shop: Workshop, tmp_path: Path) -> None:
    shop, month = each_shop, this_month()
    enter(shop, tmp_path, contract(1))
    bill()
    end(shop, month - DAY)
    (batch,) = shop.batches()
    request_cancellation(shop, batch.id, (0,))
    for _ in range(2):
        shop.run(cancel_batch, batch.id)
    assert add(shop, tmp_path, successor(month)) == []
    assert len(bill()) == 1


def test_a_change_to_a_billed_service_is_refused(each_shop: Workshop, tmp_path: Path) -> None:
    shop, month = each_shop, this_month()
    enter(shop, tmp_path, contract(1), successor(month, Modelo="Consultoria", Valor="9,00"))
    bill()
    end(shop, month - DAY)
    # A month with an invoice of its own may change in every other way.
    assert add(shop, tmp_path, successor(month, Valor="10,00", Modelo="Consultoria")) == []
    assert add(shop, tmp_path, contract(1, Contrato="TERCEIRO", Modelo="Consultoria", Fim=written(month - DAY))) == []
    changed = contract(1, Contrato="TERCEIRO", Fim="sem fim", Início=written(month))
    assert add(shop, tmp_path, changed) == ["contract.period_billed_by_other"]


def test_a_row_whose_days_another_contract_billed_meanwhile_is_left_out(each_shop: Workshop, tmp_path: Path) -> None:
    shop, month = each_shop, this_month()
    enter(shop, tmp_path, contract(1))
    end(shop, month - DAY)
    assert add(shop, tmp_path, successor(month)) == []
    stopped(shop, "resolved")
    # Somebody bills the first contract's month by hand after all.
    (reading,) = shop.read(ledger_rows.stalled_readings, idle_s=0)
    terms = shop.read(ledger_contracts.contracts_all)[0].contract
    customer = replace(taker(1), document=terms.customer, name=terms.customer_name)
    assert len(shop.assembled(line(1, own_key="C-1", taker=customer))[1]) == 1
    shop.run(assemble_rows, reading)
    assert shop.problems(reading) == {2: ["contract.covered_by_other"]}
    assert bill() == []


def test_a_renamed_template_is_still_the_same_service(each_shop: Workshop, tmp_path: Path) -> None:
    shop, month = each_shop, this_month()
    enter(shop, tmp_path, contract(1))
    bill()
    rename(shop, (OLD, NEW))
    # The import does not ask the provider, so it does not know the new name yet.
    assert add(shop, tmp_path, successor(month, Modelo=NEW)) == []
    (reading,) = bill()
    assert shop.problems(reading) == {2: ["contract.covered_by_other"]}
    assert (bill(), len(shop.there())) == ([], 1)
    # The ledger knows it now.
    third = successor(add_months(month, 1), Contrato="TERCEIRO", Modelo=NEW)
    assert add(shop, tmp_path, third) == ["contract.overlap"]
    assert coming(shop) == {"C-1": "later", "NOVO-1": "unknown"}


def test_of_two_contracts_at_once_the_first_alone_is_billed(each_shop: Workshop, tmp_path: Path) -> None:
    """Two people entered them in the same moment; neither saw the other's."""
    shop, month = each_shop, this_month()
    enter(shop, tmp_path, contract(1))
    write_unasked(shop)
    (reading,) = bill()
    assert [row.line["contract"] for row in shop.rows(reading) if row.line] == ["C-1"]
    assert bill() == []
    with shop.context() as context:
        found = {each.contract.key: each for each in charges_of_month(context, month)}
    assert (found["C-1"].status, found["NOVO-1"].status) == ("billed", "covered")
    # The other one waits for a person, who ends the first one.
    assert coming(shop) == {"C-1": "later", "NOVO-1": "unknown"}
    end(shop, add_months(month, 1) - DAY)
    assert coming(shop) == {"NOVO-1": "later"}


def test_a_gathered_row_waits_while_a_first_contract_runs(each_shop: Workshop, tmp_path: Path) -> None:
    shop = each_shop
    enter(shop, tmp_path, contract(1, Contrato="Z-1"))
    stopped(shop, "resolved")
    (record,) = shop.read(ledger_contracts.contracts_all)
    other = replace(record.contract, key="C-1")
    assert shop.write(ledger_contracts.write_version, other, after=0, by="Bia", because="y")
    (old,), (new,) = bill(), bill()
    assert shop.problems(old) == {2: ["contract.overlap"]}
    assert [row.line["contract"] for row in shop.rows(new) if row.line] == ["C-1"]
    assert len(shop.there()) == 1
