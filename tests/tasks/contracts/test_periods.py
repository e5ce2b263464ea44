"""The months that an invoice covers are charged once, whichever versions of the contract came since."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger.database.sql import to_micros
from domain.competence import add_months
from domain.contracts.contract import Adjustment
from domain.problems import FaturistaError
from tasks.cancellations.cancel import cancel_batch
from tasks.closing.checklist import month_page
from tasks.contracts.changes import adjust_contract, end_contract, pause_contract, resume_contract
from tasks.contracts.month import charges_of_month, count_missed_charges, unbilled_of_month
from tasks.contracts.plans import apply_contracts, plan_contracts
from tests.flows.test_monthly_billing import bill
from tests.tasks.cancellations.requested import request_cancellation
from tests.tasks.contracts.sheets import contract, write_contracts
from tests.tasks.contracts.test_month import enter
from tests.tasks.rows import line, this_month
from tests.tasks.workshop import Workshop, codes

BY: Final = {"person": "Ana", "because": "x"}


def written(day: date) -> str:
    return f"{day:%d/%m/%Y}"


def quarterly() -> dict[str, str]:
    """Return a quarter that began in the month before: each charge bills the whole amount."""
    start = add_months(this_month(), -1)
    return {"Início": written(start), "Periodicidade": "trimestral", "Proporcional": "Não", "Discriminação": "Plano"}


def change(shop: Workshop, folder: Path, changes: Mapping[str, str]) -> list[str]:
    """Import the quarter with changes. Return the codes of its problems."""
    path = write_contracts(folder / "outra.csv", [contract(1, **{**quarterly(), **changes})])
    with shop.context() as context:
        (plan,) = apply_contracts(context, plan_contracts(context, path), **BY)
    return codes(plan.problems) if plan.status == "refused" else []


def billed_quarter(shop: Workshop, folder: Path) -> date:
    """Bill a quarter in the month before. Return its month."""
    enter(shop, folder, contract(1, **quarterly()))
    last = add_months(this_month(), -1)
    assert len(bill(last)) == 1
    return last


@pytest.mark.parametrize("detour", ["two starts", "monthly", "paused", "ended"])
def test_no_detour_charges_a_billed_quarter_again(each_shop: Workshop, tmp_path: Path, detour: str) -> None:
    shop, month = each_shop, this_month()
    last = billed_quarter(shop, tmp_path)
    again = {"Início": written(month)}
    assert change(shop, tmp_path, again) == ["contract.period_billed"]
    if detour == "two starts":
        assert change(shop, tmp_path, {"Início": written(add_months(month, 2))}) == []
    elif detour == "monthly":
        again = {"Periodicidade": "mensal"}
        assert change(shop, tmp_path, {"Início": written(add_months(month, 2)), **again}) == []
    with shop.context() as context:
        if detour == "paused":
            pause_contract(context, "C-1", since=last, until=last, **BY)
        elif detour == "ended":
            end_contract(context, "C-1", last_on=last, **BY)
    if detour == "ended":
        earlier = {"Início": written(add_months(last, -3)), "Fim": written(add_months(last, -1))}
        assert change(shop, tmp_path, earlier) == []
        again = {**again, "Fim": "sem fim"}
    assert change(shop, tmp_path, again | {"Início": written(month)}) == ["contract.period_billed"]
    assert bill() == []
    assert len(shop.there()) == 1


def test_no_command_charges_a_billed_quarter_again(each_shop: Workshop, tmp_path: Path) -> None:
    shop, month = each_shop, this_month()
    billed_quarter(shop, tmp_path)
    with shop.context() as context:
        pause_contract(context, "C-1", since=month, until=month, **BY)
    assert change(shop, tmp_path, {"Periodicidade": "mensal", "Início": written(month)}) == ["contract.period_billed"]
    assert change(shop, tmp_path, {"Periodicidade": "mensal", "Início": written(add_months(month, 2))}) == []
    with shop.context() as context:
        end_contract(context, "C-1", last_on=add_months(month, 4), **BY)
        # The month after the quarter may be paused and billed again.
        pause_contract(context, "C-1", since=add_months(month, 2), until=None, **BY)
        resume_contract(context, "C-1", since=add_months(month, 2), **BY)


def test_a_resumed_month_of_a_billed_quarter_is_refused(shop: Workshop, tmp_path: Path) -> None:
    month = this_month()
    paused = {"Início": written(month), "Periodicidade": "mensal"}
    last = add_months(month, -1)
    enter(shop, tmp_path, contract(1, **quarterly()))
    # Nothing is billed yet, so the contract may take any terms; then the quarter is billed by its first ones.
    assert change(shop, tmp_path, paused) == []
    with shop.context() as context:
        pause_contract(context, "C-1", since=month, until=None, **BY)
    assert change(shop, tmp_path, {}) == []
    assert len(bill(last)) == 1
    assert change(shop, tmp_path, paused) == []
    with shop.context() as context, pytest.raises(FaturistaError) as refused:
        resume_contract(context, "C-1", since=month, **BY)
    assert refused.value.problem.code == "contract.period_billed"


def test_a_correction_that_is_taken_back_charges_the_next_month(each_shop: Workshop, tmp_path: Path) -> None:
    shop, month = each_shop, this_month()
    last = add_months(month, -1)
    monthly = {"Periodicidade": "mensal"}
    enter(shop, tmp_path, contract(1, **quarterly() | monthly))
    assert len(bill(last)) == 1
    assert change(shop, tmp_path, {}) == []
    # The quarter was a mistake: the invoice of the month before covers that month alone.
    assert change(shop, tmp_path, monthly) == []
    assert len(bill()) == 1
    assert len(shop.there()) == 2


def test_a_covered_charge_is_shown_and_never_billed(each_shop: Workshop, tmp_path: Path) -> None:
    shop, month = each_shop, this_month()
    last = billed_quarter(shop, tmp_path)
    # A ledger may have such a version already, from two people at once.
    (record,) = shop.read(ledger_contracts.contracts_all)
    monthly = replace(record.contract, cadence_months=1)
    assert shop.write(ledger_contracts.write_version, monthly, after=1, by="Bia", because="y")
    assert (bill(), bill(catch_up=True), bill(month)) == ([], [], [])
    assert len(shop.there()) == 1
    with shop.context() as context:
        (found,) = charges_of_month(context, month)
        page = month_page(context, month)
        assert unbilled_of_month(context, month) == []
        with pytest.raises(FaturistaError) as refused:
            adjust_contract(context, "C-1", Adjustment(competence=month, cents=5, reason="x"), person="Ana")
        end = add_months(last, 3) - timedelta(days=1)
        words = f"The invoice of {last:%m/%Y} covers this contract from {written(last)} to {written(end)}"
        assert words in " ".join(str(row) for section in page.sections for row in section.rows)
    assert refused.value.problem.code == "contract.not_charged"
    assert (found.status, found.cents, codes(found.remarks)) == ("covered", None, ["contract.covered"])
    assert "covers 1 charge of a contract: C-1." in " ".join(page.lines)
    assert "has its invoice" not in " ".join(page.lines)


def test_a_cadence_that_changes_behind_a_billed_period_is_written(shop: Workshop, tmp_path: Path) -> None:
    month = this_month()
    shop.set(PROTOCOL__ALLOWED_MONTHS_AFTER=2)
    start = add_months(month, -2)
    twice = quarterly() | {"Início": written(start), "Periodicidade": "bimestral"}
    enter(shop, tmp_path, contract(1, **twice))
    entered = to_micros(datetime(start.year, start.month, 15, tzinfo=UTC))
    shop.tamper(f"UPDATE contracts SET changed_at = {entered}")
    assert len(bill(start)) == 1
    assert change(shop, tmp_path, twice | {"Periodicidade": "mensal"}) == []
    with shop.context() as context:
        assert count_missed_charges(context) == {}
        assert [each.status for each in charges_of_month(context, add_months(month, -1))] == ["covered"]
    assert len(bill(catch_up=True)) == 1
    assert sorted(each.competence for each in shop.batches()) == [start, month]


def test_a_cancelled_quarter_covers_no_month(shop: Workshop, tmp_path: Path) -> None:
    month = this_month()
    billed_quarter(shop, tmp_path)
    again = {"Início": written(month)}
    assert change(shop, tmp_path, again) == ["contract.period_billed"]
    (batch,) = shop.batches()
    request_cancellation(shop, batch.id, (0,))
    for _ in range(2):
        shop.run(cancel_batch, batch.id)
    assert change(shop, tmp_path, again) == []
    assert len(bill()) == 1


def test_a_quarter_billed_by_hand_covers_its_months(shop: Workshop, tmp_path: Path) -> None:
    month = this_month()
    last = add_months(month, -1)
    enter(shop, tmp_path, contract(1, **quarterly()))
    assert len(shop.assembled(line(1, own_key="C-1", competence=last))[1]) == 1
    assert change(shop, tmp_path, {"Início": written(month)}) == ["contract.period_billed"]
