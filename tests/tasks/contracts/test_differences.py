"""What a person must see: invoices that differ from their contract of today, and one-off amounts that nothing bills."""

from datetime import date, timedelta
from pathlib import Path
from typing import Final

import pytest

from domain.competence import add_months
from domain.contracts.contract import Adjustment
from domain.problems import FaturistaError
from tasks.closing.checklist import month_page
from tasks.contracts.changes import adjust_contract, end_contract, pause_contract, resume_contract
from tasks.contracts.month import charges_of_month, missed_months, unbilled_of_month
from tasks.contracts.plans import ContractPlan, apply_contracts, plan_contracts, remarks_of
from tasks.replacements.settle import settle_replaced
from tests.flows.test_monthly_billing import bill
from tests.tasks.contracts.sheets import CUSTOMERS, contract, customer, write_contracts
from tests.tasks.contracts.test_month import at_noon, enter
from tests.tasks.replacements.test_settle import issue, replaced_line
from tests.tasks.rows import SAO_PAULO, this_month
from tests.tasks.workshop import Workshop, codes

BY: Final = {"person": "Ana", "because": "x"}


def page_of(shop: Workshop, month: date) -> str:
    """Return the lines and the lists of the month's checklist as one text."""
    with shop.context() as context:
        page = month_page(context, month)
    rows = (str(row) for section in page.sections for row in section.rows)
    return "\n".join((*page.lines, *page.alarms, *rows))


def remarks(shop: Workshop) -> dict[str, list[str]]:
    """Return the codes of the remarks about every charge of this month, by contract."""
    with shop.context() as context:
        return {each.contract.key: codes(each.remarks) for each in charges_of_month(context, this_month())}


def test_an_invoice_with_other_terms_than_its_contract_is_shown(each_shop: Workshop, tmp_path: Path) -> None:
    shop, month = each_shop, this_month()
    enter(shop, tmp_path, *(contract(number) for number in range(1, 10)))
    bill()
    other = {"CNPJ/CPF": customer(12), "Razão Social": CUSTOMERS[11]["social_reason"]}
    enter(
        shop,
        tmp_path,
        contract(1, Valor="999,00"),
        contract(2, **other),
        contract(3, Modelo="Consultoria"),
        contract(4, Início=f"{add_months(month, 1):%d/%m/%Y}"),
        contract(5, Fim=f"{month - timedelta(days=1):%d/%m/%Y}"),
        contract(7, **{"Razão Social": "Nome Novo Ltda"}),
        contract(8, **{"CNPJ Emitente": SAO_PAULO}),
    )
    with shop.context() as context:
        pause_contract(context, "C-6", since=month, until=None, **BY)
        found = {each.contract.key: each for each in charges_of_month(context, month)}
    assert remarks(shop) == {
        "C-1": ["contract.billed_otherwise"],
        "C-2": ["contract.billed_to_other"],
        "C-3": ["contract.billed_by_template"],
        "C-4": ["contract.billed_uncharged"],
        "C-5": ["contract.billed_uncharged"],
        "C-6": ["contract.billed_uncharged"],
        "C-7": [],
        "C-8": ["contract.billed_by_other"],
        "C-9": [],
    }
    assert {each.status for each in found.values()} == {"billed"}
    assert [found[key].cents for key in ("C-1", "C-4", "C-5", "C-6")] == [10_001, 10_004, 10_005, 10_006]
    # The invoice has its customer, not the contract's.
    assert found["C-2"].customer_name == CUSTOMERS[1]["social_reason"]
    page = page_of(shop, month)
    assert "7 contracts differ now from their invoices: C-1, C-2, C-3" in page
    went = (
        f"The invoice went to {CUSTOMERS[1]['social_reason']}, the contract is now of {CUSTOMERS[11]['social_reason']}."
    )
    for words in (went, "('C-5', 'By its terms of today the contract charges nothing in this month.')"):
        assert words in page
    assert bill() == []


