"""An issuer may write our values in another form, and need not repeat them all."""

from typing import Any

import pytest

from domain.issuing.shown_values import differing_value

CONTENT: dict[str, Any] = {
    "description": "Consultoria de novembro",
    "service_item_code": "0105",
    "cnae_code": "6201-5/00",
    "city_code": "3304557",
    "rps_type": 1,
    "retained_iss": False,
    "highlight_retentions": ["pis", "ir"],
    "rates": {"iss_bp": 500},
}


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("description", " Consultoria\r\nde novembro "),
        ("service_item_code", "1.05"),
        ("cnae_code", 6_201_500),
        ("city_code", 3_304_557),
        ("rps_type", "1"),
        ("highlight_retentions", ["ir", "pis"]),
        ("special_regime", 1),
        ("tax_burden_cents", 100),
        ("observations", ""),
    ],
)
def test_another_form_and_an_issuers_default_are_no_difference(name, theirs):
    assert differing_value(CONTENT, {name: theirs}) is None


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("description", ""),
        ("description", "Consultoria de dezembro"),
        ("service_item_code", "0150"),
        ("cnae_code", "6201-5/01"),
        ("rps_type", "2"),
        ("retained_iss", True),
        ("highlight_retentions", []),
        ("iss_bp", 501),
        ("iss_bp", "5.005"),
        ("observations", "Pagar em outra conta"),
    ],
)
def test_another_value_is_a_difference(name, theirs):
    assert differing_value(CONTENT, {"rps_type": 1, name: theirs}) == name
