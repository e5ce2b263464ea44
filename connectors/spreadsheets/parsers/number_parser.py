"""Parse amounts and percentages as people type them. A whole column decides its number notation.

`1.234` may mean a thousand and something, or one and a fraction. If another cell of the column shows the notation
(`1.234,56`), it decides; if none does, the cell is a Problem, never a guess.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import time, timedelta
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from operator import sub
from typing import Final

from connectors.spreadsheets.formats.sheets import Cell, Foreign, Multiplied, Percent
from domain.money import BASIS_POINTS_IN_ONE
from domain.problems import Problem

LOCALES: Final = ("pt_BR", "en_US")
MIXED: Final = "mixed"
"""A column whose cells prove both notations: a cell with one reading is read, an ambiguous one is refused."""

MONTH_FIRST: Final = "month_first"
"""A column in which a date can only have the month first: dates that may have it first, too, are refused."""

LARGEST_CENTS: Final = 10**15 - 1
LONGEST_FIGURE: Final = 40
NOISE: Final = 1e-6
"""The largest distance of a computed cell from a whole cent, in cents: a binary fraction, not a part of a cent."""

FRACTION_BELOW: Final = Decimal("0.15")
POINTS_FROM: Final = Decimal("0.5")
"""The smallest bare number that is a rate in percent.

