"""Read columns whose header is only a tax, such as `IRRF` or `ISS 5%`: their cells are amounts or rates."""

import re
from collections.abc import Collection, Mapping, MutableMapping
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any, Final, NamedTuple

from connectors.spreadsheets.formats.sheets import Cell, Percent
from connectors.spreadsheets.parsers import cells, number_parser
from domain.money import BASIS_POINTS_IN_ONE
from domain.problems import Problem

USUAL: Final[Mapping[str, Collection[int]]] = {
    "iss": range(200, 501),
    "pis": (65, 165),
    "cofins": (300, 760),
    "csll": (100, 288),
    "ir": (100, 120, 150, 240, 480),
    "inss": (350, 1100),
}
"""The rates that a retention of each tax may have, in basis points."""
TAX_WORDS: Final = (
    r"iss(?:qn)?|pis|cofins|csll|ir|irrf|irpj|inss|pcc|crf|csrf|cbs|ibs|das$|icms|impost\w*|tribut\w*|"
    r"ret(?:encao|encoes|id\w*)?"
)
"""Words of a tax or of what is withheld for it, in a normalised header. `das` inside a header is an article."""
FIELDS: Final = tuple(f"{tax}_stated" for tax in USUAL)
WITH_A_RATE: Final = frozenset((*FIELDS, *(f"{tax}_cents" for tax in (*USUAL, "pcc", "federal"))))
"""Fields whose headers may name the rate as well: `INSS (11%)`, `CSRF 4,65%`."""
_RATE: Final = re.compile(r" ?\b\d{1,2}(?: \d{1,3})? percentual\b")


class StatedTax(NamedTuple):
    """A tax as a cell states it, in hundredths: basis points of a rate, cents of an amount.

    If `is_rate` is False, the cell may still mean a rate in percent: `settle` decides.
    """

    hundredths: int
    is_rate: bool


def without_rate(header: str) -> str | None:
    """Return a normalised header without the rate in it, or None if it has no rate."""
    bare, count = _RATE.subn("", header)
    return " ".join(bare.split()) if count else None


def parse_stated_tax(cell: Cell, locale: str | None) -> StatedTax | Problem | None:
    """Return the tax that a cell states; None for a dash, a no, and a text that means "no value"."""
    if isinstance(cell, str) and (cells.says_nothing(cell) or cells.parse_yes_no(cell) is False):
        return None
    is_rate = isinstance(cell, Percent) or (isinstance(cell, str) and cell.rstrip().endswith("%"))
    found = number_parser.parse_rate(cell, locale) if is_rate else number_parser.parse_amount(cell, locale)
    return found if isinstance(found, Problem) else StatedTax(found, is_rate)


def settle_retention(values: MutableMapping[str, Any]) -> None:
    """Replace an amount or a rate in the field `retained_iss` by True, and store it as `iss_stated`."""
    if isinstance(written := values.get("retained_iss"), StatedTax):
        values["retained_iss"] = True
        values.setdefault("iss_stated", written)
        settle(values, ("iss_stated",))


def settle(values: MutableMapping[str, Any], fields: Collection[str]) -> None:
    """Replace each stated tax in `fields` by a rate in basis points (`iss_bp`) or an amount in cents (`iss_cents`).

    A number without a percent sign is a rate only if it is a usual rate of the tax, and not the amount that a usual
    rate gives.
    """
    cents = values.get("service_cents")
    for field in fields:
        written = values.pop(field, None)
        if written is None or (field == "iss_stated" and not written.hundredths):
            # a zero here means that nothing is retained, and not that the tax is zero
            continue
        tax = field.removesuffix("_stated")
        is_rate = written.is_rate or (
            written.hundredths in USUAL[tax] and not _is_amount(written.hundredths, cents, USUAL[tax])
        )
        values.setdefault(f"{tax}_bp" if is_rate else f"{tax}_cents", written.hundredths)


def _is_amount(hundredths: int, cents: int | None, rates: Collection[int]) -> bool:
    """Return whether one of these rates (basis points) of an amount of `cents` gives `hundredths` cents of tax."""
    if not cents:
        return False
    near = round(Decimal(hundredths) * BASIS_POINTS_IN_ONE / cents)
    return any(
        hundredths == int((Decimal(cents) * rate / BASIS_POINTS_IN_ONE).to_integral_value(rounding))
        for rate in range(near - 1, near + 2)
        if rate in rates
        for rounding in (ROUND_HALF_UP, ROUND_HALF_EVEN)
    )
