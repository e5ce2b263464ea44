"""Models of an invoice's products (document 001, produtos)."""

from datetime import date
from decimal import Decimal
from typing import Annotated

from connectors.nfe.payloads.field_types import Day, Decimals, Group, Money, State, Whole, Words
from connectors.nfe.payloads.taxes import NfceTaxation, Taxation

Amount = Annotated[Decimal, Decimals(15, 4)]
"""A quantity in the unit of sale."""
UnitPrice = Annotated[Decimal, Decimals(21, 10, least_places=2)]


class Addition(Group):
    """An item of `adicoes`."""

    codigo_fabricante: Annotated[str, Words(60)]
    numero_adicao: Annotated[int, Whole(digits=3)]
    numero_drawback: Annotated[str, Words(11)] | None = None
    numero_sequencial: Annotated[int, Whole(digits=3)]
    valor_desconto: Money | None = None


class ImportDeclaration(Group):
    """An item of `declaracao_importacao`."""

    cnpj: Annotated[str, Words(14)] | None = None
    codigo_exportador: Annotated[str, Words(60)]
    data_desembaraco: Annotated[date, Day()]
    data_importacao: Annotated[date, Day()]
    documento_importacao: Annotated[str, Words(12)]
    forma_importacao: Annotated[int, Whole(allowed=(1, 2, 3))]
    local_desembaraco: Annotated[str, Words(60)]
    uf_adquirente: State | None = None
    uf_desembaraco: State
    valor_afrmm: Money | None = None
    via_transporte: Annotated[int, Whole(allowed=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))]
    adicoes: tuple[Addition, ...]


class ReturnedTax(Group):
    """The group `imposto_devolvido`: returned IPI. The item's `informacoes_adicionais` give the reason."""

    perc_mercadoria_devolvida: Annotated[Decimal, Decimals(5, 2)]
    valor_ipi_devolvido: Money


class Product(Group):
    cest: Annotated[str, Words(7, 7)] | None = None
    cfop: Annotated[str, Words(4, 4)]
    cnpj_fabricante_mercadoria: Annotated[str, Words(14)] | None = None
    codigo_beneficio_fiscal: Annotated[str, Words(10)] | None = None
    codigo_ean: Annotated[str, Words(14)] | None = None
    codigo_produto: Annotated[str, Words(60)]
    descricao: Annotated[str, Words(120)]
    ean_unidade_trib: Annotated[str, Words(14)] | None = None
    informacoes_adicionais: Annotated[str, Words(500)] | None = None
    ncm: Annotated[str, Words(8, 8)]
    num_item_pedido: Annotated[str, Words(6)] | None = None
    num_pedido: Annotated[str, Words(15)] | None = None
    outras_despesas: Money | None = None
    producao_escala: Annotated[str, Words(1)] | None = None
    quantidade_comercial: Amount
    quantidade_tributaria: Amount
    unidade_comercial: Annotated[str, Words(6)]
    unidade_tributaria: Annotated[str, Words(6)]
    valor_desconto: Money | None = None
    valor_frete: Money | None = None
    valor_seguro: Money | None = None
    valor_total_produto: Money
    valor_unitario_comercial: UnitPrice
    valor_unitario_tributario: UnitPrice
    tributacao: Taxation
    declaracao_importacao: tuple[ImportDeclaration, ...] | None = None
    imposto_devolvido: ReturnedTax | None = None


class NfceProduct(Product):
    tributacao: NfceTaxation
    extipi: Annotated[str, Words(3)] | None = None
    ind_valor_total: Annotated[int, Whole(allowed=(0, 1))] | None = None
    num_controle_fci: Annotated[str, Words(36)] | None = None
