"""Rows, templates and the canonical invoices composed from them, for the tests of rules and mappings."""

import dataclasses
from datetime import date

from domain.cities import CITY_RULES, RIO_DE_JANEIRO
from domain.documents import Document
from domain.issuing import ServiceInvoice
from domain.parties import TakerData
from domain.services.invoices import compose_invoice
from domain.services.lines import ServiceLine
from domain.templates import ServiceTemplate, TaxProfile

COMPANY = TakerData(document=Document("cnpj", "99ABC001000157"), name="Padaria")
PERSON = TakerData(document=Document("cpf", "52998224725"), name="Ana")
LINE = ServiceLine(service_cents=100_000, taker=COMPANY, competence=date(2026, 11, 1))
USUAL = TaxProfile(
    iss_bp=500, pis_bp=65, cofins_bp=300, ir_bp=150, csll_bp=100, ir_limit_cents=66_667, pcc_limit_cents=21_505
)
TEMPLATE = ServiceTemplate(
    name="Consultoria",
    profile=USUAL,
    service_item_code="0105",
    city_tax_code="010501",
    cnae_code="6201-5/00",
    description="Consultoria",
)
OF_SAO_PAULO = dataclasses.replace(TEMPLATE, service_item_code="02800", city_tax_code=None, cnae_code=None)


def compose(line=LINE, *, city=RIO_DE_JANEIRO, template=TEMPLATE, is_confirmed=False, taker_id=9):
    return compose_invoice(
        line,
        emitter_cnpj="99000001000101",
        city=CITY_RULES[city],
        taker_remote_id=taker_id,
        template=template,
        is_confirmed=is_confirmed,
    )


def composed(*args, **kwargs) -> ServiceInvoice:
    invoice = compose(*args, **kwargs)
    assert isinstance(invoice, ServiceInvoice), invoice
    return invoice


def but(**changes) -> ServiceLine:
    return dataclasses.replace(LINE, **changes)
