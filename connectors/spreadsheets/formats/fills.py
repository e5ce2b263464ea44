"""Colours of the cells of an XLSX sheet, of the background or else of the text, as six hexadecimal digits."""

import re
from collections.abc import Mapping, Sequence
from typing import Final
from xml.etree import ElementTree as ET

from connectors.spreadsheets.formats.links import INDEX_BYTES_AT_MOST, tree
from connectors.spreadsheets.formats.package import Package
from connectors.spreadsheets.formats.sheet_metadata import MARKS_AT_MOST, SheetMetadata, column_index
from domain.problems import InputError

WHITE: Final = "FFFFFF"
SEARCHED_AT_MOST: Final = 400_000_000
"""The most bytes to search for all filled styles together; a larger sheet with many of them has usual colours."""
CELLS_OF_A_STYLE_AT_MOST: Final = 10_000
_THEME: Final = "xl/theme/theme1.xml"
_THEME_ORDER: Final = ("lt1", "dk1", "lt2", "dk2", *(f"accent{number}" for number in range(1, 7)))
_OFFICE: Final = ("FFFFFF", "000000", "E7E6E6", "44546A", "4472C4", "ED7D31", "A5A5A5", "FFC000", "5B9BD5", "70AD47")
_PALETTE: Final = re.findall(
    r"[0-9A-F]{6}",
    "000000 FFFFFF FF0000 00FF00 0000FF FFFF00 FF00FF 00FFFF 000000 FFFFFF FF0000 00FF00 0000FF FFFF00 FF00FF 00FFFF "
    "800000 008000 000080 808000 800080 008080 C0C0C0 808080 9999FF 993366 FFFFCC CCFFFF 660066 FF8080 0066CC CCCCFF "
    "000080 FF00FF FFFF00 00FFFF 800080 800000 008080 0000FF 00CCFF CCFFFF CCFFCC FFFF99 99CCFF FF99CC CC99FF FFCC99 "
    "3366FF 33CCCC 99CC00 FFCC00 FF9900 FF6600 666699 969696 003366 339966 003300 333300 993300 993366 333399 333333",
)
_RGB: Final = re.compile(r"(?:[0-9A-F]{2})?([0-9A-F]{6})")
_HEX: Final = re.compile(r"[0-9A-F]{6}")
_ADDRESS: Final = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,7})"')
_CELL_START: Final = b'<c r="'
_LONGEST_START: Final = 24
_MAX: Final = 255
_VIVID: Final = 96
"""The least distance between the parts of a colour that people see as red, blue or green rather than as dark."""


def coloured_styles(styles: ET.Element, package: Package) -> dict[int, str]:
    """Return the colours of the cell styles by the style's index: the background, or the text's if that is white.

    Leave out styles with text in black, white or grey: that is usual text.
    """
    fills = [_fill_colour(each) for each in _children(styles, "fills")]
    fonts = [next((part for part in each if _local(part) == "color"), None) for each in _children(styles, "fonts")]
    if not any(each is not None for each in (*fills, *fonts)):
        return {}
    theme = _theme(package)
    grounds, texts = ([None if each is None else _digits(each, theme) for each in listed] for listed in (fills, fonts))
    found: dict[int, str] = {}
    for index, style in enumerate(_children(styles, "cellXfs")):
        ground, text = _listed(grounds, style.get("fillId", "0")), _listed(texts, style.get("fontId", "0"))
        if ground not in (None, WHITE):
            found[index] = str(ground)
        elif text is not None and is_vivid(text):
            found[index] = text
    return found


def is_vivid(digits: str) -> bool:
    """Return whether text in this colour looks other than usual text: neither black nor white nor grey."""
    parts = [int(digits[place : place + 2], 16) for place in (0, 2, 4)]
    return max(parts) - min(parts) >= _VIVID


def _listed(colours: Sequence[str | None], place: str) -> str | None:
    return colours[int(place)] if place.isdecimal() and int(place) < len(colours) else None


def mark_fills(data: bytes, styles: Mapping[int, str], marks: SheetMetadata) -> None:
    """Add the colours of a sheet's cells to `marks`.

    Skip a style of very many cells: it is the sheet's usual design.
    """
    if len(data) * len(styles) > SEARCHED_AT_MOST:
        return
    for style, colour in styles.items():
        places = _places(data, b' s="%d"' % style)
        if len(places) <= CELLS_OF_A_STYLE_AT_MOST and len(marks.fills) + len(places) <= MARKS_AT_MOST:
            marks.fills.update(dict.fromkeys(places, colour))


def _places(data: bytes, mark: bytes) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = data.find(mark)
    while at >= 0 and len(found) <= CELLS_OF_A_STYLE_AT_MOST:
        start = data.rfind(_CELL_START, max(0, at - _LONGEST_START), at)
        cell = _ADDRESS.match(data, start) if start >= 0 else None
        if cell is not None:
            found.append((int(cell[2]) - 1, column_index(cell[1].decode())))
        at = data.find(mark, at + len(mark))
    return found


def _children(styles: ET.Element, name: str) -> list[ET.Element]:
    return list(next((each for each in styles if _local(each) == name), ()))


def _fill_colour(fill: ET.Element) -> ET.Element | None:
    """Return the colour of a pattern, the first one of a gradient, or None for a fill without a colour."""
    if any(_local(each) == "patternFill" and each.get("patternType", "none") == "none" for each in fill):
        return None
    return next((each for each in fill.iter() if _local(each) in ("fgColor", "color")), None)


def _digits(colour: ET.Element, theme: tuple[str, ...]) -> str | None:
    """Return a colour's six hexadecimal digits; None for an unknown colour."""
    if found := _RGB.fullmatch(colour.get("rgb", "").upper()):
        digits = found[1]
    else:
        listed, place = (theme, colour.get("theme")) if colour.get("theme") else (_PALETTE, colour.get("indexed"))
        if place is None or not place.isdecimal() or int(place) >= len(listed):
            return None
        digits = listed[int(place)]
    return _tinted(digits, colour.get("tint"))


def _tinted(digits: str, tint: str | None) -> str:
    """Return the colour after a tint from -1 (black) to 1 (white), roughly as programs show it."""
    try:
        share = min(1.0, max(-1.0, float(tint or 0)))
    except ValueError:
        return digits
    parts = [int(digits[place : place + 2], 16) for place in (0, 2, 4)]
    shown = [part + (_MAX - part) * share if share > 0 else part * (1 + share) for part in parts]
    return "".join(f"{round(part):02X}" for part in shown)


def _theme(package: Package) -> tuple[str, ...]:
    """Return the colours of the workbook's theme; without one, those of a new workbook."""
    if _THEME not in package or package.size(_THEME) > INDEX_BYTES_AT_MOST:
        return _OFFICE
    try:
        named = {
            _local(each): str(next((part.get("lastClr") or part.get("val") for part in each), "")).upper()
            for scheme in tree(package, _THEME).iter()
            if _local(scheme) == "clrScheme"
            for each in scheme
        }
    except InputError:
        # readers of cells do not need this part: ignore its faults
        return _OFFICE
    found = zip(_THEME_ORDER, _OFFICE, strict=True)
    return tuple(named[name] if _HEX.fullmatch(named.get(name, "")) else usual for name, usual in found)


def _local(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]
