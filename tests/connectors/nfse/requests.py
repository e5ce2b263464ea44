"""Minimal requests of people and tools; a test overwrites the fields that it tests."""

from datetime import date

from connectors.nfse.emitters import EmitterDraft
from connectors.nfse.note_drafts import PaulistaNote, PaulistaValues, RioNote, RioValues
from connectors.nfse.service_values import TemplateDraft
from connectors.nfse.takers import AddressDraft, ContactDraft, TakerDraft
from tests.connectors.nfse.samples import EMITTED_AT

CNPJ, OTHER_CNPJ, CPF = "99000010000194", "99ABC001000157", "99000000130"


def emitter(**more):
    return EmitterDraft(
        **{
            "email": "fiscal@cais.example",
            "social_reason": "Oficina do Cais Ltda",
            "cnpj": CNPJ,
            "fancy_name": "Cais",
            "city_inscription": "123",
            "state": "RJ",
            "city": "Rio de Janeiro",
            "neighborhood": "Centro",
            "street": "do Cais",
            "number": "1",
            "zip_code": "20010-000",
            "phone": "21999990000",
            "certificate": "UEZY",
            "password": "abre-te",
            **more,
        }
    )


def template(**more):
    rates = {"iss_percentage": "5.00", "service_item_code": "1701", "city_tax_code": "170101", "description": "Obra"}
    return TemplateDraft(**{"emitter_id": 1, "name": "Obra", **rates, **more})


def taker(**more):
    address = AddressDraft(street="Rua do Cais", city="Rio de Janeiro", state="RJ", zip_code="01010000")
    contact = ContactDraft(email="contas@cais.example")
    return TakerDraft(
        **{"cnpj": CNPJ, "social_reason": "Padaria do Cais Ltda", "address": address, "contact": contact, **more}
    )


VALUES = {"service_amount": "1000.00", "iss_percentage": "5.00", "description": "Serviços de consultoria"}


def rio(values=None, **more):
    sent = RioValues(**{**VALUES, "service_item_code": "1701", "city_tax_code": "170101", **(values or {})})
    when = {"emission_date": EMITTED_AT, "competence": date(2026, 11, 1)}
    return RioNote(**{"emitter_id": 1, "serie": "P", "number": 7, **when, "service_values": sent, **more})


def paulista(values=None, **more):
    sent = PaulistaValues(**{**VALUES, "service_item_code": "03115", **(values or {})})
    return PaulistaNote(
        **{"emitter_id": 2, "serie": "P", "number": 7, "emission_date": EMITTED_AT, "service_values": sent, **more}
    )
