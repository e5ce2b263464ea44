"""Templates and the calculation of a liquid amount."""

import pytest

RATES = {
    "iss_percentage": 5,
    "pis_percentage": 0.65,
    "cofins_percentage": "3",
    "ir_percentage": "1.50",
    "csll_percentage": 1,
    "ir_limit": 666.67,
    "pcc_limit": "215.05",
}


@pytest.fixture
def template(provider):
    status, body = provider.post("service-values", RATES | {"emitter_id": 1, "name": "Nova", "inss_percentage": None})
    assert status == 201
    return body


def test_rates_come_back_as_text(template):
    assert (template["iss_percentage"], template["pis_percentage"], template["pcc_limit"]) == ("5.00", "0.65", "215.05")
    assert (template["service_amount"], template["retained_iss"]) == (None, False)


def test_a_null_clears_a_field_unless_it_is_required(provider, template):
    path = f"/api/v1/service-values/{template['id']}"
    changed = provider.call("PATCH", path, {"pcc_limit": None, "retained_iss": None})[1]
    assert changed == {**template, "pcc_limit": None}
    assert provider.call("PATCH", path, {"name": None})[0] == 422


@pytest.mark.parametrize(
    ("amount", "liquid"), [(1000, "938.50"), ("100", "100.00"), ("215.05", "205.06"), (0.99, "0.99")]
)
def test_the_liquid_amount_is_calculated(provider, template, amount, liquid):
    path = f"service-values/{template['id']}/calculation-liquid-amount"
    assert provider.post(path, {"service_amount": amount}) == (200, {"liquid_amount": liquid})


def test_calculation_refuses(provider, template):
    status, errors = provider.post(f"service-values/{template['id']}/calculation-liquid-amount", {"amount": 1})
    assert (status, list(errors)) == (422, ["service_amount"])
    assert provider.post("service-values/99/calculation-liquid-amount", {"service_amount": 1})[0] == 404


def test_found_by_emitter_and_name(provider, template):
    found = provider.get("service-values?emitter_id=1&name=Nova")
    assert [row["id"] for row in found["collection"]] == [template["id"]]
    assert provider.get("service-values?emitter_id=2&name=Nova")["count"] == 0
    assert provider.get("service-values?name=Licen%C3%A7a%20Anual")["count"] == 2


def test_template_with_an_amount_shows_base_and_liquid(provider, template):
    path = f"/api/v1/service-values/{template['id']}"
    changed = provider.call("PATCH", path, {"service_amount": "1000"})[1]
    assert (changed["calculation_base"], changed["nfse_liquid_amount"]) == ("1000.00", "938.50")
    assert changed["iss_percentage"] == "5.00"
    replaced = provider.call("PUT", path, {"emitter_id": 1, "name": "Nova"})[1]
    assert replaced["iss_percentage"] is None


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": None}, "name"),
        ({"emitter_id": 99}, "emitter_id"),
        ({"iss_percentage": "1000"}, "iss_percentage"),
        ({"iss_percentage": "2.555"}, "iss_percentage"),
        ({"highlight_retentions": ["all"]}, "highlight_retentions"),
    ],
)
def test_refused_template(provider, changes, field):
    status, errors = provider.post("service-values", RATES | {"emitter_id": 1, "name": "Nova"} | changes)
    assert (status, list(errors)) == (422, [field])
