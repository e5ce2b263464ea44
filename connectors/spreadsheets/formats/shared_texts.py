"""The texts that the cells of an XLSX workbook share, and how many bytes the cells take from them.

calamine copies a shared text to each cell: one long text in a million cells is a small file, but needs much memory.
"""

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

from connectors.spreadsheets.formats.sheets import Limits
from connectors.spreadsheets.formats.xml_chunks import pieces
from domain.problems import InputError, Problem

_SHORTEST_USE: Final = len('<c t="s"><v>0</v></c>')
_PLAIN_TEXT: Final = b"<si>"
_TEXT_START: Final = re.compile(rb"<(?:[A-Za-z_][\w.\-]{0,40}:)?si[\s/>]")
_PLAIN_USE: Final = re.compile(rb' t="s"[^<>]{0,40}+><(?:\w{1,9}:)?+v>(\d{1,9})</')
_USE: Final = re.compile(
    rb"""<(?:[^<>\s:]*+:)?+c(?=\s)(?=[^<>]*\st\s*+=\s*+["']s["'])[^<>]*+>\s*+"""
    rb"""(?:<(?:[^<>\s:]*+:)?+f(?=[\s/>])[^<>]*+(?:(?<=/)>|(?<!/)>[^<]*+</[^<>]*+>)\s*+)?+"""
    rb"""<(?:[^<>\s:]*+:)?+v(?=[\s>])[^<>]*+>\s*+(\d{1,9})"""
)


@dataclass(frozen=True, slots=True)
class SharedTexts:
    """The size in bytes of each shared text with its markup, and of the longest. There may be a million texts."""

    sizes: "array[int]"
    longest: int

    def fit(self, sheet_bytes: int, limit: int) -> bool:
        """Return whether cells in `sheet_bytes` bytes of XML surely take at most `limit` bytes from the texts."""
        return sheet_bytes // _SHORTEST_USE * self.longest <= limit

    def bytes_at_most(self, sheet: bytes, *, enough: int) -> int:
        """Return an upper bound of the bytes that a sheet's cells take from the texts.

        It is exact for the markup of common programs, unless a bound that costs less is at most `enough`.
        """
        # counting the letter `s`, which every use contains, is faster than counting the whole attribute
        if (letters := sheet.count(b"s")) * self.longest <= enough:
            return letters * self.longest
        # An upper bound: the attribute of a formula may have this value too.
        marks = sheet.count(b'"s"') + sheet.count(b"'s'")
        if marks * self.longest <= enough:
            return marks * self.longest
        total = plain = 0
        sizes, known = self.sizes, len(self.sizes)
        # a plain use begins with this text, so no use is split between two pieces
        for piece in pieces(sheet, b' t="'):
            numbers = _PLAIN_USE.findall(piece)
            plain += len(numbers)
            total += sum(sizes[number] for number in map(int, numbers) if number < known)
        return total + (marks - plain) * self.longest

    def exceed(self, sheets: Iterable[bytes], limit: int) -> bool:
        """Return whether the cells of these sheets take more than `limit` bytes; the search is thorough and slow."""
        total, known = 0, len(self.sizes)
        for sheet in sheets:
            for found in _USE.finditer(sheet):
                total += self.sizes[number] if (number := int(found[1])) < known else 0
                if total > limit:
                    return True
        return False


def shared_texts(texts: bytes, limits: Limits) -> SharedTexts:
    """Return the sizes of a workbook's shared texts; `texts` is the XML part that has them.

    Raises `InputError` for more texts than `limits.cells`.
    """
    _refuse_many(texts, limits)
    sizes = _sizes(texts)
    return SharedTexts(sizes, max(sizes, default=0))


def _refuse_many(texts: bytes, limits: Limits) -> None:
    # Check before `_sizes` allocates memory. The length is a cheap bound: few files need the search.
    if len(texts) // len("<si>") > limits.cells and any(islice(_TEXT_START.finditer(texts), limits.cells, None)):
        raise InputError(Problem("file.too_many_cells", params={"limit": limits.cells}))


def _sizes(texts: bytes) -> "array[int]":
    sizes = array("I")
    if texts.count(b"<si") == texts.count(_PLAIN_TEXT) and texts.find(b":si") < 0:
        for piece in pieces(texts, _PLAIN_TEXT):
            sizes.extend(map(len, piece.split(_PLAIN_TEXT)[1:]))
        return sizes
    before = None
    for found in _TEXT_START.finditer(texts):
        if before is not None:
            sizes.append(found.start() - before)
        before = found.start()
    if before is not None:
        sizes.append(len(texts) - before)
    return sizes
