"""The taxes of an item, and the cells that a tax situation needs or forbids."""

import pytest

from domain.products.canonical import Contribution, Substitution
from domain.products.taxes import item_taxes, tax_problems
from tests.domain.products.orders_of_a_shop import line

ST = {"icms": "500", "st_rate_bp": 1_800, "substitute_icms_cents": 120}


def codes(each):
    return {(problem.code, problem.field) for problem in tax_problems(each)}


def test_a_contribution_by_rate_is_half_up():
    taxes = item_taxes(line(pis="01", pis_bp=165, cofins="99", cofins_bp=760), 9_897)
    # 98.97 × 1.65 % is 1.633005, × 7.6 % is 7.52172
    assert taxes.pis == Contribution(cst="01", base_cents=9_897, rate_bp=165, cents=163)
    assert taxes.cofins == Contribution(cst="99", base_cents=9_897, rate_bp=760, cents=752)


def test_an_exempt_contribution_is_its_code_alone():
    taxes = item_taxes(line(), 2_500)
    assert taxes.pis == taxes.cofins == Contribution(cst="07")
    assert (taxes.csosn, taxes.substitution, taxes.ipi_cst, taxes.ipi_class) == ("102", None, "53", "999")


def test_other_operations_may_have_a_rate_of_zero():
    taxes = item_taxes(line(pis="49", cofins="99"), 2_500)
    assert taxes.pis == Contribution(cst="49", base_cents=2_500, rate_bp=0, cents=0)
    assert taxes.cofins == Contribution(cst="99", base_cents=2_500, rate_bp=0, cents=0)
    assert codes(line(pis="49", cofins="99")) == set()


def test_figures_of_the_substitute_are_taken_over():
    charged = {"rate_bp": 1_800, "substitute_icms_cents": 120}
    taxes = item_taxes(line(**ST, st_base_cents=4_000, st_cents=600), 2_500)
    assert taxes.substitution == Substitution(**charged, base_cents=4_000, cents=600)
    assert item_taxes(line(**ST), 2_500).substitution == Substitution(**charged)


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
def test_a_missing_or_misplaced_cell_is_named(changes, found):
    assert codes(line(**changes)) == found
