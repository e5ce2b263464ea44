"""Paid invoices of orders become NFS-e by the rule file, each once for ever."""

import asyncio
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import openpyxl
import pytest

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger import files as ledger_files
from domain.competence import BRASILIA, add_months
from domain.problems import FaturistaError
from domain.services.lines import ServiceLine
from flows.bill_services import bill_services
from flows.monthly_billing import monthly_billing
from flows.runner import DirectRunner
from tasks.cancellations.cancel import cancel_batch
from tasks.closing.checklist import month_page
from tasks.payments.checklist import paid_month
from tasks.views.contradicted_payments import contradicted_payments
from tests.tasks.cancellations.requested import request_cancellation
from tests.tasks.payments.paid_orders import NEW, RULE, TAKER, pay, write_rules
from tests.tasks.rows import RIO, SAO_PAULO, company, line, this_month
from tests.tasks.workshop import PROFILE, Workshop


def bill(competence: date | None = None, *, paid_only: bool = True, catch_up: bool = False) -> list[int]:
    """Run the flow without an orchestrator. Return the readings."""
    flow = monthly_billing(
        DirectRunner(), profile=PROFILE, competence=competence, paid_only=paid_only, catch_up=catch_up
    )
    return asyncio.run(flow)


def test_repeated_runs_bill_a_payment_once(each_shop: Workshop) -> None:
    shop = each_shop
    shop.set(APPROVAL__AUTOMATIC="false")
    write_rules(shop, RULE + 'description = "Plano {plano}, fatura {fatura}"\n')
    pay(shop.sandbox, NEW)
    pay(
        shop.sandbox,
        NEW + 1,
        amount_with_adjustments="99.90",
        redeemed_adjustments=[{"amount": "10.00", "description": "x"}],
    )
    (reading,) = bill()
    first, second = (ServiceLine.from_json(row.line or {}) for row in shop.rows(reading))
    assert (first.paid_invoice, second.paid_invoice) == (f"essencial #{NEW}", f"essencial #{NEW + 1}")
    assert (first.service_cents, second.service_cents) == (8_990, 9_990)
    assert (first.emitter_cnpj, first.competence) == (RIO, this_month())
    assert first.description == f"Plano Essencial, fatura {NEW}"
    assert [batch.state for batch in shop.batches()] == ["staged"]
    assert (bill(), bill(this_month())) == ([], [])
    shop.approve()
    assert bill() == []
    assert {note["status"] for note in shop.there()} == {"accepted"}
    assert shop.asked("notes.create") == 2


def test_a_changed_rule_bills_nothing_again(shop: Workshop) -> None:
    write_rules(shop)
    pay(shop.sandbox)
    bill()
    write_rules(shop, RULE.replace(RIO, SAO_PAULO).replace("Mensalidade Sistema", "Suporte Anual"))
    pay(shop.sandbox, NEW + 1)
    bill()
    keys = [row.line["paid_invoice"] for reading in (1, 2) for row in shop.rows(reading) if row.line]
    assert keys == [f"essencial #{NEW}", f"essencial #{NEW + 1}"]


def test_a_refunded_payment_is_billed_again_by_a_person_alone(each_shop: Workshop) -> None:
    shop = each_shop
    write_rules(shop)
    pay(shop.sandbox)
    bill()
    (batch,) = shop.batches()
    request_cancellation(shop, batch.id)
    for _ in range(2):
        shop.run(cancel_batch, batch.id)
    assert {note["status"] for note in shop.there()} == {"cancelled"}
    write_rules(shop, RULE.replace("Mensalidade Sistema", "Suporte Anual"))
    assert bill() == []
    with shop.context() as context:
        assert f"Cancelled invoice of 1 payment: essencial #{NEW}." in " ".join(month_page(context, None).lines)
    assert len(shop.assembled(line(1, paid_invoice=f"essencial #{NEW}"))[1]) == 1
    with shop.context() as context:
        (found,) = paid_month(context, this_month()).payments
    assert found.status == "billed"


