"""A row becomes exactly the request that the city wants, or everything that is wrong with it."""

import dataclasses
import json
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.cities import CITY_RULES, RIO_DE_JANEIRO, SAO_PAULO
from domain.competence import BRASILIA
from domain.documents import Document
from domain.parties import TakerData
from domain.services import ServiceInvoice, ServiceLine, compose_invoice
from domain.templates import ServiceTemplate, TaxProfile

COMPANY = TakerData(document=Document("cnpj", "99ABC001000157"), name="Padaria")
PERSON = TakerData(document=Document("cpf", "52998224725"), name="Ana")
LINE = ServiceLine(service_cents=100_000, taker=COMPANY, competence=date(2026, 11, 1))
USUAL = TaxProfile(
    iss_bp=500, pis_bp=65, cofins_bp=300, ir_bp=150, csll_bp=100, ir_limit_cents=66_667, pcc_limit_cents=21_505
)
TEMPLATE = ServiceTemplate(
    remote_id=7,
    emitter_remote_id=3,
    name="Consultoria",
    profile=USUAL,
    service_item_code="0105",
    city_tax_code="010501",
    cnae_code="6201-5/00",
    description="Consultoria",
)
OF_SAO_PAULO = dataclasses.replace(TEMPLATE, service_item_code="02800", city_tax_code=None, cnae_code=None)


def compose(line=LINE, *, city=RIO_DE_JANEIRO, template=TEMPLATE, is_confirmed=False):
    return compose_invoice(
        line,
        emitter_cnpj="99000001000101",
        emitter_remote_id=3,
        city=CITY_RULES[city],
        taker_remote_id=9,
        template=template,
        is_confirmed=is_confirmed,
    )


def composed(*args, **kwargs) -> ServiceInvoice:
    invoice = compose(*args, **kwargs)
    assert isinstance(invoice, ServiceInvoice), invoice
    return invoice


def problems(line=LINE, **kwargs) -> set[tuple[str, str | None]]:
    found = compose(line, **kwargs)
    assert isinstance(found, list)
    return {(problem.code, problem.field) for problem in found}


def but(**changes) -> ServiceLine:
    return dataclasses.replace(LINE, **changes)


ZEROES = {
    f"{name}_amount": "0.00"
    for name in (
        "deduction",
        "inss",
        "discount_conditioning",
        "unconditioned_discount",
        "other_retentions",
        "retained_iss",
    )
}


def test_the_request_of_rio_is_complete_to_the_last_field():
    assert composed().content == {
        "emitter_id": 3,
        "taker_id": 9,
        "rps_type": 1,
        "rps_situation": 1,
        "operation_nature": 1,
        "competence": "2026-11-01",
        "send_nfse_taker": False,
        "service_values": {
            **ZEROES,
            "service_amount": "1000.00",
            "calculation_base": "1000.00",
            "iss_amount": "50.00",
            "pis_amount": "6.50",
            "cofins_amount": "30.00",
            "ir_amount": "15.00",
            "csll_amount": "10.00",
            "nfse_liquid_amount": "938.50",
            "iss_percentage": "5.00",
            "pis_percentage": "0.65",
            "cofins_percentage": "3.00",
            "ir_percentage": "1.50",
            "csll_percentage": "1.00",
            "inss_percentage": "0.00",
            "retained_iss_percentage": "0.00",
            "retained_iss": False,
            "service_item_code": "0105",
            "city_tax_code": "010501",
            "cnae_code": "6201-5/00",
            "description": "Consultoria",
            "city_code": 3_304_557,
        },
    }


def test_sao_paulo_gets_letters_and_neither_nature_nor_regime():
    content = composed(city=SAO_PAULO, template=OF_SAO_PAULO).content
    assert (content["rps_type"], content["rps_situation"]) == ("RPS", "T")
    assert not {"operation_nature", "special_regime", "emission_date", "batch_id", "serie", "number"} & content.keys()
    assert content["service_values"]["city_code"] == 3_550_308
    assert not {"id", "city_tax_code", "cnae_code"} & content["service_values"].keys()


def test_a_waived_retention_is_sent_at_rate_zero_because_a_note_has_no_minimums():
    values = composed(but(service_cents=10_000)).content["service_values"]
    assert {name: values[name] for name in ("pis_percentage", "pis_amount", "ir_percentage", "ir_amount")} == {
        "pis_percentage": "0.00", "pis_amount": "0.00", "ir_percentage": "0.00", "ir_amount": "0.00",
    }  # fmt: skip
    assert (values["iss_percentage"], values["nfse_liquid_amount"]) == ("5.00", "100.00")


def test_what_the_row_says_goes_before_the_template():
    line = but(
        description="Projeto X",
        service_item_code="1.07",
        city_tax_code="01.07.01",
        cnae_code="6202-3/00",
        iss_bp=200,
        ir_bp=0,
        rps_situation="2",
        operation_nature="3",
        send_to_taker=True,
        observations="Pagar até o dia 10",
        reference="Contrato 12",
    )
    content = composed(line).content
    values = content["service_values"]
    assert (values["description"], values["service_item_code"], values["city_tax_code"]) == (
        "Projeto X",
        "0107",
        "010701",
    )
    assert (values["cnae_code"], values["iss_amount"], values["ir_amount"]) == ("6202-3/00", "20.00", "0.00")
    assert (content["rps_situation"], content["operation_nature"], content["send_nfse_taker"]) == (2, 3, True)
    assert content["other_informations"] == "Pagar até o dia 10 | Ref. Contrato 12"


