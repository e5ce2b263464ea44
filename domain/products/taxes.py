"""The taxes of one item: CSOSN 102 and 500, PIS and COFINS 01, 07, 49 and 99 by percentage, IPI 53.

What is computed and what is only repeated from the sheet: PIS and COFINS are computed, half up; what was charged before
by substitution (CSOSN 500) was computed by somebody else and is taken over as the sheet says.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from domain import money
from domain.problems import Problem, Where
from domain.products.arithmetic import half_up_share
from domain.products.lines import ProductLine

SUBSTITUTED: Final = "500"
BY_RATE: Final = ("01", "49", "99")
"""Situations whose percentage, base and value are sent; 07 has none of them."""
RATE_NEEDED: Final = ("01",)
_ST_FIELDS: Final = ("st_base_cents", "st_cents", "st_rate_bp", "substitute_icms_cents")
_ST_NEEDED: Final = ("st_rate_bp", "substitute_icms_cents")
_ST_PAIR: Final = ("st_base_cents", "st_cents")
_ZERO: Final = "0.00"
_ZERO_RATE: Final = "0.0000"
IPI_CLASS: Final = "999"


@dataclass(frozen=True, slots=True)
class ItemTaxes:
    """The wire group `tributacao` and the amounts that it adds to the invoice's totals, in cents."""

    wire: dict[str, Any]
    pis_cents: int
    cofins_cents: int


def item_taxes(line: ProductLine, base_cents: int) -> ItemTaxes:
    """The taxes of a line without problems. `base_cents`: what the customer pays for it, freight included [A 2.13]."""
    pis, pis_cents = _contribution("pis", line.pis, line.pis_bp or 0, base_cents)
    cofins, cofins_cents = _contribution("cofins", line.cofins, line.cofins_bp or 0, base_cents)
    ipi = {"situacao_tributaria": line.ipi, "codigo_enquadramento": IPI_CLASS}
    return ItemTaxes({"icms": _icms(line), "ipi": ipi, "pis": pis, "cofins": cofins}, pis_cents, cofins_cents)


def tax_problems(line: ProductLine) -> Iterator[Problem]:
    """Per cell: a rate that is missing or has no place, and the figures of a tax that was charged before."""
    where = Where(row=line.row)
    for field, code, rate in (("pis_bp", line.pis, line.pis_bp), ("cofins_bp", line.cofins, line.cofins_bp)):
        if code in RATE_NEEDED and not rate:
            yield Problem("product.rate_missing", field, where, {"code": code})
        elif code not in BY_RATE and rate:
            yield Problem("product.rate_without_place", field, where, {"code": code})
    said = [name for name in _ST_FIELDS if getattr(line, name) is not None]
    if line.icms != SUBSTITUTED:
        yield from (Problem("product.st_without_place", name, where, {"code": line.icms}) for name in said)
        return
    needed = [*_ST_NEEDED, *(_ST_PAIR if set(said) & set(_ST_PAIR) else ())]
    yield from (Problem("product.st_missing", name, where) for name in needed if name not in said)
    yield from (Problem("product.negative", name, where) for name in said if getattr(line, name) < 0)


def rate_text(rate_bp: int) -> str:
    """Basis points as a percentage with four places: 165 → "1.6500"."""
    return f"{money.to_wire(rate_bp)}00"


def _icms(line: ProductLine) -> dict[str, Any]:
    # the document names the code twice: `situacao_tributaria` chooses the table, which requires the other [A 2.11]
    group: dict[str, Any] = {"situacao_tributaria": line.icms, "situacao_simples_nacional": line.icms}
    if line.icms != SUBSTITUTED:
        return group
    if line.st_base_cents is not None and line.st_cents is not None:
        group["base_icmsst_retido"] = money.to_wire(line.st_base_cents)
        group["valor_icmsst_retido"] = money.to_wire(line.st_cents)
    return group | {
        "aliquota_consumidor_final": rate_text(line.st_rate_bp or 0),
        "valor_icms_substituto": money.to_wire(line.substitute_icms_cents or 0),
        # a poverty fund charged before is no everyday case: none was [A 2.14]
        "valor_base_calculo_fcp_st_retido": _ZERO,
        "aliquota_fcp_st_retido": _ZERO_RATE,
        "valor_fcp_st_retido": _ZERO,
    }


def _contribution(name: str, code: str, rate_bp: int, base_cents: int) -> tuple[dict[str, Any], int]:
    if code not in BY_RATE:
        return {"situacao_tributaria": code}, 0
    cents = half_up_share(base_cents, rate_bp)
    group = {
        "situacao_tributaria": code,
        "valor_base_calculo": money.to_wire(base_cents),
        f"aliquota_{name}": rate_text(rate_bp),
        f"valor_{name}": money.to_wire(cents),
    }
    return group, cents
