"""Test the comparison of values, and the changes of a record."""

import pytest

from domain.resources import MASK, Record, Resource, bears_key, changes_of, has_values, is_same, losses_of

TAKER = Resource(
    kind="taker",
    system="nfse",
    parts=("taker",),
    key=(("cnpj",), ("name", "city")),
    secrets=frozenset({"password"}),
    unseen=frozenset({"flag"}),
)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("São Paulo", "SAO PAULO", True),
        ("99.000.001/0001-01", "99000001000101", True),
        ("5.0", "5.00", True),
        ("5.00", "5.01", False),
        ("12.34", "1234", False),
        ("-10.00", "10.00", False),
        ("", "x", False),
        ("", "", True),
        ("A-1", "A1", False),
    ],
)
def test_equal_values_are_recognised(one: str, other: str, same: bool):
    assert is_same(one, other) is same
    assert is_same(other, one) is same


def test_a_secret_is_always_a_change_and_never_shown():
    values = {"name": "MARIA", "password": "senha", "flag": "true"}
    found = changes_of(TAKER, {"name": "Maria"}, values)
    assert [(each.field, each.becomes) for each in found] == [("password", MASK), ("flag", "true")]
    assert has_values(TAKER, {"name": "Maria"}, values)
    assert not has_values(TAKER, {"name": "Ana"}, values)


def test_a_replacement_loses_omitted_fields():
    found = losses_of({"name": "Maria", "city": "Niterói", "id": "1"}, {"name": "Maria"}, ("name", "city"))
    assert [(each.field, each.becomes) for each in found] == [("city", "")]


def test_a_record_bears_a_key_by_all_its_fields():
    record = Record(("1",), "Maria", {"name": "Maria", "city": "Niterói", "cnpj": "1"})
    assert bears_key(TAKER, record, {"cnpj": "1"})
    assert bears_key(TAKER, record, {"name": "maria", "city": "niteroi", "cnpj": "2"})
    assert not bears_key(TAKER, record, {"name": "Maria"})
    assert not bears_key(TAKER, record, {})