def test_a_refund_is_seen_as_long_as_its_month_is_open(shop: Workshop) -> None:
    """The refunds come after more days than banks need: of a billed payment, and of one that no rule billed yet."""
    now = datetime.now(UTC).astimezone(BRASILIA)
    first, since = now - timedelta(days=20), (now - timedelta(days=25)).date()
    only_first = RULE + f"numbers = [{NEW}]\n"
    write_rules(shop, only_first, since=since)
    for number, at in ((NEW, first), (NEW + 1, first), (NEW + 2, now)):
        pay(shop.sandbox, number, at=at)
    bill(catch_up=True)
    assert shop.asked("notes.create") == 1
    for number in (NEW, NEW + 1):
        shop.act("drop_sale", plan="essencial", number=number)
    write_rules(shop, since=since)
    billed = {row.line["paid_invoice"] for each in bill(catch_up=True) for row in shop.rows(each) if row.line}
    # the sandbox has payments of its own
    assert billed & {f"essencial #{NEW + place}" for place in range(3)} == {f"essencial #{NEW + 2}"}
    with shop.context() as context:
        (problem,) = contradicted_payments(context)
    assert (problem.code, problem.params["first"]) == ("payment.refunded", f"essencial #{NEW}")


def test_a_customer_unknown_to_the_provider_is_made_from_the_order(shop: Workshop) -> None:
    write_rules(shop)
    address = {
        "address": "Rua das Acácias",
        "address_number": "11",
        "address_quarter": "Centro",
        "address_city": "Rio de Janeiro",
        "address_state": "RJ",
        "zip_code": "20010000",
    }
    pay(shop.sandbox, user_data={"client_name": "Livraria Nova", "document_number": company(301).number, **address})
    (reading,) = bill()
    assert shop.problems(reading) == {}
    (row,) = shop.rows(reading)
    taker = ServiceLine.from_json(row.line or {}).taker
    assert (taker.name, taker.street, taker.emails) == (
        "Livraria Nova",
        "Rua das Acácias",
        ("financeiro@cliente.example",),
    )
    assert shop.asked("takers.create") == 1


def test_the_identity_service_completes_the_customer(shop: Workshop) -> None:
    write_rules(shop)
    address = {"address": "Rua A", "address_number": "1", "address_quarter": "Centro", "zip_code": "20010000"}
    place = {"address_city": "Rio de Janeiro", "address_state": "RJ"}
    bare = {"client_name": None, "client_email": None, "document_number": company(301).number}
    shop.sandbox.control("act", {"do": "change_order", "number": 1, "fields": {"client_name": ""}})
    pay(shop.sandbox, order=1, user_data=bare | address | place)
    (reading,) = bill()
    (row,) = shop.rows(reading)
    taker = ServiceLine.from_json(row.line or {}).taker
    assert taker.name is not None
    assert taker.name.startswith("Grupo ")
    assert taker.emails == ("pessoa1@cliente.example",)
    assert shop.problems(reading) == {}


def test_an_expired_account_still_names_the_customer(shop: Workshop) -> None:
    write_rules(shop)
    address = {"address": "Rua A", "address_number": "1", "address_quarter": "Centro", "zip_code": "20010000"}
    place = {"address_city": "Rio de Janeiro", "address_state": "RJ"}
    bare = {"client_name": None, "document_number": company(301).number}
    shop.sandbox.control("act", {"do": "change_order", "number": 3, "fields": {"client_name": ""}})
    pay(shop.sandbox, order=3, user_data=bare | address | place)
    (reading,) = bill()
    assert shop.problems(reading) == {}
    (row,) = shop.rows(reading)
    assert (ServiceLine.from_json(row.line or {}).taker.name or "").startswith("Grupo ")


def test_a_payment_without_a_document_comes_back(shop: Workshop) -> None:
    write_rules(shop)
    shop.sandbox.control("act", {"do": "change_order", "number": 1, "fields": {"document_number": None}})
    pay(shop.sandbox, order=1, user_data={"document_number": None})
    (reading,) = bill()
    assert shop.problems(reading) == {2: ["document.missing"]}
    (workbook,) = shop.home.glob("outbox/*")
    assert workbook.suffix in {".xlsx", ".csv"}
    # the order service knows it now
    number = TAKER.get("cnpj") or TAKER["cpf"]
    shop.sandbox.control("act", {"do": "change_order", "number": 1, "fields": {"document_number": number}})
    bill()
    assert shop.asked("notes.create") == 1


