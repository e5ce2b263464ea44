"""A row with a service code beside another service's rate and city code is held; any other code is reported."""

from typing import Any

import pytest

from domain.cities import city_of
from domain.services.code_conflicts import code_conflict
from domain.templates import ServiceTemplate, TaxProfile
from tests.tasks.rows import line

TEMPLATE = ServiceTemplate(
    name="Suporte", profile=TaxProfile(iss_bp=200), service_item_code="0107", city_tax_code="010701"
)


def conflict(city_code: str = "3304557", **values: Any) -> str | None:
    city = city_of(city_code)
    assert city is not None
    found = code_conflict(line(1, **values), TEMPLATE, city)
    return None if found is None else found.code


@pytest.mark.parametrize("code", [None, "0107", "1.07", "107"])
def test_the_templates_own_code_is_no_conflict(code: str | None) -> None:
    assert conflict(service_item_code=code) is None


@pytest.mark.parametrize("more", [{}, {"iss_bp": 500}, {"city_tax_code": "170101"}])
def test_another_code_with_a_part_of_the_templates_is_held(more: dict[str, Any]) -> None:
    assert conflict(service_item_code="17.01", **more) == "template.code_differs"


def test_another_code_with_its_own_rate_and_code_is_reported() -> None:
    assert conflict(service_item_code="17.01", iss_bp=500, city_tax_code="170101") == "template.code_of_row"


def test_a_released_row_is_reported() -> None:
    assert conflict(service_item_code="17.01", answered=["template.code_differs"]) == "template.code_released"