def test_the_last_replacement_is_compared(each_shop: Workshop, tmp_path: Path) -> None:
    shop = each_shop
    enter(shop, tmp_path, contract(1))
    bill()
    enter(shop, tmp_path, contract(1, Valor="150,00"))
    assert remarks(shop) == {"C-1": ["contract.billed_otherwise"]}
    (new,) = shop.assembled(replaced_line(1, "F-1", service_cents=15_000))[1]
    issue(shop, new)
    shop.run(settle_replaced, new - 1)
    # The new invoice has the contract's amount, and another customer.
    assert remarks(shop) == {"C-1": ["contract.billed_to_other"]}


@pytest.mark.parametrize("how", ["pause", "end", "start"])
def test_a_one_off_amount_without_a_charge_is_not_lost(each_shop: Workshop, tmp_path: Path, how: str) -> None:
    shop, month = each_shop, this_month()
    before = month - timedelta(days=1)
    row = contract(1, **{"Dia de Cobrança": "dia 30"})
    enter(shop, tmp_path, row)
    with shop.context() as context:
        adjust_contract(context, "C-1", Adjustment(competence=month, cents=15_000, reason="extra"), person="Ana")
        if how == "pause":
            done = pause_contract(context, "C-1", since=month, until=None, **BY).contract
        elif how == "end":
            done = end_contract(context, "C-1", last_on=before, **BY).contract
        else:
            later = contract(1, Início=f"{add_months(month, 1):%d/%m/%Y}")
            plans = plan_contracts(context, write_contracts(tmp_path / "outra.csv", [later]))
            assert codes(plans[0].problems) == ["contract.adjustment_uncharged"]
            (plan,) = apply_contracts(context, plans, **BY)
            assert (plan.status, codes(plan.problems)) == ("changed", ["contract.adjustment_uncharged"])
            assert isinstance(plan, ContractPlan)
            done = plan.contract
        assert codes(remarks_of(context, [done])["c 1"]) == ["contract.adjustment_uncharged"]
        (charge,) = charges_of_month(context, month)
        assert (charge.status, codes(charge.remarks)) == ("unknown", ["contract.adjustment_uncharged"])
        assert [each.contract.key for each in unbilled_of_month(context, month)] == ["C-1"]
    assert f"One-off amount of {month:%m/%Y}: R$ 150,00 (extra)." in page_of(shop, month)
    with at_noon(shop, add_months(month, 1)) as context:
        assert codes(missed_months(context, only=month)) == ["contract.missed_unknown"]
    assert bill() == []


@pytest.mark.both_databases
def test_a_one_off_amount_is_billed_again_or_taken_back(each_shop: Workshop, tmp_path: Path) -> None:
    shop, month = each_shop, this_month()
    enter(shop, tmp_path, contract(1), contract(2))
    extra = Adjustment(competence=month, cents=15_000, reason="extra")
    with shop.context() as context:
        for key in ("C-1", "C-2"):
            adjust_contract(context, key, extra, person="Ana")
            pause_contract(context, key, since=month, until=None, **BY)
        # In a month without a charge any other amount is refused; taking all of it back is not.
        with pytest.raises(FaturistaError) as refused:
            adjust_contract(context, "C-1", Adjustment(competence=month, cents=-1, reason="x"), person="Ana")
        assert refused.value.problem.code == "contract.not_charged"
        adjust_contract(context, "C-1", Adjustment(competence=month, cents=-15_000, reason="engano"), person="Ana")
        assert [each.contract.key for each in charges_of_month(context, month)] == ["C-2"]
        resume_contract(context, "C-2", since=month, **BY)
    bill()
    (note,) = shop.there()
    assert note["service_values"]["service_amount"] == "250.02"


def test_a_discount_of_a_paused_month_leaves_nothing_to_bill(shop: Workshop, tmp_path: Path) -> None:
    month = this_month()
    enter(shop, tmp_path, contract(1))
    with shop.context() as context:
        adjust_contract(context, "C-1", Adjustment(competence=month, cents=-2_000, reason="cortesia"), person="Ana")
        done = pause_contract(context, "C-1", since=month, until=None, **BY).contract
        assert remarks_of(context, [done]) == {}
        assert charges_of_month(context, month) == []
