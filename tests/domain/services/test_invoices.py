"""A row becomes exactly the city's request, or all of its problems."""

import dataclasses
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.cities import SAO_PAULO
from domain.competence import BRASILIA
from domain.issuing import ServiceInvoice
from domain.parties import TakerData
from domain.services.lines import ServiceLine
from tests.domain.invoicing import COMPANY, LINE, OF_SAO_PAULO, PERSON, TEMPLATE, USUAL, but, compose, composed


def problems(line=LINE, **kwargs) -> set[tuple[str, str | None]]:
    found = compose(line, **kwargs)
    assert isinstance(found, list)
    seen = [(problem.code, problem.field) for problem in found]
    assert len(set(seen)) == len(seen), "nothing is told twice"
    return set(seen)


def test_everything_wrong_with_a_row_is_reported_at_once():
    line = but(service_cents=0, competence=None, description="x" * 2_001, service_item_code="1.1", rps_situation="T")
    assert problems(line) == {
        ("amount.out_of_range", "service_cents"),
        ("competence.missing", "competence"),
        ("text.too_long", "description"),
        ("city.code", "service_item_code"),
        ("city.situation", "rps_situation"),
    }


@pytest.mark.parametrize("cents", [-1, 0, 10**16])
def test_an_amount_is_above_nothing_and_fits_the_field(cents):
    assert problems(but(service_cents=cents)) == {("amount.out_of_range", "service_cents")}


@pytest.mark.parametrize("field", ["description", "service_item_code", "city_tax_code"])
def test_a_field_in_neither_row_nor_template_is_missing(field):
    nothing: dict[str, Any] = {field: None}
    assert problems(template=dataclasses.replace(TEMPLATE, **nothing)) == {("template.lacks", field)}


def test_observations_contract_and_reference_share_their_field():
    assert composed(but(observations="x", contract="C-1", reference="9")).observations == "x | Contrato C-1 | Ref. 9"
    assert problems(but(observations="x" * 250, reference="123")) == {("text.too_long", "observations")}


def test_federal_retentions_of_a_person_in_rio_are_refused():
    assert problems(but(taker=PERSON)) == {("city.federal_retentions_of_cpf", "document")}
    assert composed(but(taker=PERSON, service_cents=10_000)).amounts.federal_cents == 0
    assert composed(but(taker=PERSON), city=SAO_PAULO, template=OF_SAO_PAULO).amounts.federal_cents > 0


def test_a_row_without_a_taker_document_is_not_invoiced():
    assert problems(but(taker=TakerData(name="Ana"))) == {("document.missing", "document")}


RETAINED = dataclasses.replace(TEMPLATE, profile=dataclasses.replace(USUAL, retained_iss=True))
DEDUCTED = dataclasses.replace(TEMPLATE, profile=dataclasses.replace(USUAL, deduction_bp=1_000))


def test_effects_never_seen_at_work_wait_for_the_providers_word():
    assert problems(template=RETAINED) == {("amount.unconfirmed", "retained_iss")}
    assert problems(template=DEDUCTED) == {("amount.unconfirmed", "deduction_cents")}
    assert composed(template=RETAINED, is_confirmed=True).amounts.liquid_cents == 88_850
    assert composed(template=RETAINED, is_confirmed=True).retained_iss is True
    assert composed(template=DEDUCTED, is_confirmed=True).amounts.calculation_base_cents == 90_000


def test_a_confirmed_template_confirms_nothing_of_the_row():
    assert problems(but(retained_iss=True), is_confirmed=True) == {("amount.unconfirmed", "retained_iss")}
    assert composed(but(retained_iss=False), template=RETAINED).amounts.retained_iss_cents == 0


def test_a_deduction_must_be_the_one_of_the_template():
    assert problems(but(deduction_cents=1)) == {("amount.unconfirmed", "deduction_cents")}
    assert problems(but(unconditioned_discount_cents=1)) == {("amount.unconfirmed", "unconditioned_discount_cents")}
    assert composed(but(deduction_cents=0)).amounts.deduction_cents == 0
    explained = composed(but(deduction_cents=10_000), template=DEDUCTED, is_confirmed=True)
    assert explained.amounts.deduction_cents == 10_000
    assert problems(but(deduction_cents=9_999), template=DEDUCTED, is_confirmed=True) == {
        ("amount.unconfirmed", "deduction_cents")
    }


