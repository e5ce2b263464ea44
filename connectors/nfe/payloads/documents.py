"""Models of whole documents and batches (document 001, NF-e payload, NFC-e payload, Batch authorize payload)."""

import json
from typing import Annotated, Final, Self

from pydantic import Field, StrictBool, model_validator

from connectors.nfe.payloads.field_types import Group, Whole, Words
from connectors.nfe.payloads.general import Billing, General, NfceGeneral, Payment, Remarks, Withholdings
from connectors.nfe.payloads.goods import NfceProduct, Product
from connectors.nfe.payloads.parties import Customer, NfceCustomer
from connectors.nfe.payloads.transport import NfceTransport, Transport
from domain.problems import FieldFault

Payments = Annotated[tuple[Payment, ...], Field(min_length=1)]
SignedXml = Annotated[str, Words(is_free=True)]
_MOST_IN_A_BATCH: Final = 50


class Document(Group):
    """The base class of all request documents."""

    def body(self, wrapper: str) -> bytes:
        return json.dumps({wrapper: self.content()}, ensure_ascii=False, separators=(",", ":")).encode()


class Nfe(Document):
    """An NF-e. `lista_autorizacao` has the CPFs and CNPJs of those who may download the XML [A 2.23]."""

    engine_de_calculo: Annotated[str, Words()] | None = None
    contingencia: StrictBool | None = None
    cliente: Customer
    cobranca: Billing | None = None
    dados_gerais: General
    forma_de_pagamento: Payments
    informacoes_adicionais: Remarks | None = None
    lista_autorizacao: tuple[Annotated[str, Words(14)], ...] | None = None
    produtos: Annotated[tuple[Product, ...], Field(min_length=1)]
    retencao_tributos: Withholdings | None = None
    transporte: Transport


class Nfce(Document):
    """An NFC-e, sold over the counter to a person, who may stay unnamed [A 2.31]."""

    engine_de_calculo: Annotated[str, Words()] | None = None
    cliente: NfceCustomer | None = None
    dados_gerais: NfceGeneral
    forma_de_pagamento: Payments
    produtos: Annotated[tuple[NfceProduct, ...], Field(min_length=1)]
    transporte: NfceTransport

    @model_validator(mode="after")
    def _is_sold_to_a_person(self) -> Self:
        if self.cliente is not None and self.cliente.pessoa_fisica_juridica != "person":
            raise FieldFault("record_field.nfce_person", field="cliente.pessoa_fisica_juridica")
        return self


class SignedNfe(Nfe):
    xml_assinado: SignedXml


class SignedNfce(Nfce):
    """A signed NFC-e. It contains its security code, because nothing adds the code later."""

    xml_assinado: SignedXml

    @model_validator(mode="after")
    def _has_its_code(self) -> Self:
        _require_code(self)
        return self


class NfeBatch(Document):
    """One to fifty documents. A batch of one must ask for an instant answer (`sincronicidade` 1)."""

    lote: Annotated[int, Whole(digits=15)]
    serie: Annotated[int, Whole(digits=3)]
    sincronicidade: Annotated[int, Whole(allowed=(0, 1))]
    uf: Annotated[int, Whole(digits=2)]
    nfes: Annotated[tuple[Nfe, ...], Field(min_length=1, max_length=_MOST_IN_A_BATCH)]

    @model_validator(mode="after")
    def _is_no_lone_document(self) -> Self:
        _refuse_lone_document(len(self.nfes), self.sincronicidade)
        return self


class NfceBatch(Document):
    """A batch of NFC-e, each with its security code."""

    lote: Annotated[int, Whole(digits=15)]
    serie: Annotated[int, Whole(digits=3)]
    sincronicidade: Annotated[int, Whole(allowed=(0, 1))]
    uf: Annotated[int, Whole(digits=2)]
    nfces: Annotated[tuple[Nfce, ...], Field(min_length=1, max_length=_MOST_IN_A_BATCH)]

    @model_validator(mode="after")
    def _is_no_lone_document(self) -> Self:
        _refuse_lone_document(len(self.nfces), self.sincronicidade)
        for document in self.nfces:
            _require_code(document)
        return self


class SignedNfeBatch(NfeBatch):
    """`xml_assinado` is the signed XML of the whole batch."""

    xml_assinado: SignedXml


class SignedNfceBatch(NfceBatch):
    xml_assinado: SignedXml


def _refuse_lone_document(count: int, at_once: int) -> None:
    if count == 1 and not at_once:
        raise FieldFault("record_field.lone_batch", field="sincronicidade")


def _require_code(document: Nfce) -> None:
    if not document.dados_gerais.csc or not document.dados_gerais.id_token:
        raise FieldFault("record_field.nfce_code", field="dados_gerais.csc")
