"""Document and name identify a customer, and a person's name is never shown in full."""

import pytest

from domain.issuing.customers import Customer, is_same_name

CNPJ, CPF = "99000001000101", "52998224725"


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("Padaria São João Ltda", "PADARIA SAO JOAO, LTDA.", True),
        ("Padaria São João Ltda", "Padaria São José Ltda", False),
        ("Padaria", None, True),
        ("", "Padaria", True),
    ],
)
def test_names_are_compared_as_people_read_them(one, other, is_same):
    assert is_same_name(one, other) is is_same
    assert Customer(CNPJ, one).is_same(Customer(CNPJ, other)) is is_same


@pytest.mark.parametrize("other", [None, "", CPF])
def test_another_document_or_none_is_another_customer(other):
    assert not Customer(CNPJ, "Padaria").is_same(Customer(other, "Padaria"))


@pytest.mark.parametrize(
    ("customer", "shown"),
    [
        (Customer(CNPJ, "Padaria"), "99.000.001/0001-01 Padaria"),
        (Customer(CPF, "Maria da Silva"), "***.982.247-** Mar… da Sil…"),
        (Customer(None, None), "-"),
        (Customer("123", "Maria Silva"), "Mar… Sil…"),
        (Customer(CNPJ, "x" * 200), "99.000.001/0001-01 " + "x" * 60),
    ],
)
def test_a_company_is_shown_whole_and_a_person_in_part(customer, shown):
    assert customer.shown == shown
