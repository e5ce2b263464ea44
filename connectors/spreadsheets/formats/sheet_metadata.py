"""Facts about a sheet that calamine does not report: extents, errors, missing results, merges, hidden parts.

Each file format has its own search for them; this module defines their common form.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from domain.problems import InputError, Problem

MARKS_AT_MOST: Final = 50_000
OUR_AUTHOR: Final = "Faturista"
"""The author of the comments that we write into workbooks."""
PERCENT: Final = 1
ROUNDED: Final = 2
"""The cell shows the number with fewer than two decimal places."""
FOREIGN: Final = 3
"""The cell shows the number as an amount of a foreign currency."""
SCALED: Final = 4
"""The cell shows the number in thousands or millions."""
MULTIPLIED: Final = 99
"""The cell shows a word that multiplies the number: `1.5 mil`."""
FEWEST_ZEROS: Final = 5
MOST_ZEROS: Final = 20
FEWEST_PLACES: Final = 2
"""The decimal places that show an amount of money completely."""
_QUOTED: Final = re.compile(r'"[^"]*"|\\.|\[[^\[\]]*\]|_.|\*.')

_LITERAL: Final = re.compile(r'"([^"]*)"|\\(.)')
_MULTIPLIES: Final = re.compile(
    r"(?<![^\W\d_])(?:mil|milh(?:ão|ao|ões|oes|ar|ares|eiros?)|m[mi]|k|bi|"
    r"bilh(?:ão|ao|ões|oes)|centavos?|"
    r"d[uú]zias?|dz|thousands?|millions?|x ?10{1,6})(?![^\W\d_])",
    re.IGNORECASE,
)
_FIGURE: Final = re.compile(r"[#0,.()\-_*$R+ ]*")
_CURRENCY: Final = re.compile(r"\[\$([^\]\-]{1,8})(?:-[^\]]{0,12})?\]")
_SIGNED: Final = re.compile(r"US\$|[€£¥₲]|\b(?:USD|EUR|GBP|JPY|CHF|ARS|UYU|CAD|AUD)\b")
_OURS: Final = frozenset({"R$", "BRL"})

CellPosition = tuple[int, int]
"""Row and column, both from 0."""


@dataclass(slots=True)
class SheetMetadata:
    """The marks of a sheet: all that its cells show or have beside their values.

    Attributes:
        row_count: Number of rows with content.
        height: Number of rows up to the last content.
        width: Number of columns up to the last content.
        errors: The visible text of an error, by cell.
        uncalculated: Cells with a formula that has no result in the file.
        covered: Cells of a merged range below its first row.
        formats: By column, one byte for each row: `PERCENT`, `ROUNDED`, `FOREIGN`, `SCALED`, `MULTIPLIED`, the digits
            of a zero-padding format, or 0.
        comments: People's notes, by cell.
        struck: Cells whose whole text is struck through.
        part_struck: Cells of which only a part of the text is struck through.
        fills: Colours of backgrounds that are not white, or else of vivid text, as six hexadecimal digits. Empty for a
            format that does not store them.
    """

    row_count: int = 0
    height: int = 0
    width: int = 0
    errors: dict[CellPosition, str] = field(default_factory=dict)
    uncalculated: set[CellPosition] = field(default_factory=set)
    covered: set[CellPosition] = field(default_factory=set)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    formats: dict[int, bytearray] = field(default_factory=dict)
    comments: dict[CellPosition, str] = field(default_factory=dict)
    struck: set[CellPosition] = field(default_factory=set)
    part_struck: set[CellPosition] = field(default_factory=set)
    fills: dict[CellPosition, str] = field(default_factory=dict)

    def cover(self, first_row: int, last_row: int, first_column: int, last_column: int) -> None:
        """Add the cells of a merged range below its first row to `covered`; the ends are inclusive.

        Ignore cells outside the extents, so set `height` and `width` before. Raises `InputError` for too many cells.
        """
        for row in range(first_row + 1, min(last_row + 1, self.height)):
            for column in range(first_column, min(last_column + 1, self.width)):
                self.covered.add((row, column))
            if len(self.covered) > MARKS_AT_MOST:
                raise too_many_marks()

    def mark_format(self, row: int, column: int, kind: int) -> None:
        """Store a cell's number format; ignore cells outside the sheet's extents."""
        if row < self.height and column < self.width:
            self.formats.setdefault(column, bytearray(self.height))[row] = kind


def too_many_marks() -> InputError:
    return InputError(Problem("file.too_many_marks", params={"limit": MARKS_AT_MOST}))


def kind_of_format(code: str) -> int:
    """Return the value in `SheetMetadata.formats` for a number format's code: `0.00%` or `00000-000`."""
    shown = code.partition(";")[0]
    if _is_foreign(shown):
        return FOREIGN
    bare = _QUOTED.sub("", shown)
    if "%" in bare:
        return PERCENT
    zeros = bare.count("0")
    if FEWEST_ZEROS <= zeros <= MOST_ZEROS and not set(bare) - set("0-/ ()"):
        return zeros
    figure = bare.strip("_*-() $R")
    if zeros and not figure.endswith(",") and multiplies("".join(map("".join, _LITERAL.findall(shown)))):
        return MULTIPLIED
    if not zeros or not _is_rounded(figure):
        return 0
    return SCALED if figure.endswith(",") else ROUNDED


def multiplies(text: str) -> bool:
    """Return whether the words that a cell shows beside its number multiply it: `mil`, `k`."""
    return _MULTIPLIES.search(text) is not None


def _is_foreign(code: str) -> bool:
    """Return whether a format names a currency other than ours, in its own notation or as text."""
    named = [sign.strip().upper() for sign in _CURRENCY.findall(code)]
    return any(sign and sign not in _OURS for sign in named) or _SIGNED.search(_CURRENCY.sub("", code)) is not None


def _is_rounded(bare: str) -> bool:
    """Return whether a format shows fewer than two decimal places, or only thousands (`#,`)."""
    if not _FIGURE.fullmatch(bare):
        return False
    _, _, places = bare.partition(".")
    return bare.endswith(",") or len(places) < FEWEST_PLACES


def column_index(letters: str) -> int:
    """Return a column's index: A → 0, Z → 25, AA → 26."""
    index = 0
    for letter in letters:
        index = index * 26 + ord(letter) - 64
    return index - 1


@lru_cache(maxsize=1024)
def column_letter(index: int) -> str:
    """Return a column's letters: 0 → A, 25 → Z, 26 → AA."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
