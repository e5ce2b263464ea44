"""This provider's request for each canonical invoice, compared in every field."""

import dataclasses
import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from connectors.nfse.issuing.invoices import AMOUNTS, note_body
from domain import money
from domain.cities import RIO_DE_JANEIRO, SAO_PAULO
from domain.competence import BRASILIA
from domain.issuing import ServiceInvoice
from domain.taxes import ServiceAmounts
from tests.domain.invoicing import OF_SAO_PAULO, TEMPLATE, but, composed


def body_of(invoice: ServiceInvoice) -> dict[str, Any]:
    return note_body(invoice.content, emitter_id=3)


def wire(*args, **kwargs) -> dict[str, Any]:
    return body_of(composed(*args, **kwargs))


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
    assert wire() == {
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
    content = wire(city=SAO_PAULO, template=OF_SAO_PAULO)
    assert (content["rps_type"], content["rps_situation"]) == ("RPS", "T")
    assert not {"operation_nature", "special_regime", "emission_date", "batch_id", "serie", "number"} & content.keys()
    assert content["service_values"]["city_code"] == 3_550_308
    assert not {"id", "city_tax_code", "cnae_code"} & content["service_values"].keys()


def test_a_waived_retention_is_sent_at_rate_zero():
    values = wire(but(service_cents=10_000))["service_values"]
    assert {name: values[name] for name in ("pis_percentage", "pis_amount", "ir_percentage", "ir_amount")} == {
        "pis_percentage": "0.00", "pis_amount": "0.00", "ir_percentage": "0.00", "ir_amount": "0.00",
    }  # fmt: skip
    assert (values["iss_percentage"], values["nfse_liquid_amount"]) == ("5.00", "100.00")


def test_the_rows_value_overrides_the_template():
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
    content = wire(line)
    values = content["service_values"]
    assert (values["description"], values["service_item_code"], values["city_tax_code"]) == (
        "Projeto X",
        "0107",
        "010701",
    )
    assert (values["cnae_code"], values["iss_amount"], values["ir_amount"]) == ("6202-3/00", "20.00", "0.00")
    assert (content["rps_situation"], content["operation_nature"], content["send_nfse_taker"]) == (2, 3, True)
    assert content["other_informations"] == "Pagar até o dia 10 | Ref. Contrato 12"


def test_an_emission_date_has_brasilias_offset_or_is_absent():
    assert "emission_date" not in wire()
    invoice = composed(but(emission_at=datetime(2026, 12, 1, 0, 30, tzinfo=UTC)))
    assert body_of(invoice)["emission_date"] == "2026-11-30T21:30:00-03:00"
    assert invoice.emission_at == datetime(2026, 11, 30, 21, 30, tzinfo=BRASILIA)


def test_tax_burden_and_highlights_travel_with_the_template():
    template = dataclasses.replace(
        TEMPLATE, tax_burden_bp=1_345, tax_burden_source="IBPT", tax_burden_cents=1, highlight_retentions=("ir",)
    )
    values = wire(template=template)["service_values"]
    assert (values["tax_burden_percentage"], values["tax_burden_source"]) == ("13.45", "IBPT")
    assert values["highlight_retentions"] == ["ir_amount"]
    assert "tax_burden_amount" not in values
    only_amount = dataclasses.replace(TEMPLATE, tax_burden_cents=1_234)
    assert wire(template=only_amount)["service_values"]["tax_burden_amount"] == "12.34"


def test_the_tax_burden_is_the_rows_or_else_the_templates():
    template = dataclasses.replace(TEMPLATE, tax_burden_bp=1_345, tax_burden_source="IBPT")
    values = wire(template=template)["service_values"]
    assert (values["tax_burden_percentage"], values["tax_burden_source"]) == ("13.45", "IBPT")
    values = wire(but(tax_burden_cents=12_345), template=template)["service_values"]
    assert (values["tax_burden_amount"], values["tax_burden_source"]) == ("123.45", "IBPT")
    assert "tax_burden_percentage" not in values
    values = wire(but(tax_burden_bp=900, tax_burden_source="Própria"))["service_values"]
    assert (values["tax_burden_percentage"], values["tax_burden_source"]) == ("9.00", "Própria")


def test_the_largest_amount_that_fits_is_composed():
    assert wire(but(service_cents=10**16 - 1))["service_values"]["service_amount"] == "99999999999999.99"


@given(
    st.integers(1, 10**9),
    st.integers(200, 500),
    st.sampled_from([(RIO_DE_JANEIRO, TEMPLATE), (SAO_PAULO, OF_SAO_PAULO)]),
)
def test_every_amount_that_was_computed_is_sent(service, iss_bp, place):
    city, template = place
    invoice = composed(but(service_cents=service, iss_bp=iss_bp), city=city, template=template)
    assert {wire: money.to_wire(getattr(invoice.amounts, ours)) for ours, wire in AMOUNTS.items()}.items() <= body_of(
        invoice
    )["service_values"].items()
    assert json.loads(json.dumps(invoice.content)) == invoice.content


def test_every_amount_reaches_the_wire_with_two_places():
    values = wire(but(service_cents=123_457))["service_values"]
    assert all(len(values[name].partition(".")[2]) == 2 for name in AMOUNTS.values())
    assert AMOUNTS.keys() == {field.name for field in dataclasses.fields(ServiceAmounts)}
