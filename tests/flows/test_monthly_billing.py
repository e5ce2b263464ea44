"""A month of contracts becomes a sheet that the stations bill, once."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger import files as ledger_files
from connectors.ledger.database.sql import to_micros
from domain.competence import add_months, month_text
from domain.problems import FaturistaError
from domain.services.lines import ServiceLine
from flows.bill_services import bill_services
from flows.monthly_billing import monthly_billing
from flows.runner import DirectRunner
from tasks.contracts.charge_sheets import gather_due
from tasks.contracts.month import charges_of_month
from tasks.contracts.plans import apply_contracts, plan_contracts
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tests.ageing import age
from tests.tasks.contracts.sheets import contract, write_contracts
from tests.tasks.payments.paid_orders import RULE, pay, write_rules
from tests.tasks.rows import RIO, this_month
from tests.tasks.workshop import PROFILE, Workshop


def enter(shop: Workshop, folder: Path, *rows: Sequence[str]) -> None:
    path = write_contracts(folder / "contratos.csv", rows)
    with shop.context() as context:
        done = apply_contracts(context, plan_contracts(context, path), person="Ana", because="x")
    assert not [plan for plan in done if plan.status == "refused"]


def bill(competence: date | None = None, *, catch_up: bool = False) -> list[int]:
    """Run the flow without an orchestrator. Return the readings."""
    return asyncio.run(monthly_billing(DirectRunner(), profile=PROFILE, competence=competence, catch_up=catch_up))


def test_each_contract_is_billed_once_in_any_number_of_runs(each_shop: Workshop, tmp_path: Path) -> None:
    shop = each_shop
    shop.set(APPROVAL__AUTOMATIC="false")
    enter(shop, tmp_path, contract(1), contract(2, Discriminação=""), contract(3))
    (reading,) = bill()
    first, second, _ = (ServiceLine.from_json(row.line or {}) for row in shop.rows(reading))
    assert (first.own_key, first.contract, first.emitter_cnpj) == ("C-1", "C-1", RIO)
    assert (first.service_cents, first.competence) == (10_001, this_month())
    assert (first.description, second.description) == (f"Mensalidade de {this_month():%m/%Y}", None)
    assert [batch.state for batch in shop.batches()] == ["staged"]
    assert (bill(), bill(this_month())) == ([], [])
    shop.approve()
    assert bill() == []
    assert {note["status"] for note in shop.there()} == {"accepted"}
    assert shop.asked("notes.create") == 3
    with shop.context() as context:
        assert {each.status for each in charges_of_month(context, this_month())} == {"billed"}


def test_a_contract_that_comes_later_is_billed_by_itself(shop: Workshop, tmp_path: Path) -> None:
    enter(shop, tmp_path, contract(1))
    bill()
    # The first contract's amount changes meanwhile: its month is billed already.
    enter(shop, tmp_path, contract(1, Valor="999,00"), contract(2))
    (reading,) = bill()
    assert [row.line["own_key"] for row in shop.rows(reading) if row.line] == ["C-2"]
    sheets = shop.read(ledger_contracts.sheets_of, this_month())
    names = {found.name for each in sheets if (found := shop.read(ledger_files.find_file, file_id=each))}
    assert names == {f"contracts-{month_text(this_month())}-{ordinal}.csv" for ordinal in (1, 2)}


def test_a_sheet_that_nobody_read_is_taken_up_again(each_shop: Workshop, tmp_path: Path) -> None:
    shop = each_shop
    enter(shop, tmp_path, contract(1), contract(2))
    with shop.context() as context:
        (file_id,) = gather_due(context, competence=None, is_catching_up=False)
    # A contract is added in between: the written sheet stays as it was.
    enter(shop, tmp_path, contract(3))
    with shop.context() as context:
        assert gather_due(context, competence=None, is_catching_up=False) == [file_id]
        reading, _ = read_file(context, file_id, ReadingOptions(operator="x", is_of_contracts=True))
        assert gather_due(context, competence=None, is_catching_up=False) == [file_id]
    assert bill() == [reading]
    assert len(bill()) == 1
    assert shop.asked("notes.create") == 3


def test_an_unbillable_row_comes_back_and_is_tried_again(shop: Workshop, tmp_path: Path) -> None:
    enter(shop, tmp_path, contract(1), contract(2, Modelo="Errado"))
    (reading,) = bill()
    assert shop.problems(reading) == {3: ["template.unknown"]}
    (again,) = bill()
    assert list(shop.problems(again).values()) == [["template.unknown"]]
    enter(shop, tmp_path, contract(2))
    bill()
    assert shop.asked("notes.create") == 2


def test_a_charge_that_a_sheet_billed_already_is_held(shop: Workshop, tmp_path: Path) -> None:
    enter(shop, tmp_path, contract(1))
    bill()
    enter(shop, tmp_path, contract(2))
    # Somebody bills the second contract by hand first.
    by_hand = contract(2)
    headers = ("CNPJ Emitente", "CNPJ/CPF", "Razão Social", "Modelo", "Competência", "Valor", "Discriminação")
    row = [by_hand[1], by_hand[2], by_hand[3], by_hand[4], f"{this_month():%m/%Y}", "100,00", "Mensalidade"]
    path = write_contracts(tmp_path / "a-mao.csv", [row], headers=headers)
    asyncio.run(bill_services(DirectRunner(), str(path), profile=PROFILE))
    (reading,) = bill()
    assert shop.problems(reading) == {2: ["row.similar_living"]}
    assert shop.asked("notes.create") == 2


def test_past_months_wait_for_a_person(shop: Workshop, tmp_path: Path) -> None:
    enter(shop, tmp_path, contract(1))
    before, month = add_months(this_month(), -1), this_month()
    # The contract has been in the ledger for a month.
    entered = to_micros(datetime(before.year, before.month, 15, tzinfo=UTC))
    shop.tamper(f"UPDATE contracts SET changed_at = {entered}")
    bill()
    assert [batch.competence for batch in shop.batches()] == [month]
    bill(catch_up=True)
    assert sorted(batch.competence for batch in shop.batches()) == [before, month]
    assert bill(catch_up=True) == []


def test_a_month_that_has_not_begun_is_refused(shop: Workshop, tmp_path: Path) -> None:
    enter(shop, tmp_path, contract(1))
    with shop.context() as context, pytest.raises(FaturistaError) as refused:
        gather_due(context, competence=add_months(this_month(), 1), is_catching_up=False)
    assert refused.value.problem.code == "competence.future"


def test_a_scheduled_run_reads_returned_rows_once_a_day(shop: Workshop, tmp_path: Path) -> None:
    enter(shop, tmp_path, contract(1, Modelo="Errado"))
    (first,) = bill()
    assert bill() == []
    # a person who bills, and the next day's run, read it again
    with shop.context() as context:
        (file_id,) = gather_due(context, competence=None, is_catching_up=False)
    with shop.context(ahead=timedelta(days=1, seconds=5)) as context:
        assert gather_due(context, competence=this_month(), is_catching_up=False, is_by_clock=True) == [file_id]
    # The clock is set back by two days: the reading lies ahead, and nobody knows how old it is.
    shop.write(age, -2 * 86_400)
    with shop.context() as context:
        assert gather_due(context, competence=None, is_catching_up=False, is_by_clock=True) == [file_id]
    enter(shop, tmp_path, contract(1))
    (second,) = bill()
    assert second > first


def test_a_payment_that_came_back_is_read_once_a_day_by_the_clock(shop: Workshop) -> None:
    write_rules(shop, RULE.replace("Mensalidade Sistema", "Errado"))
    pay(shop.sandbox)
    (reading,) = bill()
    assert list(shop.problems(reading).values()) == [["template.unknown"]]
    assert bill() == []
    (sheet,) = shop.read(ledger_contracts.sheets_of, this_month(), "payments")
    shop.tamper(f"UPDATE readings SET started_at = started_at - {to_micros(datetime(1970, 1, 2, tzinfo=UTC))}")
    (again,) = bill()
    assert [shop.read(ledger_files.file_of_reading, each).id for each in (reading, again)] == [sheet, sheet]