A bare 0.05 in a percentage column is a cell formatted as 5 %; a bare 0.65 is PIS in percent. No rate in use is between
the largest fraction (INSS, 0.11) and the smallest percentage (PIS, 0.65): a value there is refused as ambiguous.
"""

_CURRENCY: Final = re.compile(r"^(-?) ?(?:R\$|BRL) ?| ?(?:R\$|BRL|(?<=\d )reais)$", re.IGNORECASE)
_FOREIGN: Final = re.compile(
    r"(?<![A-Z])(?:US|U|CA|AU|C|A)\$|[€£¥₲]|(?<![A-Z])(?:USD|EUR|GBP|JPY|CHF|ARS|UYU|PYG|CLP|COP|MXN|CAD|AUD|CNY)(?![A-Z])",
    re.IGNORECASE,
)
_SHOWN_OTHERWISE: Final[Mapping[type, str]] = {Foreign: "amount.foreign_currency", Multiplied: "amount.multiplied"}
_NOTHING: Final = frozenset({"-", "–", "—", "- "})
_SPACED_GROUPS: Final = re.compile(r"-?\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?")
_GROUPING: Final = str.maketrans("", "", " '’")
_MINUS_BEHIND: Final = re.compile(r"([0-9.,]{1,40}) ?[-−]")
_IN_BRACKETS: Final = re.compile(r"\((.+)\)")
# these accept the numbers of Babel's strict mode in a fortieth of its time: a million amounts are read twice
_BRAZILIAN: Final = re.compile(r"-?(?:[1-9][0-9]{0,2}(?:\.[0-9]{3})+|[0-9]+)(?:,[0-9]+)?")
_AMERICAN: Final = re.compile(r"-?(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?")
_CLOCK: Final = re.compile(r"(\d{1,4})(?:(?::|h(?:s|oras?)? ?)([0-5]\d)(?::([0-5]\d)|min|m)?| ?h(?:s|oras?)?)")
_PIECES: Final = re.compile(r"(?<=\d) ?(?:uni?ds?|un|unidades?|pe?[cç]a?s?|x)\.?\s*$", re.IGNORECASE)
_SECONDS: Final = 3600
_SHAPE: Final = re.compile(r"-?[0-9](?:[0-9.,]*[0-9])?")


@lru_cache(maxsize=8192)
def readings(text: str) -> Mapping[str, Decimal]:
    """Return the possible meanings of a typed number, by locale; empty for a text that is no number."""
    bare = _CURRENCY.sub(r"\1", " ".join(text.split()))
    if bare != text and bare in _NOTHING:
        # an accounting format shows a zero as "R$ -"
        bare = "0"
    if bare.endswith((",-", ",--", ",—", ",–")):
        # an even amount in handwriting: "650,-"
        bare = bare.rpartition(",")[0]
    if bracketed := _IN_BRACKETS.fullmatch(bare):
        bare = f"-{_CURRENCY.sub('', bracketed[1].strip())}"
    elif minus := _MINUS_BEHIND.fullmatch(bare):
        bare = f"-{minus[1]}"
    bare = bare.replace("−", "-")
    if _SPACED_GROUPS.fullmatch(bare):
        bare = bare.translate(_GROUPING)
    if len(bare) > LONGEST_FIGURE or not _SHAPE.fullmatch(bare):
        return {}
    found: dict[str, Decimal] = {}
    if _BRAZILIAN.fullmatch(bare):
        found["pt_BR"] = Decimal(bare.replace(".", "").replace(",", "."))
    if _AMERICAN.fullmatch(bare):
        found["en_US"] = Decimal(bare.replace(",", ""))
    return found


def locale_of(texts: Iterable[str]) -> str | None:
    """Return the number notation of a column: a locale, `MIXED`, or None when no cell shows it."""
    proved: set[str] = set()
    for text in texts:
        found = readings(text.strip().removesuffix("%").strip())
        if len(found) == 1:
            proved.update(found)
    if len(proved) > 1:
        return MIXED
    return next(iter(proved), None)


def parse_amount(cell: Cell, locale: str | None) -> int | Problem:
    """Return cents, or a problem.

    Codes: `amount.unreadable`, `amount.ambiguous`, `amount.fraction_of_cent`, `amount.out_of_range`.

    `amount.percentage`, `amount.foreign_currency`: a number, but not in reais. `amount.multiplied`: the cell shows it
    with a word such as `mil`.
    """
    if isinstance(cell, Percent):
        return Problem("amount.percentage", params={"text": f"{shown(float(cell) * 100)}%"})
    if (code := _SHOWN_OTHERWISE.get(type(cell))) is not None:
        return Problem(code, params={"text": shown(cell)})
    if isinstance(cell, float):
        return _cents_of_float(cell)
    if not isinstance(cell, str):
        return Problem("amount.unreadable", params={"text": shown(cell)})
    value = _decided(cell, locale)
    if value is None:
        return Problem(_code_of_no_amount(cell), params={"text": shown(cell)})
    if isinstance(value, str):
        return Problem("amount.ambiguous", params={"text": shown(cell)})
    if _places(value) > 2:
        # a column with the notation 150.00 must not turn 1.500 into one and a half
        is_either = len(readings(cell)) > 1
        return Problem("amount.ambiguous" if is_either else "amount.fraction_of_cent", params={"text": shown(cell)})
    return _within_range(int(value * 100), cell)


def cents_of_floats(column: Sequence[float]) -> list[int] | None:
    """Return `parse_amount` of each cell of a column of plain numbers; None if a cell may be a problem."""
    exact = [cell * 100 for cell in column]
    # one NaN or infinity makes the whole sum not finite
    if not isfinite(sum(exact)) or max(map(abs, exact)) > LARGEST_CENTS:
        return None
    cents = list(map(round, exact))
    # one computation for the whole column takes a third of the time of one for each cell
    return cents if max(map(abs, map(sub, exact, cents))) <= NOISE else None


def _code_of_no_amount(text: str) -> str:
    """Return the problem code of a text that is no amount in reais."""
    if _FOREIGN.search(text):
        return "amount.foreign_currency"
    return "amount.percentage" if "%" in text else "amount.unreadable"


def parse_rate(cell: Cell, locale: str | None) -> int | Problem:
    """Return basis points, or a problem.

    Codes: `amount.rate_unreadable`, `amount.rate_ambiguous`, `amount.rate_too_high`.
    """
    value, has_sign = _written_rate(cell, locale)
    if value is None or (isinstance(value, Decimal) and value < 0):
        return Problem("amount.rate_unreadable", params={"text": shown(cell)})
    if isinstance(value, str):
        return Problem("amount.rate_unreadable", params={"text": shown(cell)})
    if not has_sign and FRACTION_BELOW <= value < POINTS_FROM:
        first, second = f"{plain(value)}%", f"{plain(value * 100)}%"
        return Problem("amount.rate_ambiguous", params={"text": shown(cell), "first": first, "second": second})
    points = value * 100 if not has_sign and value < FRACTION_BELOW else value
    return _basis_points(points, cell)


def is_fraction(cell: Cell, locale: str | None) -> bool:
    """Return whether `parse_rate` reads a bare number as a fraction of one: 0.05 as 5 %."""
    value, has_sign = _written_rate(cell, locale)
    return isinstance(value, Decimal) and not has_sign and 0 < value < FRACTION_BELOW


def _written_rate(cell: Cell, locale: str | None) -> tuple[Decimal | str | None, bool]:
    """Return a rate's number as `_decided` returns it, and whether the cell shows it as a percentage."""
    if isinstance(cell, Percent):
        # the cell's own format is a percentage, so nothing is guessed
        return Decimal(f"{cell:.10g}") * 100, True
    if isinstance(cell, float) and not isinstance(cell, bool):
        return Decimal(f"{cell:.10g}"), False
    if not isinstance(cell, str):
        return None, False
    return _decided(cell.strip().removesuffix("%").strip(), locale), cell.strip().endswith("%")


