"""A payment has one NFS-e, however a person spells its key, and whatever a correction does to it."""

import asyncio
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import openpyxl
import pytest

from connectors.ledger.rows import RowRecord
from domain.competence import add_months
from flows.monthly_billing import monthly_billing
from flows.runner import DirectRunner
from tasks.orders.payments import first_instant
from tasks.orders.sync import mirror_paid_invoices
from tasks.runtime.order_opening import open_orders
from tests.tasks.corrections.rounds import bill, returned
from tests.tasks.dropped_sheets import HEADERS, cells, write_sheet
from tests.tasks.payments.paid_orders import NEW, TAKER, pay, write_rules
from tests.tasks.rows import this_month
from tests.tasks.workshop import PROFILE, Workshop

KEY = "Chave do Pagamento"
DOCUMENT = TAKER.get("cnpj") or TAKER["cpf"]
UNKNOWN = {"document_number": None}
LAST_MONTH = add_months(this_month(), -1)


def bill_paid() -> list[int]:
    """Run the flow of payments. Return the readings."""
    return asyncio.run(monthly_billing(DirectRunner(), profile=PROFILE, paid_only=True))


def mirror() -> None:
    """Fetch the payments without billing them."""

    async def work() -> None:
        async with open_orders(PROFILE) as runtime:
            await mirror_paid_invoices(runtime, "essencial", since=first_instant(this_month()))

    asyncio.run(work())


def typed(path: Path, key: str, month: date) -> Path:
    """Write a sheet in which a person bills the payment with another text in this month."""
    fields = {"CNPJ/CPF": DOCUMENT, "Razão Social": TAKER["social_reason"], "Valor": "89,90"}
    row = cells(1, **fields, Discriminação="Cobrança avulsa", Competência=f"{month:%m/%Y}")
    return write_sheet(path, [[*row, key]], headers=[*HEADERS, KEY])


def pay_without_document(shop: Workshop) -> None:
    """Pay an order of a customer whose document no service knows."""
    shop.sandbox.control("act", {"do": "change_order", "number": 1, "fields": UNKNOWN})
    pay(shop.sandbox, order=1, user_data=UNKNOWN)


def learn_document(shop: Workshop) -> None:
    shop.sandbox.control("act", {"do": "change_order", "number": 1, "fields": {"document_number": DOCUMENT}})


def corrected(shop: Workshop, **changes: str | None) -> Path:
    """Fill in the document in the workbook of payments that came back, and change these columns. Return the copy."""
    (path,) = shop.home.glob("outbox/*.xlsx")
    number = len(list(shop.home.glob("filled*")))
    return changed(path, shop.home / f"filled{number}.xlsx", **{"CNPJ/CPF": DOCUMENT, **changes})


def changed(path: Path, filled: Path, **changes: str | None) -> Path:
    """Copy a workbook with one row to correct, and change these columns of the row."""
    book = openpyxl.load_workbook(path)
    sheet = book.worksheets[0]
    (head,) = (cells for cells in sheet.iter_rows(max_row=5, values_only=True) if "CNPJ/CPF" in cells)
    (row,) = (number for number in range(1, 6) if sheet.cell(number, 1).value == head[0])
    for name, text in changes.items():
        sheet.cell(row + 1, head.index(name) + 1).value = text
    book.save(filled)
    return filled


def problems_of(rows: Sequence[RowRecord]) -> list[str]:
    return [problem.code for row in rows for problem in row.problems]


@pytest.mark.parametrize("month", [this_month(), LAST_MONTH])
@pytest.mark.parametrize("key", ["Essencial #0{}", "essencial {}.0"])
def test_a_respelt_key_bills_no_payment_again(each_shop: Workshop, tmp_path: Path, key: str, month: date) -> None:
    shop = each_shop
    write_rules(shop)
    pay(shop.sandbox)
    bill_paid()
    assert problems_of(bill(shop, typed(tmp_path / "p.csv", key.format(NEW), month))) == ["row.living"]
    assert len(shop.there()) == 1


@pytest.mark.both_databases
@pytest.mark.parametrize("month", [this_month(), LAST_MONTH])
def test_a_run_finds_what_a_person_billed_with_a_respelt_key(each_shop: Workshop, tmp_path: Path, month: date) -> None:
    shop = each_shop
    write_rules(shop)
    pay(shop.sandbox)
    mirror()
    assert problems_of(bill(shop, typed(tmp_path / "p.csv", f"ESSENCIAL Nº {NEW}", month))) == []
    assert bill_paid() == []


@pytest.mark.parametrize("key", [f"essencial #{NEW + 1}", f"basico #{NEW}", "pix"])
def test_a_key_of_no_known_payment_holds_its_row(each_shop: Workshop, tmp_path: Path, key: str) -> None:
    shop = each_shop
    write_rules(shop)
    pay(shop.sandbox)
    mirror()
    path = typed(tmp_path / "p.csv", key, this_month())
    assert problems_of(bill(shop, path)) == ["payment.unknown"]
    pay(shop.sandbox, NEW + 1)
    mirror()
    expected = [] if key == f"essencial #{NEW + 1}" else ["payment.unknown"]
    assert problems_of(bill(shop, path)) == expected


def test_without_rules_equal_keys_are_one_charge(shop: Workshop, tmp_path: Path) -> None:
    assert problems_of(bill(shop, typed(tmp_path / "a.csv", "PAY-7", this_month()))) == []
    assert problems_of(bill(shop, typed(tmp_path / "b.csv", "pay 07", LAST_MONTH))) == ["row.living"]


@pytest.mark.parametrize(
    "changes",
    [
        {KEY: None, "Modelo": "Consultoria"},
        {KEY: None, "Competência": f"{LAST_MONTH:%m/%Y}"},
        {KEY: f"Essencial #0{NEW}", "Modelo": "Consultoria"},
    ],
)
def test_a_corrected_row_keeps_its_payment(each_shop: Workshop, changes: dict[str, str | None]) -> None:
    shop = each_shop
    write_rules(shop)
    pay_without_document(shop)
    bill_paid()
    rows = bill(shop, corrected(shop, **changes))
    assert problems_of(rows) == []
    learn_document(shop)
    assert bill_paid() == []
    assert shop.asked("notes.create") == 1


def test_a_corrected_row_that_names_another_payment_is_held(each_shop: Workshop) -> None:
    shop = each_shop
    write_rules(shop)
    pay_without_document(shop)
    bill_paid()
    pay(shop.sandbox, NEW + 1)
    mirror()
    assert problems_of(bill(shop, corrected(shop, **{KEY: f"essencial #{NEW + 1}"}))) == ["payment.other"]
    assert problems_of(bill(shop, corrected(shop, **{KEY: f"esencial #{NEW}"}))) == ["payment.unknown"]
    assert problems_of(bill(shop, corrected(shop))) == []


def test_a_cleared_key_of_an_unknown_payment_stays(each_shop: Workshop, tmp_path: Path) -> None:
    shop = each_shop
    write_rules(shop)
    pay(shop.sandbox)
    mirror()
    bill(shop, typed(tmp_path / "p.csv", f"basico #{NEW}", this_month()))
    path = returned(shop, tmp_path / "p.csv")
    assert problems_of(bill(shop, changed(path, tmp_path / "1.xlsx", **{KEY: None}))) == ["payment.unknown"]
    assert problems_of(bill(shop, changed(path, tmp_path / "2.xlsx", **{KEY: f"essencial {NEW}"}))) == []
    assert bill_paid() == []
