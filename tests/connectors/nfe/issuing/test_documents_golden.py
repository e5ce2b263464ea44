"""Bodies of product invoices that must not change by accident: fifty orders and the recorded body of each."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from connectors.http.auth import TokenHeader
from connectors.http.session import HttpSession
from connectors.nfe.client import NfeClient
from connectors.nfe.issuing.documents import wire_content
from domain.keys import canonical_json
from domain.products.invoices import ProductInvoice, compose_product_invoice
from domain.products.lines import ProductLine
from domain.products.shops import Shop
from tests.connectors.nfe.samples import SECRETS
from tests.domain.products.orders_of_a_shop import line

GOLDEN = [json.loads(text) for text in Path(__file__).with_name("golden_bodies.jsonl").read_text("utf-8").splitlines()]
_NOTHING: dict[str, Any] = dict.fromkeys(line().to_json())


def composed(case: dict[str, Any]) -> ProductInvoice:
    """Return the invoice of a case's lines; the file leaves out blank cells."""
    lines = [ProductLine.from_json({**_NOTHING, **raw}) for raw in case["lines"]]
    found = compose_product_invoice(lines, shop=Shop(**case["shop"]))
    assert isinstance(found, ProductInvoice), found
    return found


@pytest.mark.parametrize("number", range(1, len(GOLDEN) + 1))
def test_the_body_is_the_recorded_one(number: int) -> None:
    case = GOLDEN[number - 1]
    invoice = composed(case)
    calls = NfeClient(HttpSession("http://127.0.0.1:9", TokenHeader("t")), extensions=True).of_kind(invoice.kind)
    secrets = SECRETS if invoice.kind == "nfce" else {}
    body = calls.body(
        wire_content(invoice.content), serie=7, number=number, remote_id=f"{invoice.kind}-{number}", **secrets
    )
    posted = json.loads(body)
    # These fields are newer than the recording and only for NFC-e.
    since = [product.pop("ind_valor_total", None) for product in posted[invoice.kind]["produtos"]]
    assert set(since) == ({1} if invoice.kind == "nfce" else {None})
    assert canonical_json(posted) == canonical_json(case["body"]), case["name"]


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["name"])
def test_the_amounts_and_the_key_are_the_recorded_ones(case: dict[str, Any]) -> None:
    invoice = composed(case)
    assert invoice.amounts.to_json() == case["amounts"]
    assert invoice.business_key == case["business_key"]


def test_the_cases_cover_what_is_supported() -> None:
    dates = {date.fromisoformat(line["due_on"]) for case in GOLDEN for line in case["lines"] if "due_on" in line}
    lines = [line for case in GOLDEN for line in case["lines"]]
    assert {line["payment"] for line in lines if "payment" in line} == {
        "cash",
        "credit_card",
        "debit_card",
        "bank_slip",
    }
    assert {line["icms"] for line in lines} == {"102", "500"}
    assert {line["pis"] for line in lines} == {"01", "07", "49", "99"}
    assert {kind for case in GOLDEN for kind in case["body"]} == {"nfe", "nfce"}
    assert dates
