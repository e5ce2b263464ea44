"""Models of the transport of goods (document 001, transporte)."""

from decimal import Decimal
from typing import Annotated

from connectors.nfe.payloads.field_types import City, Decimals, Group, Money, Percent, State, Whole, Words

Weight = Annotated[Decimal, Decimals(15, 3)]
"""A weight in kilograms, to the gram."""


class WithheldIcms(Group):
    aliquota_retencao: Percent
    cfop: Annotated[str, Words(4, 4)] | None = None
    codigo_municipio: City
    uf: State | None = None
    valor_base_calculo: Money
    valor_retido: Money
    valor_servico: Money | None = None


class Carrier(Group):
    cnpj_cpf: Annotated[str, Words(14)] | None = None
    endereco_completo: Annotated[str, Words(60)] | None = None
    inscricao_estadual: Annotated[str, Words(14)] | None = None
    municipio: Annotated[str, Words(60)] | None = None
    razao_social: Annotated[str, Words(60)] | None = None
    uf: State | None = None


class Vehicle(Group):
    placa: Annotated[str, Words(7)]
    rntc: Annotated[str, Words(20)] | None = None
    uf: State


class Volume(Group):
    especie: Annotated[str, Words(60)] | None = None
    marca: Annotated[str, Words(60)] | None = None
    numeracao_volumes: Annotated[str, Words(60)] | None = None
    peso_bruto: Weight | None = None
    peso_liquido: Weight | None = None
    quantidade_volumes: Annotated[int, Whole(digits=15)] | None = None


class NfceVolume(Volume):
    """A volume of an NFC-e, with its seals."""

    lacres: tuple[Annotated[str, Words(60)], ...] | None = None


class Transport(Group):
    codigo_modalidade: Annotated[int, Whole(allowed=(0, 1, 2, 9))]
    retencao_icms: WithheldIcms | None = None
    transportadora: Carrier | None = None
    veiculo: Vehicle | None = None
    volume_transportado: tuple[Volume, ...] | None = None


class NfceTransport(Transport):
    volume_transportado: tuple[NfceVolume, ...] | None = None
