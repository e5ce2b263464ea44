"""Build lines, orders and shops; each test changes only the fields that it tests."""

from datetime import date
from decimal import Decimal
from typing import Any

from domain.documents import Document
from domain.parties import TakerData
from domain.problems import Problem
from domain.products.lines import ProductLine
from domain.products.orders import Order, order_of
from domain.products.shops import Shop

SHOP = Shop(cnpj="99000051000180", state="RJ", city_code="3304557", tax_regime=1)

PERSON = TakerData(
    document=Document("cpf", "99000000130"),
    name="Ana Conceição",
    street="Rua das Laranjeiras",
    number="12",
    neighborhood="Laranjeiras",
    city_code="3304557",
    city="Rio de Janeiro",
    state="RJ",
    zip_code="20031170",
)
COMPANY = TakerData(
    document=Document("cnpj", "99000010000194"),
    name="Padaria do Cais Ltda",
    state_inscription="81.234.56-7",
    street="Rua Barão de Jaguara",
    number="S/N",
    neighborhood="Centro",
    city_code="3509502",
    city="Campinas",
    state="SP",
    zip_code="13010041",
    emails=("contas@cais.example",),
    phone="19997001000",
)


def line(**changes: Any) -> ProductLine:
    """Return a line of two mugs, no discount, cash, in the shop's own state."""
    usual: dict[str, Any] = {
        "row": 5,
        "order_key": "1001",
        "kind": "nfe",
        "competence": date(2026, 11, 1),
        "taker": PERSON,
        "payment": "cash",
        "code": "CAN-01",
        "description": "Caneca",
        "ncm": "69120000",
        "cfop": "5102",
        "unit": "UN",
        "quantity": Decimal(2),
        "unit_price": Decimal("12.50"),
        "icms": "102",
        "pis": "07",
        "cofins": "07",
    }
    return ProductLine(**{**usual, **changes})


def order(*lines: ProductLine) -> Order:
    """Return an order whose lines agree."""
    found = order_of(lines)
    assert isinstance(found, Order), found
    return found


def contradictions(*lines: ProductLine) -> list[Problem]:
    """Return the problems of lines that contradict each other."""
    found = order_of(lines)
    assert isinstance(found, list)
    return found
