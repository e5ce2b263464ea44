"""The tax groups of an item, and the cells that a situation needs or has no place for."""

import pytest

from domain.products.taxes import item_taxes, rate_text, tax_problems
from tests.domain.products.orders_of_a_shop import line

ST = {"icms": "500", "st_rate_bp": 1_800, "substitute_icms_cents": 120}


def codes(each):
    return {(problem.code, problem.field) for problem in tax_problems(each)}


def test_a_contribution_by_rate_is_half_up():
    taxes = item_taxes(line(pis="01", pis_bp=165, cofins="99", cofins_bp=760), 9_897)
    # 98.97 × 1.65 % is 1.633005, × 7.6 % is 7.52172
    assert (taxes.pis_cents, taxes.cofins_cents) == (163, 752)
    assert taxes.wire["pis"] == {
        "situacao_tributaria": "01",
        "valor_base_calculo": "98.97",
        "aliquota_pis": "1.6500",
        "valor_pis": "1.63",
    }
    assert taxes.wire["cofins"]["valor_cofins"] == "7.52"


def test_an_exempt_contribution_is_its_code_alone():
    taxes = item_taxes(line(), 2_500)
    assert taxes.wire["pis"] == taxes.wire["cofins"] == {"situacao_tributaria": "07"}
    assert (taxes.pis_cents, taxes.cofins_cents) == (0, 0)
    assert taxes.wire["icms"] == {"situacao_tributaria": "102", "situacao_simples_nacional": "102"}
    assert taxes.wire["ipi"] == {"situacao_tributaria": "53", "codigo_enquadramento": "999"}


def test_other_operations_may_have_a_rate_of_zero():
    taxes = item_taxes(line(pis="49", cofins="99"), 2_500)
    assert taxes.wire["pis"]["valor_pis"] == taxes.wire["cofins"]["valor_cofins"] == "0.00"
    assert codes(line(pis="49", cofins="99")) == set()


def test_what_was_charged_before_is_taken_over():
    group = item_taxes(line(**ST, st_base_cents=4_000, st_cents=600), 2_500).wire["icms"]
    assert (group["base_icmsst_retido"], group["valor_icmsst_retido"]) == ("40.00", "6.00")
    assert (group["aliquota_consumidor_final"], group["valor_icms_substituto"]) == ("18.0000", "1.20")
    assert "base_icmsst_retido" not in item_taxes(line(**ST), 2_500).wire["icms"]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"pis": "01"}, {("product.rate_missing", "pis_bp")}),
        ({"cofins": "01", "cofins_bp": 0}, {("product.rate_missing", "cofins_bp")}),
        ({"pis_bp": 65}, {("product.rate_without_place", "pis_bp")}),
        ({"pis": "01", "pis_bp": 65}, set()),
        ({"icms": "500"}, {("product.st_missing", "st_rate_bp"), ("product.st_missing", "substitute_icms_cents")}),
        ({**ST, "st_cents": 5}, {("product.st_missing", "st_base_cents")}),
        ({**ST, "substitute_icms_cents": -1}, {("product.negative", "substitute_icms_cents")}),
        ({"st_cents": 5}, {("product.st_without_place", "st_cents")}),
        (ST, set()),
    ],
)
def test_a_cell_that_is_missing_or_has_no_place(changes, found):
    assert codes(line(**changes)) == found


def test_a_rate_has_four_places():
    assert [rate_text(rate) for rate in (0, 65, 10_000)] == ["0.0000", "0.6500", "100.0000"]
