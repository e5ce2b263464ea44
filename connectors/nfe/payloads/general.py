"""Models of the groups of a whole invoice: general data, payments, billing, remarks, withholdings (document 001)."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Final

from connectors.nfe.payloads.field_types import City, Day, Decimals, Group, Moment, Money, Whole, Words


class GeneralOfBoth(Group):
    """The fields of `dados_gerais` that NF-e and NFC-e share.

    A signed document and a document of a batch already contain serie and number. `InvoiceCalls.body` adds them to a
    document that is posted alone.
    """

    codigo_mun_ocorrencia: City
    data_saida_entrada: Annotated[datetime, Moment()] | None = None
    finalidade_nfe: Annotated[int, Whole(allowed=(1, 2, 3, 4))]
    serie: Annotated[int, Whole(digits=3)] | None = None
    indicador_presenca: Annotated[int, Whole(allowed=(0, 1, 2, 3, 4, 9))]
    natureza_operacao: Annotated[str, Words(60)]
    tipo_operacao: Annotated[int, Whole(allowed=(0, 1))]
    uf: Annotated[int, Whole(digits=2)]
    nfe_numero: Annotated[int, Whole(digits=9)] | None = None


class General(GeneralOfBoth):
    """The group `dados_gerais` of an NF-e."""

    destino_operacao: Annotated[int, Whole(allowed=(1, 2, 3))]
    indicador_consumidor_final: Annotated[int, Whole(allowed=(0, 1))]


class NfceGeneral(GeneralOfBoth):
    """The group `dados_gerais` of an NFC-e, with the security code and its id. Both are secrets.

    An NFC-e is for a final consumer in the same state, so its destination and its consumer may be left out [A 2.31].
    """

    destino_operacao: Annotated[int, Whole(allowed=(1, 2, 3))] | None = None
    indicador_consumidor_final: Annotated[int, Whole(allowed=(0, 1))] | None = None
    csc: Annotated[str, Words()] | None = None
    id_token: Annotated[str, Words()] | None = None


PAYMENT_CODES: Final = (
    "01", "02", "03", "04", "05", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23",
    "24", "90", "91", "99",
)  # fmt: skip
"""The tax authority's codes of means of payment, as of May 2026 [A 2.28]."""


class Payment(Group):
    """An item of `forma_de_pagamento`. The last four fields are for cards."""

    tipo_de_pagamento: Annotated[str, Words(allowed=PAYMENT_CODES)]
    valor_do_pagamento: Annotated[Decimal, Decimals(15, 2, is_number=True)]
    tipo_de_integracao: Annotated[int, Whole(allowed=(1, 2))] | None = None
    bandeira_operadora: Annotated[str, Words(2)] | None = None
    cnpj_credenciadora: Annotated[str, Words(14)] | None = None
    numero_autorizacao_operacao: Annotated[str, Words(20)] | None = None


class Instalment(Group):
    data_vencimento: Annotated[date, Day()] | None = None
    numero: Annotated[str, Words(60)] | None = None
    valor: Money


class Bill(Group):
    numero_fatura: Annotated[str, Words(60)] | None = None
    valor_desconto: Money | None = None
    valor_liquido: Money | None = None
    valor_original: Money | None = None


class Billing(Group):
    """The group `cobranca`."""

    duplicatas: tuple[Instalment, ...] | None = None
    fatura: Bill | None = None


class Remarks(Group):
    """The group `informacoes_adicionais`: remarks of the taxpayer, and remarks for the tax authority."""

    informacoes_contribuinte: Annotated[str, Words(5000)] | None = None
    informacoes_fisco: Annotated[str, Words(2000)] | None = None


class Withholdings(Group):
    """The group `retencao_tributos`."""

    base_calculo_retencao_previdencia: Money | None = None
    valor_base_calculo_irrf: Money | None = None
    valor_irrf: Money | None = None
    valor_retencao_previdencia: Money | None = None
    valor_retido_cofins: Money | None = None
    valor_retido_csll: Money | None = None
    valor_retido_pis: Money | None = None