def with_document(path: Path, folder: Path) -> Path:
    """Fill in the customer's document of a workbook to correct. Return the copy in this folder."""
    book = openpyxl.load_workbook(path)
    sheet = book.worksheets[0]
    (cell,) = [cell for row in sheet.iter_rows(max_row=5) for cell in row if cell.value == "CNPJ/CPF"]
    sheet.cell(cell.row + 1, cell.column, TAKER.get("cnpj") or TAKER["cpf"])
    filled = folder / path.name
    book.save(filled)
    return filled


def test_a_completed_workbook_bills_the_payment_once(shop: Workshop) -> None:
    write_rules(shop)
    shop.sandbox.control("act", {"do": "change_order", "number": 1, "fields": {"document_number": None}})
    pay(shop.sandbox, order=1, user_data={"document_number": None})
    bill()
    (path,) = shop.home.glob("outbox/*.xlsx")
    filled = with_document(path, shop.home)
    asyncio.run(bill_services(DirectRunner(), str(filled), profile=PROFILE))
    assert bill() == []
    assert [note["status"] for note in shop.there()] == ["accepted"]


def test_a_payment_in_two_workbooks_is_settled_by_one(shop: Workshop) -> None:
    write_rules(shop)
    shop.sandbox.control("act", {"do": "change_order", "number": 1, "fields": {"document_number": None}})
    pay(shop.sandbox, order=1, user_data={"document_number": None})
    pay(shop.sandbox, NEW + 1)
    bill()
    (path,) = shop.home.glob("outbox/*.xlsx")
    # a person starts the run again, and the payment comes back once more
    asyncio.run(monthly_billing(DirectRunner(), profile=PROFILE, paid_only=True, operator="Ana"))
    assert len(list(shop.home.glob("outbox/*.xlsx"))) == 2
    filled = with_document(path, shop.home)
    with shop.context() as context:
        assert any("came back" in alarm for alarm in month_page(context, None).alarms)
    asyncio.run(bill_services(DirectRunner(), str(filled), profile=PROFILE))
    with shop.context() as context:
        assert month_page(context, None).alarms == ()


def test_a_plan_without_a_rule_names_the_line_to_add(shop: Workshop) -> None:
    path = write_rules(shop)
    shop.set(ORDERS__PLANS='["profissional"]')
    pay(shop.sandbox, plan="profissional")
    assert bill() == []
    with shop.context() as context:
        page = month_page(context, None)
    (row,) = [row for section in page.sections for row in section.rows if row[0] == "profissional"]
    assert row[1] == 1
    assert str(path) in str(row[2])
    assert 'plan = "profissional"' in str(row[2])


def test_a_rule_for_an_unknown_plan_bills_nothing(shop: Workshop) -> None:
    write_rules(shop, RULE, RULE.replace("essencial", "nenhum"))
    pay(shop.sandbox)
    with pytest.raises(FaturistaError) as refused:
        bill()
    with shop.context() as context:
        (text,) = context.catalogue.explain(refused.value)
    assert "nenhum" in text
    assert "orders.rules" in text
    assert shop.asked("notes.create") == 0


def test_an_unreachable_order_service_delays_no_contract(shop: Workshop) -> None:
    write_rules(shop)
    batch = shop.approved(1)
    shop.set(ORDERS__BASE_URL="http://127.0.0.1:9", REQUESTS__READ_TRIES="1")
    with pytest.raises(FaturistaError):
        bill(paid_only=False)
    assert shop.batch(batch).state == "processed"


def test_the_month_of_a_payment_is_brasilias(shop: Workshop) -> None:
    # half past ten in the evening of a month's last day, when UTC has the next month
    began = datetime(this_month().year, this_month().month, 1, tzinfo=BRASILIA)
    paid_at, month = began - timedelta(minutes=90), add_months(this_month(), -1)
    write_rules(shop, since=paid_at.date())
    # the sandbox's own payments of that evening and later are nobody's here
    shop.set(ORDERS__OVERLAP_DAYS="40", PROTOCOL__ALLOWED_MONTHS_AFTER="2")
    pay(shop.sandbox, at=paid_at)
    bill()
    (file_id,) = shop.read(ledger_contracts.sheets_of, month, "payments")
    reading = shop.read(ledger_files.last_reading, file_id)
    assert reading is not None
    found = [row.line for row in shop.rows(reading.id) if row.line and row.line["paid_invoice"] == f"essencial #{NEW}"]
    assert [line["competence"] for line in found] == [f"{month}"]
