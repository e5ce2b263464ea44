"""Report rows whose colour differs from the other rows; hold them only if a legend in the sheet explains the colour."""

import colorsys
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.formats.sheet_metadata import CellPosition, column_letter
from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.headers.either_readings import shown_rows
from connectors.spreadsheets.headers.layouts import OUR_OWN, Header
from connectors.spreadsheets.holds import billing_markers
from connectors.spreadsheets.parsers import cells
from domain.problems import Problem, Where

_WORDS: Final[Mapping[str, str]] = {
    "vermelh": "red", "red": "red", "laranja": "orange", "orange": "orange", "amarel": "yellow", "yellow": "yellow",
    "verde": "green", "green": "green", "azu": "blue", "blue": "blue", "rox": "purple", "lilas": "purple",
    "purple": "purple", "rosa": "pink", "pink": "pink", "cinza": "grey", "gray": "grey", "grey": "grey",
    "pret": "black", "black": "black",
}  # fmt: skip
"""The colours that a legend may name, by the beginnings of their words."""
_NAMED: Final = re.compile(
    r"\b(vermelh|red|laranja|orange|amarel|yellow|verde|green|azu|blue|rox|lilas|purple|rosa|pink|cinza|gray|grey|pret|"
    r"black)(?:[ao]?s?|l|is)\b"
)
_LEGENDS: Final = frozenset({"legenda", "legendas", "cor", "cores", "significado"})
"""Normalised headers of a legend beside the lines."""
_PARTS: Final = re.compile(r"[,;|\n]|\. ")
_LONGEST: Final = 200
_HUES: Final = ((15, "red"), (42, "orange"), (70, "yellow"), (165, "green"), (260, "blue"), (300, "purple"),
                (340, "pink"), (361, "red"))  # fmt: skip
"""The end of each colour on the circle of hues, in degrees."""
_NEAR: Final[Mapping[str, frozenset[str]]] = {
    "orange": frozenset({"yellow", "red"}), "yellow": frozenset({"orange"}), "red": frozenset({"orange", "pink"}),
    "purple": frozenset({"pink", "blue"}), "pink": frozenset({"purple", "red"}), "blue": frozenset({"purple"}),
}  # fmt: skip
"""Colours that a legend may mean if no row has the one that it names: the orange of office programs is near yellow."""
_GREYISH: Final = 0.12
_DARK: Final = 0.12
_WIDEST_STRIDE: Final = 3


@dataclass(frozen=True, slots=True)
class RowColours:
    """The rows whose cells have another colour than those of the other rows.

    Attributes:
        rows: For each colour, its row numbers, each with the first column that has the colour.
        held: Why a legend holds rows, by row number.
        legends: The words of legends. They are no reason to hold the row in which they happen to be.
    """

    rows: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    held: Mapping[int, Problem] = field(default_factory=dict)
    legends: frozenset[str] = frozenset()

    def remarks(self, sheet: str) -> list[Problem]:
        """Return one remark for each colour that holds no row."""
        return [
            _remark(sheet, colour, rows) for colour, rows in self.rows.items() if not rows.keys() & self.held.keys()
        ]


def row_colours(header: Header, aside: Collection[int]) -> RowColours:
    """Return the colours of a sheet's rows. `aside` are numbers of rows that are not billable lines.

    A corrections workbook that comes back has only our own colours: return none. Ignore the colour of a whole column,
    and alternating bands.
    """
    fills = _fills_below(header)
    if not fills or OUR_OWN & set(map(normalised, header.texts.values())):
        return RowColours()
    lines = [
        row.number
        for row in header.sheet.rows()
        if row.number > header.row and row.number not in aside and any(map(_has_figure, row.cells))
    ]
    order = {number: position for position, number in enumerate(lines)}
    by_column: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for (row, column), digits in fills.items():
        if row + 1 in order:
            by_column[column, digits].append(order[row + 1])
    if not by_column:
        return RowColours()
    rows: defaultdict[str, dict[int, int]] = defaultdict(dict)
    unlike: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for (column, digits), positions in sorted(by_column.items(), reverse=True):
        colour = colour_of(digits)
        rows[colour] |= {lines[position]: column for position in positions}
        if _is_unlike(sorted(positions), len(lines)):
            unlike[colour] |= {lines[position]: column for position in positions}
    held, legends = _held(header, rows, frozenset(lines))
    return RowColours({colour: dict(sorted(found.items())) for colour, found in unlike.items()}, held, legends)


