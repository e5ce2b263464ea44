"""Compute the taxes of one item: CSOSN 102 and 500, PIS and COFINS 01, 07, 49 and 99 by percentage, IPI 53.

We compute PIS and COFINS, rounded half up. The sheet gives the tax that the substitute charged before (CSOSN 500).
"""

from collections.abc import Iterator
from typing import Final

from domain.problems import Problem, Where
from domain.products.arithmetic import half_up_share
from domain.products.canonical import Contribution, ItemTaxes, Substitution
from domain.products.lines import ProductLine

SUBSTITUTED: Final = "500"
BY_RATE: Final = ("01", "49", "99")
"""Situations with a percentage, a base and an amount; 07 has none of the three."""
RATE_NEEDED: Final = ("01",)
_ST_FIELDS: Final = ("st_base_cents", "st_cents", "st_rate_bp", "substitute_icms_cents")
_ST_NEEDED: Final = ("st_rate_bp", "substitute_icms_cents")
_ST_PAIR: Final = ("st_base_cents", "st_cents")
IPI_CLASS: Final = "999"


def item_taxes(line: ProductLine, base_cents: int) -> ItemTaxes:
    """Compute the taxes of a line that has no `tax_problems`.

    `base_cents` is what the customer pays for the line, freight included [A 2.13].
    """
    return ItemTaxes(
        csosn=line.icms,
        substitution=_substitution(line),
        ipi_cst=line.ipi,
        ipi_class=IPI_CLASS,
        pis=_contribution(line.pis, line.pis_bp or 0, base_cents),
        cofins=_contribution(line.cofins, line.cofins_bp or 0, base_cents),
    )


def tax_problems(line: ProductLine) -> Iterator[Problem]:
    """Yield a problem for each cell with a missing or misplaced rate or a wrong amount of the substitute's tax."""
    where = Where(row=line.row)
    for field, code, rate in (("pis_bp", line.pis, line.pis_bp), ("cofins_bp", line.cofins, line.cofins_bp)):
        if code in RATE_NEEDED and not rate:
            yield Problem("product.rate_missing", field, where, {"code": code})
        elif code not in BY_RATE and rate:
            yield Problem("product.rate_without_place", field, where, {"code": code})
    given = [name for name in _ST_FIELDS if getattr(line, name) is not None]
    if line.icms != SUBSTITUTED:
        yield from (Problem("product.st_without_place", name, where, {"code": line.icms}) for name in given)
        return
    needed = [*_ST_NEEDED, *(_ST_PAIR if set(given) & set(_ST_PAIR) else ())]
    yield from (Problem("product.st_missing", name, where) for name in needed if name not in given)
    yield from (Problem("product.negative", name, where) for name in given if getattr(line, name) < 0)


def _substitution(line: ProductLine) -> Substitution | None:
    if line.icms != SUBSTITUTED:
        return None
    is_whole = line.st_base_cents is not None and line.st_cents is not None
    return Substitution(
        rate_bp=line.st_rate_bp or 0,
        substitute_icms_cents=line.substitute_icms_cents or 0,
        base_cents=line.st_base_cents if is_whole else None,
        cents=line.st_cents if is_whole else None,
    )


def _contribution(cst: str, rate_bp: int, base_cents: int) -> Contribution:
    if cst not in BY_RATE:
        return Contribution(cst=cst)
    return Contribution(cst=cst, base_cents=base_cents, rate_bp=rate_bp, cents=half_up_share(base_cents, rate_bp))
