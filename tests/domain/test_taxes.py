"""The taxes of a service amount: the provider's worked rows, minimums, and sums that hold for any rates."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.taxes import (
    ServiceAmounts,
    compute_amounts,
    explain,
    needs_confirmation,
    unconfirmed_part,
    withheld_rates,
)
from domain.templates import TaxProfile

USUAL = TaxProfile(iss_bp=500, pis_bp=65, cofins_bp=300, ir_bp=150, csll_bp=100)
LIMITED = dataclasses.replace(USUAL, ir_limit_cents=66_667, pcc_limit_cents=21_505)
RETENTIONS = st.integers(0, 1_500)
PROFILES = st.builds(
    TaxProfile,
    iss_bp=st.integers(0, 500),
    pis_bp=RETENTIONS,
    cofins_bp=RETENTIONS,
    inss_bp=RETENTIONS,
    ir_bp=RETENTIONS,
    csll_bp=RETENTIONS,
    retained_iss=st.booleans(),
    retained_iss_bp=st.none() | st.integers(0, 500),
    deduction_bp=RETENTIONS,
    unconditioned_discount_bp=RETENTIONS,
    pcc_limit_cents=st.none() | st.integers(0, 200_000),
    ir_limit_cents=st.none() | st.integers(0, 200_000),
)


def row(amounts: ServiceAmounts) -> tuple[int, ...]:
    return (
        amounts.calculation_base_cents,
        amounts.iss_cents,
        amounts.pis_cents,
        amounts.cofins_cents,
        amounts.ir_cents,
        amounts.csll_cents,
        amounts.inss_cents,
        amounts.liquid_cents,
    )


@pytest.mark.parametrize(
    ("service", "profile", "expected"),
    [
        (99, TaxProfile(iss_bp=500), (99, 4, 0, 0, 0, 0, 0, 99)),
        (9_000, dataclasses.replace(USUAL, inss_bp=200), (9_000, 450, 58, 270, 135, 90, 180, 8_267)),
        (10_000, USUAL, (10_000, 500, 65, 300, 150, 100, 0, 9_385)),
        (100_000, USUAL, (100_000, 5_000, 650, 3_000, 1_500, 1_000, 0, 93_850)),
        (100_000, LIMITED, (100_000, 5_000, 650, 3_000, 1_500, 1_000, 0, 93_850)),
        (10_000, LIMITED, (10_000, 500, 0, 0, 0, 0, 0, 10_000)),
    ],
)
def test_taxes_equal_the_providers_worked_rows(service, profile, expected):
    assert row(compute_amounts(service, profile)) == expected


def test_one_rate_for_three_taxes_would_be_another_amount():
    amounts = compute_amounts(9_999, USUAL)
    assert amounts.pis_cents + amounts.cofins_cents + amounts.csll_cents == 64 + 299 + 99
    assert 9_999 * 465 // 10_000 == 464 != 64 + 299 + 99


@pytest.mark.parametrize(("service", "is_withheld"), [(21_504, False), (21_505, True), (21_506, True)])
def test_a_retention_is_withheld_from_its_minimum_on(service, is_withheld):
    amounts = compute_amounts(service, LIMITED)
    assert (amounts.pis_cents > 0, amounts.cofins_cents > 0, amounts.csll_cents > 0) == (is_withheld,) * 3
    assert amounts.ir_cents == 0


def test_iss_lowers_the_liquid_amount_only_when_it_is_retained():
    kept = TaxProfile(iss_bp=200)
    retained = dataclasses.replace(kept, retained_iss=True)
    own_rate = dataclasses.replace(retained, retained_iss_bp=300)
    below = dataclasses.replace(retained, retained_iss_limit_cents=10_001)
    figures = [
        (amounts.iss_cents, amounts.retained_iss_cents, amounts.liquid_cents)
        for amounts in (compute_amounts(10_000, profile) for profile in (kept, retained, own_rate, below))
    ]
    assert figures == [(200, 0, 10_000), (200, 200, 9_800), (200, 300, 9_700), (200, 0, 10_000)]


def test_each_share_is_of_the_whole_amount():
    profile = TaxProfile(deduction_bp=1_000, unconditioned_discount_bp=1_000, pis_bp=100)
    amounts = compute_amounts(10_000, profile)
    assert (amounts.deduction_cents, amounts.unconditioned_discount_cents) == (1_000, 1_000)
    assert (amounts.calculation_base_cents, amounts.pis_cents, amounts.liquid_cents) == (8_000, 80, 7_920)


@given(st.integers(0, 10**12), PROFILES)
def test_the_parts_always_add_up_to_the_service_amount(service, profile):
    a = compute_amounts(service, profile)
    shares = a.deduction_cents + a.unconditioned_discount_cents + a.discount_conditioning_cents
    assert a.calculation_base_cents == service - shares - a.other_retentions_cents
    assert a.liquid_cents == a.calculation_base_cents - a.federal_cents - a.retained_iss_cents
    assert all(cents >= 0 for name, cents in a.to_json().items() if name != "liquid_cents")


@given(st.integers(0, 10**12), PROFILES)
def test_amounts_survive_the_ledger(service, profile):
    amounts = compute_amounts(service, profile)
    assert ServiceAmounts.from_json(amounts.to_json()) == amounts
    assert len(amounts.to_json()) == len(dataclasses.fields(ServiceAmounts))


@given(st.integers(0, 200_000), PROFILES)
def test_a_waived_tax_is_explained_and_a_withheld_one_is_not(service, profile):
    found = {problem.code for problem in explain(service, profile)}
    withheld = withheld_rates(service, profile)
    assert ("tax.ir_waived" in found) == (profile.ir_bp > 0 and withheld["ir"] == 0)
    has_pcc = profile.pis_bp + profile.cofins_bp + profile.csll_bp > 0
    assert ("tax.pcc_waived" in found) == (has_pcc and withheld["pis"] + withheld["cofins"] + withheld["csll"] == 0)


def test_a_waiver_is_explained_in_figures():
    (problem, _) = explain(20_000, LIMITED)
    assert (problem.code, dict(problem.params)) == (
        "tax.pcc_waived",
        {"service": "R$ 200,00", "limit": "R$ 215,05"},
    )


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, False),
        ({"iss_bp": 0}, False),
        ({"retained_iss_bp": 500}, False),
        ({"retained_iss": True}, True),
        ({"deduction_bp": 1}, True),
        ({"discount_conditioning_bp": 1}, True),
        ({"unconditioned_discount_bp": 1}, True),
        ({"other_retentions_bp": 1}, True),
    ],
)
def test_only_unseen_effects_need_the_providers_confirmation(change, expected):
    profile = dataclasses.replace(USUAL, **change)
    assert needs_confirmation(profile) is expected
    assert (unconfirmed_part(profile) == unconfirmed_part(USUAL)) is not expected
