"""Models of an item's taxes; each model checks its situation's fields (document 001, Tax field rules per item)."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import model_validator

from connectors.nfe.payloads.field_types import Group, Money, Percent, PerUnit, Quantity, State, Whole, Words
from connectors.nfe.payloads.tax_situations import ICMS, IPI, NFCE_ICMS, Situation, contribution
from domain.problems import FieldFault

_CODE: Final = "situacao_tributaria"


class Tax(Group):
    """A tax. Its situation decides which other fields are required, allowed or forbidden."""

    situations: ClassVar[Mapping[str, Situation]]
    besides: ClassVar[tuple[str, ...]] = ()

    situacao_tributaria: Annotated[str, Words(2)]

    @model_validator(mode="after")
    def _fits_its_situation(self) -> Self:
        situation = self.situations.get(self.situacao_tributaria)
        if situation is None:
            raise FieldFault("record_field.tax_situation", field=_CODE)
        given = {name for name in type(self).model_fields if name != _CODE and getattr(self, name) is not None}
        if wrong := situation.problem(given, self.besides):
            raise wrong
        return self


class Icms(Tax):
    """The group `icms`. A simple-national code is sent in both situation fields, though one suffices [A 2.11]."""

    situations = ICMS

    situacao_tributaria: Annotated[str, Words(3)]
    situacao_simples_nacional: Annotated[str, Words(3)] | None = None
    modalidade_base_calculo: Annotated[int, Whole(allowed=(0, 1, 2, 3))] | None = None
    valor_base_calculo: Money | None = None
    perc_reducao_base_calculo: Percent | None = None
    aliquota_icms: Percent | None = None
    valor_icms: Money | None = None
    valor_icms_desonerado: Money | None = None
    motivo_desoneracao: Annotated[int, Whole(digits=2, allowed=(1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))] | None = None
    modalidade_base_calculo_st: Annotated[int, Whole(allowed=(0, 1, 2, 3, 4, 5))] | None = None
    valor_base_calculo_st: Money | None = None
    perc_reducao_base_calculo_st: Percent | None = None
    perc_mva_icms_st: Percent | None = None
    aliquota_icms_st: Percent | None = None
    valor_icms_st: Money | None = None
    valor_base_calculo_fcp: Money | None = None
    aliquota_fcp: Percent | None = None
    valor_fcp: Money | None = None
    valor_base_calculo_fcp_st: Money | None = None
    aliquota_fcp_st: Percent | None = None
    valor_fcp_st: Money | None = None
    base_calculo_operacao_propria: Percent | None = None
    uf_icmsst_devido: State | None = None
    aliquota_icms_simples_nacional: Percent | None = None
    credito_icms_simples_nacional: Money | None = None
    valor_icms_operacao: Money | None = None
    base_icmsst_retido: Money | None = None
    valor_icmsst_retido: Money | None = None
    aliquota_consumidor_final: Percent | None = None
    valor_icms_substituto: Money | None = None
    valor_base_calculo_fcp_st_retido: Money | None = None
    aliquota_fcp_st_retido: Percent | None = None
    valor_fcp_st_retido: Money | None = None

    @model_validator(mode="before")
    @classmethod
    def _names_its_code_twice(cls, given: Any) -> Any:
        if isinstance(given, dict) and "situacao_simples_nacional" in given:
            return {_CODE: given["situacao_simples_nacional"], **given}
        return given

    @model_validator(mode="after")
    def _has_one_situation(self) -> Self:
        if self.situacao_simples_nacional not in (None, self.situacao_tributaria):
            raise FieldFault("record_field.two_situations", field="situacao_simples_nacional")
        return self


class NfceIcms(Icms):
    """The group `icms` of an NFC-e, which allows more fields in any situation [A 2.19]."""

    besides = NFCE_ICMS

    base_calculo_icmsst_destino: Money | None = None
    base_calculo_icmsst_remetente: Money | None = None
    valor_base_calculo_fcp_dest: Money | None = None
    valor_icmsst_retido_destino: Money | None = None
    valor_icmsst_retido_remetente: Money | None = None


class Ipi(Tax):
    situations = IPI

    cnpj_produtor: Annotated[str, Words(14)] | None = None
    codigo_selo_controle: Annotated[str, Words(60)] | None = None
    quantidade_selo_controle: Annotated[int, Whole(digits=12)] | None = None
    codigo_enquadramento: Annotated[str, Words(3)]
    valor_base_calculo: Money | None = None
    aliquota_ipi: Percent | None = None
    valor_ipi: Money | None = None
    valor_unidade: PerUnit | None = None


class Pis(Tax):
    situations = contribution("pis")

    valor_base_calculo: Money | None = None
    aliquota_pis: Percent | None = None
    valor_pis: Money | None = None
    aliquota_pis_reais: PerUnit | None = None
    quantidade_vendida: Quantity | None = None
    valor_base_calculo_st: Money | None = None
    aliquota_st: Percent | None = None
    aliquota_pis_reais_st: PerUnit | None = None
    quantidade_vendida_st: Quantity | None = None
    valor_pis_st: Money | None = None


class Cofins(Tax):
    situations = contribution("cofins")

    valor_base_calculo: Money | None = None
    aliquota_cofins: Percent | None = None
    valor_cofins: Money | None = None
    aliquota_cofins_reais: PerUnit | None = None
    quantidade_vendida: Quantity | None = None
    valor_base_calculo_st: Money | None = None
    aliquota_st: Percent | None = None
    aliquota_cofins_reais_st: PerUnit | None = None
    quantidade_vendida_st: Quantity | None = None
    valor_cofins_st: Money | None = None


class ImportTax(Group):
    """The group `importacao`."""

    base_calculo_importacao: Money
    valor_despesas_aduaneiras: Money
    valor_imposto_importacao: Money
    valor_iof: Money


class Taxation(Group):
    """The group `tributacao`. A shop that owes no IPI may omit it."""

    valor_aproximado_total: Money | None = None
    cofins: Cofins
    icms: Icms
    importacao: ImportTax | None = None
    ipi: Ipi | None = None
    pis: Pis


class NfceTaxation(Taxation):
    icms: NfceIcms