def test_rates_that_leave_nothing_are_refused():
    assert problems(but(ir_bp=9_900)) == {("amount.liquid_negative", "service_cents")}
    assert problems(but(iss_bp=10_001)) == {("amount.rate_out_of_range", "iss_bp")}
    assert problems(but(iss_bp=700)) == {("amount.iss_unusual", "iss_bp")}
    assert problems(but(ir_bp=-1)) == {("amount.rate_out_of_range", "ir_bp")}


def test_the_business_key_sees_what_is_really_billed():
    key = composed().business_key
    assert composed(but(description="consultoria")).business_key == key
    assert composed(but(emission_at=datetime(2026, 11, 20, tzinfo=UTC))).business_key == key
    assert composed(but(description="Consultoria –.")).business_key == key
    assert composed(but(reference="12")).business_key == composed(but(reference="13")).business_key == key
    contracts = [composed(but(contract=each)).business_key for each in ("C-1", "c 1", "C-2")]
    assert contracts[0] == contracts[1]
    assert len({key, *contracts}) == 3
    assert composed(but(description="Outra")).business_key != key
    assert composed(but(own_key="12")).business_key != key


def test_taxes_that_the_sheet_computed_are_compared_with_ours():
    right = but(iss_cents=5_000, pis_cents=650, cofins_cents=3_000, csll_cents=1_000, ir_cents=1_500, pcc_cents=4_650)
    assert composed(right).content == composed().content
    found = compose(but(pis_cents=651, inss_cents=1, pcc_cents=4_651))
    assert isinstance(found, list)
    assert [(each.code, each.field) for each in found] == [
        ("amount.tax_differs", "pis_cents"),
        ("amount.tax_differs", "inss_cents"),
        ("amount.tax_differs", "pcc_cents"),
    ]
    assert found[0].params == {"stated": "R$ 6,51", "ours": "R$ 6,50"}


@given(
    st.builds(
        ServiceLine,
        service_cents=st.integers(),
        taker=st.sampled_from([COMPANY, PERSON, TakerData()]),
        competence=st.none() | st.dates(),
        emission_at=st.none() | st.datetimes(timezones=st.just(BRASILIA)),
        iss_bp=st.none() | st.integers(),
        retained_iss=st.none() | st.booleans(),
        description=st.none() | st.text(),
    )
)
def test_a_line_survives_the_ledger(line):
    assert ServiceLine.from_json(json.loads(json.dumps(line.to_json()))) == line


def test_a_canonical_invoice_survives_the_ledger():
    burden = dataclasses.replace(
        TEMPLATE, tax_burden_bp=1_345, tax_burden_source="IBPT", highlight_retentions=("ir", "pis")
    )
    for invoice in (
        composed(),
        composed(city=SAO_PAULO, template=OF_SAO_PAULO),
        composed(but(emission_at=datetime(2026, 12, 1, 0, 30, tzinfo=UTC), observations="x"), template=burden),
    ):
        assert ServiceInvoice.from_json(json.loads(json.dumps(invoice.to_json()))) == invoice


def test_the_canonical_content_speaks_our_words():
    assert composed().content == {
        "emitter_cnpj": "99000001000101",
        "taker_id": 9,
        "taker_document": "99ABC001000157",
        "competence": "2026-11-01",
        "description": "Consultoria",
        "service_item_code": "0105",
        "city_tax_code": "010501",
        "cnae_code": "6201-5/00",
        "city_code": "3304557",
        "rps_type": 1,
        "rps_situation": 1,
        "operation_nature": 1,
        "retained_iss": False,
        "send_to_taker": False,
        "rates": {
            "iss_bp": 500, "pis_bp": 65, "cofins_bp": 300, "csll_bp": 100, "ir_bp": 150, "inss_bp": 0,
            "retained_iss_bp": 0,
        },
        "amounts": {
            "service_cents": 100_000, "calculation_base_cents": 100_000, "liquid_cents": 93_850, "iss_cents": 5_000,
            "pis_cents": 650, "cofins_cents": 3_000, "ir_cents": 1_500, "csll_cents": 1_000, "inss_cents": 0,
            "deduction_cents": 0, "discount_conditioning_cents": 0, "unconditioned_discount_cents": 0,
            "other_retentions_cents": 0, "retained_iss_cents": 0,
        },
    }  # fmt: skip


def test_the_source_of_the_tax_burden_has_its_size():
    assert problems(but(tax_burden_source="uma fonte longa")) == {("text.too_long", "tax_burden_source")}
