"""Customers in this provider's form, in both directions."""

import dataclasses

import pytest

from connectors.nfse.issuing.parties import customer_body, customer_changes, customer_data
from domain.documents import Document
from domain.parties import TakerData
from domain.taker_changes import changed_data, changes
from tests.domain.test_parties import FULL


def test_a_taker_is_sent_with_the_documents_address_fields():
    assert customer_body(FULL) == {
        "cnpj": "99ABC001000157",
        "social_reason": "Padaria São João Ltda",
        "fancy_name": "São João",
        "city_inscription": "001234",
        "state_inscription": "ISENTO",
        "address": {
            "street": "Rua das Flores",
            "number": "S/N",
            "complement": "Fundos",
            "neighborhood": "Centro",
            "city_code": 3_550_308,
            "city": "São Paulo",
            "state": "SP",
            "zip_code": "01310100",
        },
        "contact": {"phone": "11912345678", "email": "financeiro@padaria.example"},
    }


def test_a_field_missing_in_the_row_is_not_sent():
    person = TakerData(document=Document("cpf", "52998224725"), name="Ana")
    assert customer_body(person) == {"cpf": "52998224725", "social_reason": "Ana"}
    with pytest.raises(ValueError):
        customer_body(TakerData(name="Ana"))


def test_a_takers_answer_may_have_nulls_and_numbers_as_text():
    assert customer_data(customer_body(FULL)) == dataclasses.replace(FULL, emails=FULL.emails[:1])
    bare = {"id": 4, "cnpj": None, "cpf": "52998224725", "social_reason": "Ana", "address": None, "contact": None}
    assert customer_data(bare) == TakerData(document=Document("cpf", "52998224725"), name="Ana")
    assert customer_data({"cpf": "52998224725", "address": {"number": 12}}).number == "12"


def test_only_what_changes_travels():
    moved = dataclasses.replace(FULL, city_code="3304557", city="Rio de Janeiro", state="RJ", street="Rua B")
    place = {"street": "Rua B", "city_code": 3304557, "city": "Rio de Janeiro", "state": "RJ"}
    assert customer_changes(changed_data(moved, changes(FULL, moved))) == {"address": place}
    new = dataclasses.replace(FULL, emails=("novo@mares.example",))
    assert customer_changes(changed_data(new, changes(FULL, new))) == {"contact": {"email": "novo@mares.example"}}
