"""An order as an invoice: its amounts, its content, and the refusals of the whole order."""

import dataclasses
from datetime import date
from decimal import Decimal

import pytest

from domain.keys import business_key
from domain.parties import TakerData
from domain.products.canonical import Bill, Instalment, Payment
from domain.products.invoices import ProductInvoice, compose_product_invoice
from tests.domain.products.orders_of_a_shop import COMPANY, PERSON, SHOP, line


def composed(*lines, shop=SHOP):
    found = compose_product_invoice(lines or [line()], shop=shop)
    assert isinstance(found, ProductInvoice), found
    return found


def refused(*lines, shop=SHOP):
    found = compose_product_invoice(lines, shop=shop)
    assert isinstance(found, list)
    return {(problem.code, problem.field, problem.where.row) for problem in found}


def test_a_sale_paid_in_cash_is_composed():
    invoice = composed(
        line(order_discount_cents=100, pis="01", pis_bp=165),
        line(row=6, code="PRA-02", quantity=Decimal(3), unit_price=Decimal("9.99"), discount_cents=97),
    )
    assert (invoice.kind, invoice.order_key, invoice.rows) == ("nfe", "1001", (5, 6))
    assert invoice.amounts.to_json() == {
        "gross_cents": 5_497,
        "discount_cents": 197,
        "freight_cents": 0,
        "total_cents": 5_300,
        # 46 of the order's 100 cents are the first line's: 24.54 × 1.65 % is 0.40491
        "pis_cents": 40,
        "cofins_cents": 0,
    }
    facts = invoice.invoice
    assert facts.payments == (Payment(means="cash", cents=5_300),)
    assert [item.discount_cents for item in facts.items] == [46, 151]
    assert (facts.city_code, facts.destination) == ("3304557", "inside")
    assert (facts.is_final_consumer, facts.presence) == (True, "remote")
    assert facts.operation == "VENDA DE MERCADORIA"
    assert facts.freight == "none"
    assert facts.remarks == "Pedido 1001"
    assert not {"serie", "number"} & invoice.content.keys()


def test_a_counter_sale_by_card_is_composed():
    facts = composed(line(kind="nfce", payment="debit_card")).invoice
    assert facts.payments == (Payment(means="debit_card", cents=2_500),)
    assert facts.presence == "counter"
    assert (facts.remarks, facts.bill) == (None, None)


def test_a_bank_slip_has_its_bill():
    invoice = composed(
        line(taker=COMPANY, cfop="6102", payment="bank_slip", due_on=date(2026, 12, 10), freight="sender",
             freight_cents=1_000)
    )  # fmt: skip
    facts = invoice.invoice
    part = Instalment(number="001", due_on=date(2026, 12, 10), cents=3_500)
    assert facts.bill == Bill(number="1001", cents=3_500, instalments=(part,))
    assert (facts.freight, facts.destination) == ("sender", "interstate")


def test_lost_accents_are_remarked():
    invoice = composed(line(description="Xícara"), line(row=6, observations="Não dobrar"))
    remarks = {(remark.field, remark.where.row, remark.params["text"]) for remark in invoice.remarks}
    assert remarks == {
        ("description", 5, "Xicara"),
        ("name", 5, "***"),
        ("observations", 5, "Pedido 1001 | Nao dobrar"),
    }


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"payment": None}, ("product.order_lacks", "payment")),
        ({"kind": None}, ("product.order_lacks", "kind")),
        ({"competence": None}, ("competence.missing", "competence")),
        ({"payment": "bank_slip"}, ("product.order_lacks", "due_on")),
        ({"kind": "nfce", "payment": "bank_slip"}, ("product.unsupported", "payment")),
        ({"kind": "nfce", "freight": "sender"}, ("product.unsupported", "freight")),
        ({"kind": "nfce", "observations": "x"}, ("product.nfce_without", "observations")),
        ({"freight_cents": 100}, ("product.freight_without_sender", "freight_cents")),
        ({"freight": "none", "freight_cents": 100}, ("product.freight_without_sender", "freight_cents")),
        ({"order_discount_cents": -1}, ("product.negative", "order_discount_cents")),
        ({"order_discount_cents": 2_501}, ("product.discount_too_large", "order_discount_cents")),
        ({"order_discount_cents": 2_500}, ("product.total", None)),
        # A discount can leave a small rest of amounts that are too large for an invoice.
        (
            {
                "quantity": Decimal(10**6),
                "unit_price": Decimal(10**8),
                "order_discount_cents": 10**16 - 100,
            },
            ("product.total", None),
        ),
        ({"unit": "PACOTES"}, ("text.too_long", "unit")),
        ({"description": "茶"}, ("product.characters", "description")),
    ],
)
def test_a_problem_of_the_order_names_its_first_line(changes, found):
    assert refused(line(**changes)) == {(*found, 5)}


@pytest.mark.parametrize("regime", [2, 3, None])
def test_a_shop_outside_the_simple_regime_is_not_supported(regime):
    assert refused(line(), shop=dataclasses.replace(SHOP, tax_regime=regime)) == {("product.regime", "emitter_cnpj", 5)}


def test_one_bad_line_refuses_the_order():
    assert refused(line(), line(row=6, ncm="x")) == {("product.ncm", "ncm", 6)}


def test_the_key_is_the_orders_own_and_no_service_rows():
    one = composed()
    assert composed(line(order_key="1001 ", description="Outra")).business_key == one.business_key
    others = [
        composed(line(order_key="1002")),
        composed(line(competence=date(2026, 12, 1))),
        composed(shop=dataclasses.replace(SHOP, cnpj="99000052000125")),
    ]
    row_of_services = business_key(
        emitter_cnpj=SHOP.cnpj,
        competence=date(2026, 11, 1),
        own_key="1001",
        taker_document="99000000130",
        template="Consultoria",
        service_cents=1,
        description="",
    )
    assert len({row_of_services, one.business_key, *(other.business_key for other in others)}) == 5
    assert composed(line(kind="nfce")).business_key == one.business_key


def test_the_customer_may_be_on_one_line_only():
    assert (
        composed(line(taker=TakerData()), line(row=6, taker=PERSON)).content
        == composed(line(taker=PERSON), line(row=6, taker=TakerData())).content
    )
