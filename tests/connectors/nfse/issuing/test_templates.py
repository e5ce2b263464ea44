"""Templates in the provider's answers."""

import pytest
from pydantic import ValidationError

from connectors.nfse.issuing.templates import remote_template, service_template
from connectors.nfse.service_values import Template
from domain.templates import TaxProfile

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


def test_a_template_has_text_codes_and_rates_in_basis_points():
    template = service_template(BODY)
    assert template.name == "Consultoria"
    assert (template.service_item_code, template.city_tax_code, template.cnae_code) == ("0105", "010501", "6201-5/00")
    assert (template.city_code, template.service_cents, template.highlight_retentions) == (
        "3304557",
        None,
        ("ir",),
    )
    assert template.profile == TaxProfile(iss_bp=500, pis_bp=65, cofins_bp=300, ir_limit_cents=66_667)


def test_a_template_without_its_name_is_refused():
    with pytest.raises(KeyError):
        service_template({name: value for name, value in BODY.items() if name != "name"})


def test_a_fraction_of_a_basis_point_is_refused_not_rounded():
    with pytest.raises(ValueError):
        service_template({**BODY, "pis_percentage": "0.655"})
    odd = remote_template(Template.model_validate({**BODY, "pis_percentage": "0.655"}))
    assert (odd.id, odd.emitter_id, odd.template) == (7, 3, None)


@pytest.mark.parametrize("missing", ["id", "emitter_id", "name"])
def test_a_template_without_its_name_or_owner_is_no_answer(missing):
    with pytest.raises(ValidationError):
        Template.model_validate({name: value for name, value in BODY.items() if name != missing})