def colours_below(header: Header) -> frozenset[str]:
    """Return the colours of the cells below the header, which a legend may explain."""
    return frozenset(map(colour_of, set(_fills_below(header).values())))


def named_colours(text: str) -> frozenset[str]:
    """Return the colours that a text names."""
    bare = cells.plain(text[:_LONGEST])
    return frozenset(_WORDS[found] for found in _NAMED.findall(bare))


def colour_of(digits: str) -> str:
    """Return the word for a colour of six hexadecimal digits."""
    red, green, blue = (int(digits[position : position + 2], 16) / 255 for position in (0, 2, 4))
    hue, light, _ = colorsys.rgb_to_hls(red, green, blue)
    if max(red, green, blue) - min(red, green, blue) < _GREYISH * min(1, 2 - 2 * light + _GREYISH):
        return "black" if light < _DARK else "grey"
    return next(word for end, word in _HUES if hue * 360 < end)


def _has_figure(cell: Cell) -> bool:
    """Return whether a cell has a digit or is no text, as some cell of a line; a legend has only words."""
    return any(map(str.isdigit, cell)) if isinstance(cell, str) else cell is not None


def _fills_below(header: Header) -> dict[CellPosition, str]:
    """Return the colours of the cells below the header's row and under its texts."""
    own = _own_columns(header)
    return {
        position: digits
        for position, digits in header.sheet.fills.items()
        if position[0] >= header.row and position[1] in own
    }


def _own_columns(header: Header) -> frozenset[int]:
    """Return the columns of the lines: those with a header, except those of a legend beside the lines."""
    return frozenset(column for column, text in header.texts.items() if normalised(text) not in _LEGENDS)


def _is_unlike(positions: Sequence[int], count: int) -> bool:
    """Return whether a colour is an exception: at most half of a column's `count` lines, and no alternating band.

    `positions` are the indexes of the lines with the colour.
    """
    if 2 * len(positions) > max(count, 2):
        return False
    strides = {second - first for first, second in pairwise(positions)}
    if len(strides) != 1:
        return True
    (stride,) = strides
    is_banded = 1 < stride <= _WIDEST_STRIDE and positions[0] < stride and positions[-1] >= count - stride
    return not is_banded


def _held(
    header: Header, rows: Mapping[str, Mapping[int, int]], lines: frozenset[int]
) -> tuple[dict[int, Problem], frozenset[str]]:
    """Return why legends with words against billing hold rows of their colours, and the words of these legends."""
    held: dict[int, Problem] = {}
    legends: set[str] = set()
    fills = header.sheet.fills
    texts = list(_texts_beside(header, lines))
    named = frozenset[str]().union(*(named_colours(text) for _, _, text in texts))
    for row, column, text in texts:
        for colour, stop in _explanations(text, fills, (row - 1, column)):
            meant = {colour} if colour in rows else _NEAR.get(colour, frozenset()) & rows.keys() - named
            for each in sorted(meant):
                held |= dict.fromkeys(rows[each], Problem("held.colour", params={"text": stop, "colour": each}))
            if meant:
                legends.add(billing_markers.text_stop(text) or stop)
    return held, frozenset(legends)


def _texts_beside(header: Header, lines: frozenset[int]) -> Iterator[tuple[int, int, str]]:
    """Yield row number, column and text of the cells that are not the lines' own."""
    own = _own_columns(header)
    for row in header.sheet.rows():
        if row.number == header.row:
            continue
        for column, cell in enumerate(row.cells):
            if isinstance(cell, str) and not (row.number in lines and column in own):
                yield row.number, column, cell


def _explanations(text: str, fills: Mapping[CellPosition, str], position: CellPosition) -> Iterator[tuple[str, str]]:
    """Yield each colour that a text explains with words against billing, and the words.

    A text that names no colour explains the colour of its own cell, or of the cell before it.
    """
    for part in _PARTS.split(text[:_LONGEST]):
        stop = billing_markers.title_stop(part) or billing_markers.text_stop(part)
        if stop is None:
            continue
        row, column = position
        own = fills.get(position) or fills.get((row, column - 1))
        for colour in named_colours(part) or ({colour_of(own)} if own else ()):
            yield colour, stop


def _remark(sheet: str, colour: str, rows: Mapping[int, int]) -> Problem:
    columns = set(rows.values())
    letter = column_letter(min(columns)) if len(columns) == 1 and min(columns) > 0 else None
    where = Where(sheet=sheet, row=min(rows), column=letter)
    return Problem("row.coloured", None, where, {"rows": shown_rows(list(rows)), "colour": colour})
