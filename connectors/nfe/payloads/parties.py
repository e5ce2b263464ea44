"""The model of the customer (document 001, cliente)."""

from typing import Annotated, Self

from pydantic import model_validator

from connectors.nfe.payloads.field_types import City, Group, State, Whole, Words
from domain.documents import is_cnpj, is_cpf
from domain.problems import FieldFault


class Address(Group):
    bairro: Annotated[str, Words(60)]
    cep: Annotated[str, Words(8, 8)]
    codigo_municipio: City
    codigo_pais: Annotated[str, Words(4)] | None = None
    complemento: Annotated[str, Words(60)] | None = None
    logradouro: Annotated[str, Words(60)]
    nome_municipio: Annotated[str, Words(60)]
    nome_pais: Annotated[str, Words(60)] | None = None
    numero: Annotated[str, Words(60)]
    telefone: Annotated[str, Words(14)] | None = None
    uf: State


class CustomerOfBoth(Group):
    """The fields of `cliente` that NF-e and NFC-e share.

    `cpf_cnpj` has no punctuation: the CPF of a `person` or the CNPJ of a `company`.
    """

    cpf_cnpj: Annotated[str, Words(14)]
    email: Annotated[str, Words(60)] | None = None
    inscricao_estadual: Annotated[str, Words(14)] | None = None
    inscricao_municipal: Annotated[str, Words(15)] | None = None
    inscricao_suframa: Annotated[str, Words(9)] | None = None
    pessoa_fisica_juridica: Annotated[str, Words(allowed=("company", "person"))]

    @model_validator(mode="after")
    def _has_a_real_document(self) -> Self:
        is_valid = is_cpf if self.pessoa_fisica_juridica == "person" else is_cnpj
        if not is_valid(self.cpf_cnpj):
            raise FieldFault("record_field.customer_document", field="cpf_cnpj")
        return self


class Customer(CustomerOfBoth):
    """The group `cliente` of an NF-e."""

    nome: Annotated[str, Words(60)]
    endereco: Address
    indicador_inscricao_estadual: Annotated[int, Whole(allowed=(1, 2, 9))]


class NfceCustomer(CustomerOfBoth):
    """The group `cliente` of an NFC-e, a consumer who may give no more than the document [A 2.31]."""

    nome: Annotated[str, Words(60)] | None = None
    endereco: Address | None = None
    indicador_inscricao_estadual: Annotated[int, Whole(allowed=(1, 2, 9))] | None = None
