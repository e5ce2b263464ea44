"""The buyer, and the refusals about it."""

import dataclasses
from typing import Any

import pytest

from connectors.spreadsheets.writers.blank_columns import COLUMNS
from domain.corrections.answers import can_release
from domain.documents import Document
from domain.left_rows import is_held
from domain.parties import TakerData
from domain.problems import Problem
from domain.products.canonical import Address, Customer
from domain.products.customers import (
    customer_of,
    customer_problems,
    destination_of,
    icms_status_of,
    inscription_of,
    is_final_consumer,
)
from domain.products.orders import Order
from domain.products.wording import Wording
from tests.domain.products.orders_of_a_shop import COMPANY, PERSON, SHOP, line
from tests.domain.products.orders_of_a_shop import order as order_of

FARMER = dataclasses.replace(PERSON, state_inscription="123")


def order(taker: TakerData = PERSON, **changes: Any) -> Order:
    return order_of(line(taker=taker, **changes))


def codes(each):
    return {(problem.code, problem.field) for problem in customer_problems(each, SHOP)}


@pytest.mark.parametrize(
    ("text", "inscription", "status"),
    [("81.234.56-7", "81234567", "contributor"), ("isento", "ISENTO", "exempt"), (None, "", "none"), (" ", "", "none")],
)
def test_an_inscription_decides_who_pays_the_tax(text, inscription, status):
    taker = dataclasses.replace(COMPANY, state_inscription=text)
    assert (inscription_of(taker), icms_status_of(taker)) == (inscription, status)


def test_a_contributor_resells_unless_the_sheet_denies_it():
    assert not is_final_consumer(order(COMPANY))
    assert is_final_consumer(order(COMPANY, is_final_consumer=True))
    assert is_final_consumer(order(PERSON))


def test_a_sale_over_the_counter_stays_in_the_state():
    away = dataclasses.replace(PERSON, state="SP")
    assert [destination_of(order(PERSON), SHOP), destination_of(order(away), SHOP)] == ["inside", "interstate"]
    assert destination_of(order(away, kind="nfce"), SHOP) == "inside"


@pytest.mark.parametrize("field", ["document", "name", "street", "number", "neighborhood", "city_code", "zip_code"])
def test_a_customer_is_complete_or_refused(field):
    lacking: dict[str, Any] = {field: None}
    required = {each.field for each in COLUMNS["products"] if each.is_required}
    for kind in ("nfe", "nfce"):
        found = codes(order(dataclasses.replace(PERSON, **lacking), kind=kind))
        assert found == (set() if (kind, field) == ("nfce", "name") else {("product.customer_incomplete", field)})
        # the blank workbook says so
        assert {"city_code": "city"}.get(field, field) in required


NOBODY, BY_CPF = TakerData(), TakerData(document=PERSON.document)


@pytest.mark.parametrize(
    ("taker", "lacking"),
    [
        (NOBODY, set()),
        (BY_CPF, set()),
        (TakerData(name="Ana"), {"document"}),
        (TakerData(state="RJ"), {"document", "street"}),
    ],
)
def test_over_the_counter_a_customer_is_unnamed_or_named_by_a_document(taker, lacking):
    found = {field for _, field in codes(order(taker, kind="nfce"))}
    assert found >= lacking
    assert bool(found) == bool(lacking)
    assert codes(order(taker)) >= {("product.customer_incomplete", "street")}


def test_a_customer_over_the_counter_may_be_nobody_or_a_document():
    assert customer_of(order(NOBODY, kind="nfce"), Wording()) is None
    assert customer_of(order(BY_CPF, kind="nfce"), Wording()) == Customer(
        document=Document("cpf", "99000000130"), icms_status="none"
    )


@pytest.mark.parametrize(
    ("taker", "changes", "found"),
    [
        (COMPANY, {"kind": "nfce"}, ("product.nfce_person_only", "document")),
        (FARMER, {}, ("product.person_with_inscription", "state_inscription")),
        (dataclasses.replace(COMPANY, state_inscription="n/d"), {}, ("product.inscription", "state_inscription")),
        (PERSON, {"is_final_consumer": False}, ("product.final_consumer", "is_final_consumer")),
    ],
)
def test_an_unsupported_customer_is_refused(taker, changes, found):
    assert codes(order(taker, **changes)) == {found}


def of(number: str) -> TakerData:
    return dataclasses.replace(COMPANY, document=Document("cnpj", number))


@pytest.mark.parametrize(
    ("number", "code"), [(SHOP.cnpj, "document.of_emitter"), (f"{SHOP.cnpj[:8]}000260", "document.of_branch")]
)
def test_a_sale_to_the_company_itself_is_a_question(number, code):
    assert codes(order(of(number))) == {(code, "document")}
    assert can_release([code])
    assert is_held([Problem(code)])
    assert codes(order(of(number), answered=[code])) == set()
    # An answer to the one question is none to the other.
    assert codes(order(of(number), answered=["taker.name_differs"])) == {(code, "document")}


def test_a_question_is_answered_in_any_line_of_the_order():
    lines = [line(taker=of(SHOP.cnpj)), line(row=6, taker=TakerData(), answered=["document.of_emitter"])]
    assert {problem.code for problem in customer_problems(order_of(*lines), SHOP)} == set()


def test_a_company_keeps_all_its_facts():
    wording = Wording()
    assert customer_of(order(COMPANY), wording) == Customer(
        document=Document("cnpj", "99000010000194"),
        name="Padaria do Cais Ltda",
        icms_status="contributor",
        state_inscription="81234567",
        email="contas@cais.example",
        address=Address(
            street="Rua Barao de Jaguara",
            number="S/N",
            neighborhood="Centro",
            city="Campinas",
            city_code="3509502",
            zip_code="13010041",
            state="SP",
            phone="19997001000",
        ),
    )
    assert [(remark.field, remark.params["text"]) for remark in wording.remarks] == [("street", "***")]


def test_a_phone_that_is_too_long_is_a_problem():
    wording = Wording()
    customer_of(order(dataclasses.replace(COMPANY, phone="1" * 15)), wording)
    assert [(problem.code, problem.field) for problem in wording.problems] == [("text.too_long", "phone")]
