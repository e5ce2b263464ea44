"""Extract the ordinary rows of an XLSX sheet in one pass over its XML.

Nearly all rows of a large sheet are ordinary: each has a number, plain cell addresses of that row, cells with or
without a value, and in each column a number format of earlier rows. Most have exactly the cells that the first rows
predict. The other rows are few. Only they need the searches for errors, missing results, hidden rows and odd markup.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from connectors.spreadsheets.formats.sheet_metadata import column_index
from connectors.spreadsheets.formats.xml_chunks import pieces

_Seen: TypeAlias = Counter[tuple[bytes, bytes]]
"""The number of a column's cells for each pair of style and shared-text mark (` t="s"` or empty)."""

STYLES_AT_MOST: Final = 100
"""With more number styles than this, a pattern of all styles would cost more than it saves."""
_SAMPLE_BYTES: Final = 200_000
_SAMPLE_CELL: Final = re.compile(rb'<c r="([A-Z]{1,3})\d{1,7}"(?: s="(0|[1-9]\d{0,4})")?( t="s")?')
_WIDTHS: Final = ((26, rb"[A-Z]"), (52, rb"A?[A-Z]"), (104, rb"[A-C]?[A-Z]"))

_BLANK_ROW: Final = re.compile(
    rb'<row r="\d{1,7}"(?: [^<>/]*+)?(?:/>|>(?:<c r="[A-Z]{1,3}\d{1,7}"(?: s="\d{1,5}")?+/>)*+</row>)'
)
_ROW: Final = rb'<row r="(\d{1,7})"(?: (?!hidden="(?:1|true)|ht="[01][".])[A-Za-z0-9:]{1,30}="[^"<>]{0,60}")*+>'
_TEXT: Final = rb'<c r="%b\1"(?: s="\d{1,5}")?+ t="s"><v>\d++</v></c>'
_OTHER: Final = rb'<c r="(?:%b)(?: t="(?:str|b|n|inlineStr)")?+(?:/>|>(?:%b|%b)</c>)'
_VALUE: Final = rb"(?:<f(?: [^<>]*+)?>(?:[^<>]*+</f>)?+)?<v>[^<>\s][^<>]*+</v>"
_INLINE: Final = rb"<is><t(?: [^<>]*+)?>[^<>]*+</t></is>"
_STYLED: Final = rb'(?:%b)\1" s="(?:%b)"'
_UNSTYLED: Final = rb'%b%b\1"(?: s="%b\d{1,5}")?+'
_EXPECTED_TEXT: Final = rb'(?:<c r="%b\1"%b(?: t="s"><v>\d++</v></c>|/>))?+'
_EXPECTED: Final = rb'(?:<c r="%b\1"%b(?:>%b</c>|/>))?+'


@dataclass(frozen=True, slots=True)
class UsualRows:
    """The ordinary rows: their row numbers and the most columns that they may have; `rest` is the remaining XML.

    `kinds` maps a column's index to its number format in all these rows, as in `SheetMetadata.formats`.
    """

    numbers: tuple[int, ...]
    width: int
    kinds: Mapping[int, int]
    rest: bytes


def set_aside(data: bytes, formats: Mapping[int, int]) -> UsualRows:
    """Return the ordinary rows of a sheet's XML; `formats` maps a cell style's index to its number format."""
    if len(formats) > STYLES_AT_MOST:
        return UsualRows((), 0, {}, data)
    start = max(data.find(b"<sheetData"), 0)
    seen: dict[bytes, _Seen] = defaultdict(Counter)
    for letters, style, text in _SAMPLE_CELL.findall(data, start, start + _SAMPLE_BYTES):
        seen[letters][style, text] += 1
    shown = {letters: _kind_of(each, formats) for letters, each in seen.items()}
    kinds = {letters: kind for letters, kind in shown.items() if kind}
    places = {column_index(letters.decode()): letters for letters in seen}
    width, columns = next((each for each in _WIDTHS if max(places, default=0) < each[0]), _WIDTHS[-1])
    expected = [
        _expected(places[index], seen[places[index]], shown[places[index]], formats)
        for index in sorted(places)
        if index < width
    ]
    pattern = _pattern(columns, kinds, formats, b"".join(expected))
    numbers: list[int] = []
    rest: list[bytes] = []
    for stripe in pieces(data, b"<row "):  # rows do not nest
        found = pattern.split(stripe)
        numbers.extend(map(int, found[1::2]))
        rest.extend(filter(None, found[::2]))
    by_index = {index: kinds[letters] for index, letters in places.items() if letters in kinds}
    # a space keeps two pieces from joining into one tag, and means nothing before a row's tag
    return UsualRows(tuple(numbers), width, by_index, b" ".join(rest))


def without_blank_rows(data: bytes) -> bytes:
    """Return the sheet's XML without rows that have only formats: one click on a column makes a million of them."""
    return b" ".join(filter(None, _BLANK_ROW.split(data)))


def _kind_of(seen: _Seen, formats: Mapping[int, int]) -> int:
    kinds: Counter[int] = Counter()
    for (style, _), count in seen.items():
        kinds[formats.get(int(style or 0), 0)] += count
    return kinds.most_common(1)[0][0]


def _expected(letters: bytes, seen: _Seen, kind: int, formats: Mapping[int, int]) -> bytes:
    """Return the pattern of the most frequent cell of a column, with the column's number format."""
    alike = [each for each in seen if formats.get(int(each[0] or 0), 0) == kind]
    style, text = max(alike, key=seen.__getitem__)
    styled = b' s="%b"' % style if style else b""
    return _EXPECTED_TEXT % (letters, styled) if text else _EXPECTED % (letters, styled, _VALUE)


def _pattern(
    columns: bytes, kinds: Mapping[bytes, int], formats: Mapping[int, int], expected: bytes
) -> re.Pattern[bytes]:
    named, listed = _any_of(kinds), _any_of(str(style).encode() for style in formats)
    cells = [
        _STYLED
        % (
            _any_of(letters for letters, each in kinds.items() if each == kind),
            _any_of(str(style).encode() for style, each in formats.items() if each == kind),
        )
        for kind in sorted(set(kinds.values()))
    ]
    cells.append(
        _UNSTYLED % (rb"(?!(?:%b)\d)" % named if kinds else b"", columns, rb'(?!(?:%b)")' % listed if formats else b"")
    )
    other = _OTHER % (b"|".join(cells), _VALUE, _INLINE)
    # the expected cells come first: they match in half the time; then texts, the most frequent others
    return re.compile(rb"%b%b(?:%b|%b)*+</row>" % (_ROW, expected, _TEXT % columns, other))


def _any_of(texts: Iterable[bytes]) -> bytes:
    return b"|".join(sorted(texts))
