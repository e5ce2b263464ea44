"""The required and allowed fields of each tax situation (document 001, Tax field rules per item).

The emulator is built from `fields.toml`, not from these tables; a test compares the two.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from domain.problems import FieldFault

_ST: Final = ("modalidade_base_calculo_st", "valor_base_calculo_st", "aliquota_icms_st", "valor_icms_st")
_ST_MAY: Final = ("perc_reducao_base_calculo_st", "perc_mva_icms_st")
_FCP: Final = ("valor_base_calculo_fcp", "aliquota_fcp", "valor_fcp")
_FCP_ST: Final = ("valor_base_calculo_fcp_st", "aliquota_fcp_st", "valor_fcp_st")
_OWN: Final = (
    "modalidade_base_calculo", "valor_base_calculo", "perc_reducao_base_calculo", "aliquota_icms", "valor_icms",
)  # fmt: skip
_CREDIT: Final = ("aliquota_icms_simples_nacional", "credito_icms_simples_nacional")
_CSOSN: Final = ("situacao_simples_nacional",)
_SPLIT: Final = ("base_calculo_operacao_propria", "uf_icmsst_devido")
_RETAINED: Final = ("base_icmsst_retido", "valor_icmsst_retido")
_SEAL: Final = ("codigo_enquadramento", "cnpj_produtor", "codigo_selo_controle", "quantidade_selo_controle")


@dataclass(frozen=True, slots=True)
class Situation:
    """The field rules of a tax situation. Any other field is forbidden.

    Required are all of `needed` and all fields of one of `ways`. Optional are the fields in `may`; if one of a pair in
    `pairs` is given, so must be the other.
    """

    needed: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    ways: tuple[tuple[str, ...], ...] = ()
    pairs: tuple[tuple[str, ...], ...] = ()

    def problem(self, given: Iterable[str], besides: Iterable[str] = ()) -> FieldFault | None:
        """Return the fault of a group with these fields, or None. `besides` are allowed in any situation."""
        names = frozenset(given)
        needed = {*self.needed, *(name for pair in self.pairs if names & {*pair} for name in pair)}
        if self.ways:
            needed |= {*next((way for way in self.ways if names >= {*way}), self.ways[0])}
        if lacking := sorted(needed - names):
            return FieldFault("record_field.tax_needs", names=", ".join(lacking))
        if strange := sorted(names - needed - {*self.may, *besides}):
            return FieldFault("record_field.tax_excess", names=", ".join(strange))
        return None


ICMS: Final[Mapping[str, Situation]] = {
    **dict.fromkeys(
        ("70", "90"),
        Situation(
            (*_OWN, *_ST, *_FCP, *_FCP_ST),
            ("valor_icms_desonerado", "motivo_desoneracao", *_ST_MAY, *_SPLIT),
            pairs=(_SPLIT,),
        ),
    ),
    "101": Situation((*_CSOSN, *_CREDIT)),
    **dict.fromkeys(("102", "103", "300", "400"), Situation(_CSOSN)),
    "201": Situation((*_CSOSN, *_CREDIT, *_ST, *_FCP_ST), _ST_MAY),
    **dict.fromkeys(("202", "203"), Situation((*_CSOSN, *_ST, *_FCP_ST), _ST_MAY)),
    "500": Situation(
        (
            *_CSOSN,
            "aliquota_consumidor_final",
            "valor_icms_substituto",
            "valor_base_calculo_fcp_st_retido",
            "aliquota_fcp_st_retido",
            "valor_fcp_st_retido",
        ),
        _RETAINED,
        pairs=(_RETAINED,),
    ),
    "900": Situation((*_CSOSN, *_CREDIT, *_OWN, *_ST, *_FCP_ST), (*_ST_MAY, "valor_icms_operacao")),
}
NFCE_ICMS: Final = (
    "base_calculo_icmsst_destino",
    "base_calculo_icmsst_remetente",
    "valor_base_calculo_fcp_dest",
    "valor_icmsst_retido_destino",
    "valor_icmsst_retido_remetente",
    *_SPLIT,
)
"""Fields that an NFC-e may have in any situation [A 2.19]."""

_BY_RATE: Final = ("valor_base_calculo", "aliquota_ipi", "valor_ipi")
IPI: Final[Mapping[str, Situation]] = {
    **dict.fromkeys(("00", "49", "50", "99"), Situation((), _SEAL, ways=(_BY_RATE, ("valor_unidade", "valor_ipi")))),
    **dict.fromkeys(("01", "02", "03", "04", "05", "51", "52", "53", "54", "55"), Situation((), _SEAL)),
}


def contribution(tax: str) -> Mapping[str, Situation]:
    """Return the situations of `pis` or `cofins`; the two differ only in their field names."""
    by_rate = ("valor_base_calculo", f"aliquota_{tax}", f"valor_{tax}")
    by_quantity = (f"aliquota_{tax}_reais", "quantidade_vendida", f"valor_{tax}")
    substituted = ("valor_base_calculo_st", "aliquota_st", f"valor_{tax}_st")
    substituted_by_quantity = (f"aliquota_{tax}_reais_st", "quantidade_vendida_st", f"valor_{tax}_st")
    others = ("49", *map(str, range(50, 57)), *map(str, range(60, 68)), *map(str, range(70, 76)), "98", "99")
    return {
        **dict.fromkeys(("01", "02"), Situation(by_rate)),
        "03": Situation(by_quantity),
        **dict.fromkeys(("04", "06", "07", "08", "09"), Situation()),
        "05": Situation(ways=(substituted, substituted_by_quantity)),
        **dict.fromkeys(others, Situation(ways=(by_rate, by_quantity))),
    }