def parse_decimal_figure(cell: Cell, locale: str | None) -> Decimal | Problem:
    """Return a quantity or a price with all its decimal places, or a problem.

    Codes: `product.quantity_unreadable`, `amount.foreign_currency`, `amount.multiplied`.

    Drop a computed cell's binary noise after fifteen digits, and the word for pieces: `2 un`.
    """
    if (code := _SHOWN_OTHERWISE.get(type(cell))) is not None:
        return Problem(code, params={"text": shown(cell)})
    if isinstance(cell, float) and not isinstance(cell, bool):
        return Decimal(f"{cell:.15g}")
    value = _decided(_PIECES.sub("", cell), locale) if isinstance(cell, str) else None
    if not isinstance(value, Decimal):
        return Problem("product.quantity_unreadable", params={"text": shown(cell)})
    return value


def parse_quantity(cell: Cell, locale: str | None) -> Decimal | Problem:
    """Return a quantity, hours as decimals: `1:30` and `1h30` are one and a half."""
    if isinstance(cell, time):
        return Decimal(cell.hour * 3600 + cell.minute * 60 + cell.second) / _SECONDS
    if isinstance(cell, timedelta):
        return Decimal(round(cell.total_seconds())) / _SECONDS
    clock = _CLOCK.fullmatch(cell.strip().lower()) if isinstance(cell, str) else None
    if clock is None:
        return parse_decimal_figure(cell, locale)
    return Decimal(int(clock[1]) * 3600 + int(clock[2] or 0) * 60 + int(clock[3] or 0)) / _SECONDS


def shown(cell: Cell) -> str:
    """Return a cell for a message: short, on one line."""
    # a Brazilian sheet shows a decimal comma
    text = f"{cell:.15g}".replace(".", ",") if isinstance(cell, float) and not isinstance(cell, bool) else str(cell)
    return " ".join(text.split())[:LONGEST_FIGURE]


def plain(value: Decimal) -> str:
    """Return a number as text with a decimal comma and without trailing zeros."""
    return f"{value.normalize():f}".replace(".", ",")


def _basis_points(points: Decimal, cell: Cell) -> int | Problem:
    basis_points = points * 100
    if basis_points != basis_points.to_integral_value():
        return Problem("amount.rate_unreadable", params={"text": shown(cell)})
    if basis_points > BASIS_POINTS_IN_ONE:
        return Problem("amount.rate_too_high", params={"rate": plain(points)})
    return int(basis_points)


def _places(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


def _decided(text: str, locale: str | None) -> Decimal | str | None:
    """Return the number, None for no number, or the text itself when it has two readings."""
    found = readings(text)
    if locale in LOCALES:
        return found.get(locale)
    values = set(found.values())
    if len(values) > 1:
        return text
    return next(iter(values), None)


def _cents_of_float(value: float) -> int | Problem:
    exact = value * 100
    if abs(exact) > LARGEST_CENTS:
        return Problem("amount.out_of_range", params={"amount": shown(value)})
    cents = round(exact)
    if abs(exact - cents) > max(NOISE, abs(exact) * 1e-14):
        return Problem("amount.fraction_of_cent", params={"text": shown(value)})
    return cents


def _within_range(cents: int, cell: Cell) -> int | Problem:
    if abs(cents) > LARGEST_CENTS:
        return Problem("amount.out_of_range", params={"amount": shown(cell)})
    return cents
