"""The sample sales: forty lines that become fifteen valid invoices."""

from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from configs.layouts import read_layout
from configs.reference.cities import load_cities
from connectors.nfe.emulator.seed import default_shops
from connectors.spreadsheets.headers.layouts import Layout
from connectors.spreadsheets.parsers.field_parsers import Defaults
from connectors.spreadsheets.products import ProductsReading, read_products
from connectors.spreadsheets.readings import open_sheet
from connectors.spreadsheets.sample import write_sample_sales
from connectors.spreadsheets.workbook import open_workbook
from domain.products.invoices import ProductInvoice, compose_product_invoice
from domain.products.lines import by_order
from domain.products.shops import Shop

NOVEMBER = date(2026, 11, 1)


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> ProductsReading:
    path = tmp_path_factory.mktemp("sample") / "vendas.xlsx"
    write_sample_sales(path, NOVEMBER)
    layout = Layout.from_data(read_layout("products"))
    return read_products(open_sheet(open_workbook(path), layout), defaults=Defaults(), cities=load_cities())


@pytest.fixture(scope="module")
def invoices(reading: ProductsReading) -> list[ProductInvoice]:
    shops = {
        shop["cnpj"]: Shop(shop["cnpj"], shop["address"]["state"], str(shop["address"]["city_code"]), 1)
        for shop in default_shops()
    }
    lines = [row.line for row in reading.rows() if row.line]
    composed = [
        compose_product_invoice(order, shop=shops[order[0].emitter_cnpj or ""]) for order in by_order(lines).values()
    ]
    return [invoice for invoice in composed if isinstance(invoice, ProductInvoice)]


def test_equal_months_give_equal_bytes_and_others_do_not(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.xlsx", "b.xlsx", "c.xlsx")]
    for path, month in zip(paths, (NOVEMBER, NOVEMBER, date(2026, 12, 1)), strict=True):
        write_sample_sales(path, month)
    first, same, other = (path.read_bytes() for path in paths)
    assert first == same
    assert first != other


def test_every_line_is_read_and_every_order_is_an_invoice(
    reading: ProductsReading, invoices: list[ProductInvoice]
) -> None:
    assert [row.problems for row in reading.rows() if row.problems] == []
    assert (reading.understood.row_count, len(invoices)) == (40, 15)
    assert Counter(invoice.kind for invoice in invoices) == {"nfe": 10, "nfce": 5}


def test_the_sheets_totals_agree_and_nothing_in_it_is_odd(reading: ProductsReading) -> None:
    understood = reading.understood
    assert understood.declared_cents == understood.computed_cents > 0
    assert len(understood.total_rows) == 3
    assert (understood.warnings, understood.unused) == ((), {})


def test_the_sample_sales_have_every_everyday_case(invoices: list[ProductInvoice]) -> None:
    items = [item for composed in invoices for item in composed.invoice.items]
    assert {item.taxes.csosn for item in items} == {"102", "500"}
    assert {item.taxes.pis.cst for item in items} == {"01", "07", "49", "99"}
    payments = {payment.means for composed in invoices for payment in composed.invoice.payments}
    assert payments == {"cash", "credit_card", "debit_card", "bank_slip"}
    assert {composed.invoice.freight for composed in invoices} == {"sender", "none"}
    assert any(invoice.amounts.freight_cents for invoice in invoices)
    assert any(invoice.amounts.discount_cents for invoice in invoices)
    assert any(item.quantity % 1 for item in items)
    assert all(invoice.remarks for invoice in invoices)


def test_its_people_are_fictional(invoices: list[ProductInvoice]) -> None:
    customers = [composed.invoice.customer for composed in invoices]
    documents = [customer.document.number for customer in customers if customer is not None]
    assert len(documents) == len(invoices)
    assert all(document.startswith(("99", "00")) for document in documents)
    assert any(not document.isdecimal() for document in documents)
