"""The canonical invoice: one JSON for the same facts, nothing lost in either direction, no provider's word."""

import ast
import json
import tomllib
from decimal import Decimal
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import connectors.nfe
import domain.products
from domain.keys import canonical_json
from domain.products.canonical import CanonicalInvoice, Item
from domain.products.invoices import ProductInvoice, compose_product_invoice
from tests.domain.products.orders_of_a_shop import SHOP, line

FIGURES = st.decimals(0, 10**9, places=10)
ITEMS = st.builds(Item, quantity=FIGURES, unit_price=FIGURES)
INVOICES = st.builds(CanonicalInvoice, items=st.lists(ITEMS, max_size=3).map(tuple))
# Words of the law and of trade, and one that people write into a cell.
EVERYBODYS = {"cest", "cfop", "cofins", "email", "especie", "icms", "ipi", "ncm", "pis", "serie", "nfe", "nfce"}


@given(INVOICES)
def test_json_and_back_is_the_same_invoice(invoice: CanonicalInvoice) -> None:
    assert CanonicalInvoice.from_json(json.loads(canonical_json(invoice.to_json()))) == invoice


def test_equal_figures_have_one_json() -> None:
    def content(quantity: str, price: str) -> str:
        found = compose_product_invoice([line(quantity=Decimal(quantity), unit_price=Decimal(price))], shop=SHOP)
        assert isinstance(found, ProductInvoice)
        return canonical_json(found.content)

    assert content("100", "12.5") == content("1E+2", "12.500") == content("100.0000", "12.50")
    assert content("100", "12.5") != content("100", "12.51")


def test_an_invoices_json_has_no_empty_fields() -> None:
    found = compose_product_invoice([line()], shop=SHOP)
    assert isinstance(found, ProductInvoice)
    assert found.content["items"] == [
        {
            "code": "CAN-01",
            "description": "Caneca",
            "ncm": "69120000",
            "cfop": "5102",
            "unit": "UN",
            "quantity": "2",
            "unit_price": "12.5",
            "gross_cents": 2_500,
            "discount_cents": 0,
            "freight_cents": 0,
            "taxes": {
                "csosn": "102",
                "ipi_cst": "53",
                "ipi_class": "999",
                "pis": {"cst": "07"},
                "cofins": {"cst": "07"},
            },
        }
    ]
    assert found.content["customer"]["document"] == {"kind": "cpf", "number": "99000000130"}
    assert "bill" not in found.content


def test_the_rules_use_no_name_of_a_providers_document() -> None:
    tables = tomllib.loads(Path(connectors.nfe.__file__).with_name("fields.toml").read_text(encoding="utf-8"))
    english = set(tables["organization"]["fields"]) | set(tables["organization_address"]["fields"])
    fields = (table.get("fields", {}) for table in tables.values() if isinstance(table, dict))
    names = {name for table in fields for name in table} - english - EVERYBODYS
    assert {"cliente", "dados_gerais", "produtos", "valor_pis", "situacao_tributaria"} <= names
    found = {
        (path.name, node.value)
        for path in Path(domain.products.__path__[0]).glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names
    }
    assert not found
