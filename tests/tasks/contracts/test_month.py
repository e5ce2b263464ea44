"""The charges of contracts in a month, and the missed months."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import openpyxl
import pytest

from connectors.ledger import closings
from connectors.ledger.contracts import sheets_of
from connectors.ledger.database.sql import to_micros
from domain.competence import add_months
from domain.contracts.contract import Adjustment
from domain.documents import Document
from domain.parties import TakerData
from domain.problems import FaturistaError
from tasks.cancellations.cancel import cancel_batch
from tasks.closing.checklist import month_page
from tasks.closing.close import ClosedMonth, close_month, reopen_month
from tasks.closing.late import count_late_charges
from tasks.contracts.changes import adjust_contract
from tasks.contracts.charge_sheets import gather_due
from tasks.contracts.month import charges_of_month, count_missed_charges, missed_months, unbilled_of_month
from tasks.contracts.plans import apply_contracts, plan_contracts, unbilled_last_month_problem
from tasks.replacements.settle import settle_replaced
from tasks.stations.assemble import assemble_rows
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.resolve import resolve_rows
from tests.flows.test_monthly_billing import bill
from tests.tasks.cancellations.requested import request_cancellation
from tests.tasks.contracts.sheets import CUSTOMERS, contract, customer, write_contracts
from tests.tasks.replacements.test_settle import issue, replaced_line
from tests.tasks.rows import SAO_PAULO, line, this_month
from tests.tasks.workshop import Workshop, codes


def enter(shop: Workshop, folder: Path, *rows: Sequence[str]) -> None:
    with shop.context() as context:
        plans = plan_contracts(context, write_contracts(folder / "contratos.csv", rows))
        apply_contracts(context, plans, person="Ana", because="x")


def at_noon(shop: Workshop, day: date):
    """Return a context whose clock shows noon in Brasília of a day."""
    return shop.context(ahead=datetime(day.year, day.month, day.day, 15, tzinfo=UTC) - datetime.now(UTC))


def test_a_charge_is_due_from_its_day_on(shop: Workshop, tmp_path: Path) -> None:
    month = date(2027, 2, 1)
    enter(
        shop,
        tmp_path,
        contract(1, **{"Dia de Cobrança": "dia 10"}),
        contract(2, Início="15/02/2027"),
        contract(3, Periodicidade="trimestral"),
        contract(4, Reajuste="IPCA"),
    )
    with at_noon(shop, date(2027, 2, 9)) as context:
        first, second, fourth = charges_of_month(context, month)
    assert [first.status, second.status, fourth.status] == ["later", "due", "unknown"]
    assert second.charge is not None
    assert (second.charge.cents, codes(second.charge.remarks)) == (5_001, ["contract.prorated"])
    assert set(codes(fourth.problems)) == {"contract.index_missing"}
    with at_noon(shop, date(2027, 2, 10)) as context:
        assert charges_of_month(context, month)[0].status == "due"


def test_the_last_evening_of_a_month_is_not_the_next_month(shop: Workshop, tmp_path: Path) -> None:
    enter(shop, tmp_path, contract(1, **{"Dia de Cobrança": "dia 1"}))
    # half past ten in Brasília, when UTC has the first of March
    evening = datetime(2027, 3, 1, 1, 30, tzinfo=UTC)
    with shop.context(ahead=evening - datetime.now(UTC)) as context:
        assert context.today == date(2027, 2, 28)
        assert [each.status for each in charges_of_month(context, date(2027, 3, 1))] == ["later"]
        gather_due(context, competence=None, is_catching_up=False)
        assert context.ledger.read(sheets_of, date(2027, 2, 1))
        assert not context.ledger.read(sheets_of, date(2027, 3, 1))
        with pytest.raises(FaturistaError):
            gather_due(context, competence=date(2027, 3, 1), is_catching_up=False)


def test_holidays_of_the_settings_move_a_day(shop: Workshop, tmp_path: Path) -> None:
    enter(shop, tmp_path, contract(1, **{"Dia de Cobrança": "dia 10 ou próximo dia útil"}))
    days = {}
    for local in ("[]", '["2027-02-10", "--02-11"]'):
        shop.set(CALENDAR__DAYS=local)
        with at_noon(shop, date(2027, 2, 9)) as context:
            (found,) = charges_of_month(context, date(2027, 2, 1))
            assert found.charge is not None
            days[local] = found.charge.due_on.day
    assert list(days.values()) == [10, 12]


def test_months_before_a_contract_came_are_not_missed(shop: Workshop, tmp_path: Path) -> None:
    enter(shop, tmp_path, contract(1), contract(2, **{"Dia de Cobrança": "dia 31 ou próximo dia útil"}))
    with shop.context() as context:
        assert count_missed_charges(context) == {}
    entered = to_micros(datetime(2027, 1, 20, tzinfo=UTC))
    shop.tamper(f"UPDATE contracts SET changed_at = {entered}")
    # 31 January 2027 is a Sunday: that charge is due in February and not missed before its day.
    with at_noon(shop, date(2027, 2, 1)) as context:
        assert count_missed_charges(context) == {date(2027, 1, 1): 1}


def test_a_missed_charge_that_nobody_can_compute_says_so(shop: Workshop, tmp_path: Path) -> None:
    enter(shop, tmp_path, contract(1), contract(2, Reajuste="IPCA"))
    shop.tamper(f"UPDATE contracts SET changed_at = {to_micros(datetime(2027, 1, 20, tzinfo=UTC))}")
    january = date(2027, 1, 1)
    with at_noon(shop, date(2027, 2, 1)) as context:
        unknown, missed = missed_months(context)
        assert (unknown.code, unknown.params["count"], unknown.params["due"]) == (
            "contract.missed_unknown",
            1,
            "2027-01",
        )
        assert (missed.code, missed.params["count"]) == ("contract.missed", 1)
        assert "contracts due 2027-01" in context.catalogue.say(unknown)
        assert missed_months(context, only=date(2026, 12, 1)) == []
        context.ledger.write(closings.close, january, person="Ana")
        assert codes(missed_months(context, only=january)) == ["contract.missed_unknown", "contract.late"]


def test_a_charge_before_the_entry_is_asked_about_and_never_caught_up(shop: Workshop, tmp_path: Path) -> None:
    """The ledger is in use since January; two contracts of January are entered in February, and a sheet billed one."""
    january, noon = date(2027, 1, 1), date(2027, 2, 3)
    enter(shop, tmp_path, contract(1, Início="01/02/2027"), contract(2), contract(3))
    instant = to_micros(datetime(2027, 1, 20, tzinfo=UTC))
    shop.tamper(f"UPDATE contracts SET changed_at = {instant} WHERE id = 1")
    shop.tamper(f"UPDATE contracts SET changed_at = {instant + 14 * 86_400_000_000} WHERE id > 1")
    by_hand = TakerData(document=Document("cpf", customer(3)), name=CUSTOMERS[2]["social_reason"])
    shop.assembled(line(3, taker=by_hand))
    shop.tamper("UPDATE invoices SET competence = '2027-01-01'")
    with at_noon(shop, noon) as context:
        (asked,) = missed_months(context)
        assert (asked.code, asked.params["first"], count_missed_charges(context)) == (
            "contract.entered_late",
            "C-2",
            {},
        )
        assert [each.contract.key for each in unbilled_of_month(context, january)] == ["C-2"]
        assert gather_due(context, competence=None, is_catching_up=True) == context.ledger.read(
            sheets_of, date(2027, 2, 1)
        )
        context.ledger.write(closings.close, january, person="Ana")
        assert missed_months(context) == []
        assert gather_due(context, competence=None, is_catching_up=True) == context.ledger.read(
            sheets_of, date(2027, 2, 1)
        )
    with at_noon(shop, date(2026, 12, 1)) as context:
        plans = plan_contracts(context, write_contracts(tmp_path / "novos.csv", [contract(4)]))
        problem = unbilled_last_month_problem(context, plans)
        assert problem is not None
        assert problem.params["month"] == "11/2026"


def closed_status(shop: Workshop, month: date) -> str:
    """Close a month anew. Return what its workbook says about its only contract."""
    with shop.context() as context:
        reopen_month(context, month, person="Ana", because="x")
        made = close_month(context, month, person="Ana")
        assert isinstance(made, ClosedMonth), made
        book = openpyxl.load_workbook(next(path for path in made.reports if path.suffix == ".xlsx"))
        (line,) = book.worksheets[-1].iter_rows(min_row=2, values_only=True)
        return {context.catalogue.text(f"closing.contract.{each}"): each for each in ("late", "unbilled")}[str(line[2])]


def test_a_charge_of_a_closed_month_is_billed_once_in_the_present_one(shop: Workshop, tmp_path: Path) -> None:
    before = add_months(this_month(), -1)
    enter(shop, tmp_path, contract(1))
    shop.tamper(f"UPDATE contracts SET changed_at = {to_micros(datetime(before.year, before.month, 15, tzinfo=UTC))}")
    with shop.context() as context:
        context.ledger.write(closings.close, before, person="Ana")
        assert count_late_charges(context) == {"contracts": {before: 1}, "payments": {}}
    assert bill() != []
    assert [batch.competence for batch in shop.batches()] == [this_month()]
    (reading,) = bill(catch_up=True)
    (row,) = shop.rows(reading)
    assert row.line is not None
    assert (row.line["charge_month"], row.line["competence"]) == (before.isoformat(), this_month().isoformat())
    assert row.line["description"] == f"Mensalidade de {before:%m/%Y}"
    assert {batch.competence for batch in shop.batches()} == {this_month()}
    assert bill(catch_up=True) == []
    assert closed_status(shop, before) == "late"
    with shop.context() as context:
        assert count_missed_charges(context) == {}
        for month, code in ((before, "closing.closed"), (this_month(), "contract.charge_billed")):
            with pytest.raises(FaturistaError) as refused:
                adjust_contract(context, "C-1", Adjustment(competence=month, cents=5, reason="x"), person="Ana")
            assert refused.value.problem.code == code


def test_a_month_opened_between_gathering_and_reading_is_billed_once(shop: Workshop, tmp_path: Path) -> None:
    before = add_months(this_month(), -1)
    enter(shop, tmp_path, contract(1))
    shop.tamper(f"UPDATE contracts SET changed_at = {to_micros(datetime(before.year, before.month, 15, tzinfo=UTC))}")
    options = ReadingOptions(operator="x", is_of_contracts=True)
    with shop.context() as context:
        context.ledger.write(closings.close, before, person="Ana")
        late = gather_due(context, competence=None, is_catching_up=True)
        reopen_month(context, before, person="Ana", because="x")
        # another process gathers the reopened month before anybody reads the first sheet
        whole = gather_due(context, competence=before, is_catching_up=False)
        readings = [read_file(context, file_id, options)[0] for file_id in (*whole, *late)]
    for reading in readings:
        shop.run(resolve_rows, reading)
        shop.run(assemble_rows, reading)
    assert [shop.problems(reading) for reading in readings] == [{}, {2: ["row.living"]}]
    assert sorted((each.competence, each.count) for each in shop.batches()) == [(before, 1), (this_month(), 1)]
    with shop.context() as context:
        assert count_missed_charges(context) == {}


def test_another_company_bills_no_month_again(each_shop: Workshop, tmp_path: Path) -> None:
    shop = each_shop
    enter(shop, tmp_path, contract(1))
    assert len(bill()) == 1
    enter(shop, tmp_path, contract(1, **{"CNPJ Emitente": SAO_PAULO}))
    assert bill() == []
    with shop.context() as context:
        (found,) = charges_of_month(context, this_month())
    assert found.status == "billed"


def test_a_billed_charge_is_counted_with_what_was_billed(shop: Workshop, tmp_path: Path) -> None:
    enter(shop, tmp_path, contract(1))
    bill()
    enter(shop, tmp_path, contract(1, Valor="999,00"))
    with shop.context() as context:
        (found,) = charges_of_month(context, this_month())
        (line,) = [line for line in month_page(context, None).lines if "C-1" in line]
    assert (found.status, found.cents) == ("billed", 10_001)
    # How the present amount is computed says nothing about the billed one.
    (remark,) = found.remarks
    assert (remark.code, remark.params["amount"]) == ("contract.billed_otherwise", "R$ 999,00")
    assert line.startswith("1 contract differs now from its invoice: C-1.")


def test_a_replaced_charge_counts_with_its_last_invoice(each_shop: Workshop, tmp_path: Path) -> None:
    shop = each_shop
    enter(shop, tmp_path, contract(1))
    bill()
    for place, cents in (("F-1", 15_000), ("F-2", 16_000)):
        (new,) = shop.assembled(replaced_line(1, place, service_cents=cents))[1]
        issue(shop, new)
        shop.run(settle_replaced, new - 1)
    with shop.context() as context:
        (found,) = charges_of_month(context, this_month())
    assert (found.status, found.cents) == ("billed", 16_000)
    assert bill() == []


def test_a_cancelled_charge_is_billed_again_only_when_corrected(each_shop: Workshop, tmp_path: Path) -> None:
    shop = each_shop
    enter(shop, tmp_path, contract(1), contract(2))
    bill()
    (batch,) = shop.batches()
    request_cancellation(shop, batch.id, (0, 1))
    for _ in range(2):
        shop.run(cancel_batch, batch.id)
    assert {each["status"] for each in shop.there()} == {"cancelled"}
    assert bill() == []
    # Another name of the customer does not change the charge.
    enter(shop, tmp_path, contract(1, **{"Razão Social": "Outro Nome"}))
    assert bill(catch_up=True) == []
    with shop.context() as context:
        assert [each.status for each in charges_of_month(context, this_month())] == ["cancelled", "cancelled"]
        assert unbilled_of_month(context, this_month()) == []
        lines = " ".join(month_page(context, None).lines)
    assert "Cancelled invoices of 2 charges of contracts: C-1, C-2." in lines
    assert "has its invoice" not in lines
    enter(shop, tmp_path, contract(2, Valor="99,00"))
    (reading,) = bill()
    assert [row.line["own_key"] for row in shop.rows(reading) if row.line] == ["C-2"]
    by_hand = line(3, own_key="c-1")
    assert len(shop.assembled(by_hand)[1]) == 1
    with shop.context() as context:
        assert [each.status for each in charges_of_month(context, this_month())] == ["billed", "billed"]


@pytest.mark.parametrize("header", ["Início", "Periodicidade"])
def test_a_billed_period_is_not_charged_again(each_shop: Workshop, tmp_path: Path, header: str) -> None:
    shop = each_shop
    quarterly = {"Início": f"{this_month():%d/%m/%Y}", "Periodicidade": "trimestral", "Proporcional": "Não"}
    changes = {"Início": f"{add_months(this_month(), 1):%d/%m/%Y}", "Periodicidade": "mensal"}

    def status(changed: dict[str, str]) -> tuple[str, list[str]]:
        path = write_contracts(tmp_path / "outra.csv", [contract(1, **quarterly | changed)])
        with shop.context() as context:
            (plan,) = plan_contracts(context, path)
        return plan.status, codes(plan.problems)

    enter(shop, tmp_path, contract(1, **quarterly))
    assert status({header: changes[header]}) == ("changed", [])
    bill()
    assert status({header: changes[header]}) == ("refused", ["contract.period_billed"])
    # A start that moves no charge.
    assert status({"Início": f"{this_month().replace(day=2):%d/%m/%Y}"}) == ("changed", [])