def test_an_emission_date_is_sent_with_brasilias_offset_and_only_when_the_row_has_one():
    assert "emission_date" not in composed().content
    invoice = composed(but(emission_at=datetime(2026, 12, 1, 0, 30, tzinfo=UTC)))
    assert invoice.content["emission_date"] == "2026-11-30T21:30:00-03:00"
    assert invoice.emission_at == datetime(2026, 11, 30, 21, 30, tzinfo=BRASILIA)


def test_tax_burden_and_highlights_travel_with_the_template():
    template = dataclasses.replace(
        TEMPLATE, tax_burden_bp=1_345, tax_burden_source="IBPT", tax_burden_cents=1, highlight_retentions=("ir_amount",)
    )
    values = composed(template=template).content["service_values"]
    assert (values["tax_burden_percentage"], values["tax_burden_source"]) == ("13.45", "IBPT")
    assert values["highlight_retentions"] == ["ir_amount"]
    assert "tax_burden_amount" not in values
    only_amount = dataclasses.replace(TEMPLATE, tax_burden_cents=1_234)
    assert composed(template=only_amount).content["service_values"]["tax_burden_amount"] == "12.34"


def test_everything_wrong_with_a_row_is_said_at_once():
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


def test_the_largest_amount_that_fits_is_composed():
    assert composed(but(service_cents=10**16 - 1)).content["service_values"]["service_amount"] == "99999999999999.99"


@pytest.mark.parametrize("field", ["description", "service_item_code", "city_tax_code"])
def test_what_neither_row_nor_template_says_is_missing(field):
    nothing: dict[str, Any] = {field: None}
    assert problems(template=dataclasses.replace(TEMPLATE, **nothing)) == {("template.lacks", field)}


def test_observations_and_reference_share_their_field():
    assert problems(but(observations="x" * 250, reference="123")) == {("text.too_long", "other_informations")}


def test_rio_would_refuse_federal_retentions_of_a_person_so_we_do():
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
    assert composed(template=RETAINED, is_confirmed=True).content["service_values"]["retained_iss"] is True
    assert composed(template=DEDUCTED, is_confirmed=True).amounts.calculation_base_cents == 90_000


def test_a_confirmed_template_confirms_nothing_that_only_the_row_asks_for():
    assert problems(but(retained_iss=True), is_confirmed=True) == {("amount.unconfirmed", "retained_iss")}
    assert composed(but(retained_iss=False), template=RETAINED).amounts.retained_iss_cents == 0


def test_a_deduction_in_the_sheet_must_be_the_one_that_the_template_explains():
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
    assert problems(but(ir_bp=-1)) == {("amount.rate_out_of_range", "ir_bp")}


def test_the_business_key_sees_what_is_really_billed():
    key = composed().business_key
    assert composed(but(description="consultoria")).business_key == key
    assert composed(but(emission_at=datetime(2026, 11, 20, tzinfo=UTC))).business_key == key
    assert composed(but(reference="12")).business_key == key
    assert composed(but(description="Outra")).business_key != key
    assert composed(but(own_key="12")).business_key != key


@given(
    st.integers(1, 10**9),
    st.integers(0, 500),
    st.sampled_from([(RIO_DE_JANEIRO, TEMPLATE), (SAO_PAULO, OF_SAO_PAULO)]),
)
def test_every_amount_that_was_computed_is_sent(service, iss_bp, place):
    city, template = place
    invoice = composed(but(service_cents=service, iss_bp=iss_bp), city=city, template=template)
    assert invoice.amounts.to_wire().items() <= invoice.content["service_values"].items()
    assert json.loads(json.dumps(invoice.content)) == invoice.content


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
    assert found[0].params == {"said": "R$ 6,51", "ours": "R$ 6,50"}


def test_the_tax_burden_is_the_rows_or_else_the_templates():
    template = dataclasses.replace(TEMPLATE, tax_burden_bp=1_345, tax_burden_source="IBPT")
    values = composed(template=template).content["service_values"]
    assert (values["tax_burden_percentage"], values["tax_burden_source"]) == ("13.45", "IBPT")
    values = composed(but(tax_burden_cents=12_345), template=template).content["service_values"]
    assert (values["tax_burden_amount"], values["tax_burden_source"]) == ("123.45", "IBPT")
    assert "tax_burden_percentage" not in values
    values = composed(but(tax_burden_bp=900, tax_burden_source="Própria")).content["service_values"]
    assert (values["tax_burden_percentage"], values["tax_burden_source"]) == ("9.00", "Própria")
    assert problems(but(tax_burden_source="uma fonte longa")) == {("text.too_long", "tax_burden_source")}


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
