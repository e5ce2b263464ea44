"""Templates, and the fields that a row may override."""

import json

from domain.templates import ServiceTemplate, TaxProfile

TEMPLATE = ServiceTemplate(
    name="Consultoria",
    profile=TaxProfile(iss_bp=500, pis_bp=65, cofins_bp=300, ir_limit_cents=66_667),
    service_item_code="0105",
    cnae_code="6201-5/00",
    highlight_retentions=("ir",),
)


def test_a_template_survives_the_ledger():
    for template in (TEMPLATE, ServiceTemplate(name="x", profile=TaxProfile(retained_iss=True))):
        assert ServiceTemplate.from_json(json.loads(json.dumps(template.to_json()))) == template


def test_a_row_that_says_nothing_leaves_the_template_as_it_is():
    profile = TEMPLATE.profile
    assert profile.overridden({}) == profile


def test_a_zero_or_no_of_a_row_overrides_the_template():
    profile = TaxProfile(iss_bp=500, ir_bp=150, retained_iss=True, ir_limit_cents=1)
    changed = profile.overridden({"iss_bp": 200, "pis_bp": None, "ir_bp": 0, "retained_iss": False})
    assert changed == TaxProfile(iss_bp=200, ir_bp=0, retained_iss=False, ir_limit_cents=1)
