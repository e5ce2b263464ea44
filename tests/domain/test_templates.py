"""Templates as the provider answers them, and what a row may say instead."""

from dataclasses import dataclass

import pytest

from domain.templates import ServiceTemplate, TaxProfile

BODY = {
    "id": 7,
    "emitter_id": 3,
    "name": "Consultoria",
    "service_amount": None,
    "iss_percentage": "5.00",
    "pis_percentage": 0.65,
    "cofins_percentage": 3,
    "csll_percentage": None,
    "retained_iss": False,
    "retained_iss_percentage": None,
    "ir_limit": "666.67",
    "service_item_code": "0105",
    "city_tax_code": "010501",
    "cnae_code": "6201-5/00",
    "city_code": 3304557,
    "highlight_retentions": ["ir_amount"],
    "_links": [],
}


@dataclass
class Row:
    iss_bp: int | None = None
    pis_bp: int | None = None
    cofins_bp: int | None = None
    inss_bp: int | None = None
    ir_bp: int | None = None
    csll_bp: int | None = None
    retained_iss: bool | None = None


def test_a_template_is_read_with_its_text_codes_and_its_rates_in_basis_points():
    template = ServiceTemplate.from_wire(BODY)
    assert (template.remote_id, template.emitter_remote_id, template.name) == (7, 3, "Consultoria")
    assert (template.service_item_code, template.city_tax_code, template.cnae_code) == ("0105", "010501", "6201-5/00")
    assert (template.city_code, template.service_cents, template.highlight_retentions) == (
        "3304557",
        None,
        ("ir_amount",),
    )
    assert template.profile == TaxProfile(iss_bp=500, pis_bp=65, cofins_bp=300, ir_limit_cents=66_667)


@pytest.mark.parametrize("missing", ["id", "emitter_id", "name"])
def test_a_template_without_its_name_or_owner_is_none(missing):
    with pytest.raises(KeyError):
        ServiceTemplate.from_wire({name: value for name, value in BODY.items() if name != missing})


def test_a_rate_with_a_fraction_of_a_basis_point_is_refused_and_not_rounded():
    with pytest.raises(ValueError):
        ServiceTemplate.from_wire({**BODY, "pis_percentage": "0.655"})


def test_a_row_that_says_nothing_leaves_the_template_as_it_is():
    profile = ServiceTemplate.from_wire(BODY).profile
    assert profile.overridden(Row()) == profile


def test_a_row_may_say_zero_or_no_and_is_heard():
    profile = TaxProfile(iss_bp=500, ir_bp=150, retained_iss=True, ir_limit_cents=1)
    changed = profile.overridden(Row(iss_bp=200, ir_bp=0, retained_iss=False))
    assert changed == TaxProfile(iss_bp=200, ir_bp=0, retained_iss=False, ir_limit_cents=1)
