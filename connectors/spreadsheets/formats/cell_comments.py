"""Find the comments and the struck-through texts of an XLSX sheet."""

import re
from collections.abc import Collection, Iterator, Mapping
from posixpath import dirname, join, normpath
from typing import Final
from xml.etree import ElementTree as ET

from connectors.spreadsheets.formats.links import tree
from connectors.spreadsheets.formats.package import Package
from connectors.spreadsheets.formats.sheet_metadata import MARKS_AT_MOST, OUR_AUTHOR, SheetMetadata, column_index
from domain.problems import InputError

LONGEST: Final = 2_000
_KINDS: Final = ("/comments", "/threadedComment")
_ADDRESS: Final = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_CELL: Final = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,7})"([^<>]*+)>(?:<v>(\d{1,9})</v>)?+')
_STYLE: Final = re.compile(rb'\bs="(\d{1,5})"')
_SHARED: Final = b't="s"'
_TEXT_START: Final = re.compile(rb"<si[\s/>]")
_RUN_START: Final = b"<r>"
_STRIKE: Final = b"<strike"
_NO_STRIKE: Final = re.compile(rb'<strike val="(?:0|false)"')
_RUN_TEXT: Final = re.compile(rb"<t(?: [^<>]*+)?>([^<]++)")
_CELL_START: Final = b'<c r="'
_CELL_END: Final = b"</c>"
_LONGEST_CELL: Final = 200_000
_TEXTS_BYTES_AT_MOST: Final = 8_000_000


def struck_styles(styles: ET.Element) -> frozenset[int]:
    """Return the indexes of the cell styles with struck-through text."""
    fonts = next((each for each in styles if _local(each) == "fonts"), ())
    struck = {str(index) for index, font in enumerate(fonts) if any(map(_is_stroke, font))}
    cells = next((each for each in styles if _local(each) == "cellXfs"), ())
    return frozenset(index for index, style in enumerate(cells) if style.get("fontId", "0") in struck)


def struck_texts(texts: bytes) -> dict[int, bool]:
    """Return by index the shared texts with struck-through words, and whether all words of the text are."""
    if _STRIKE not in texts or len(texts) > _TEXTS_BYTES_AT_MOST:
        return {}
    judged = ((index, _strokes(text)) for index, text in enumerate(_TEXT_START.split(texts)[1:]) if _STRIKE in text)
    return {index: all(strokes) for index, strokes in judged if any(strokes)}


def mark_struck(data: bytes, styles: Collection[int], texts: Mapping[int, bool], marks: SheetMetadata) -> None:
    """Add a sheet's struck-through cells to `marks`, by cell style or by text. `texts` come from `struck_texts`."""
    _mark_inline(data, marks)
    if not styles and not texts:
        return
    for found in _CELL.finditer(data):
        style = _STYLE.search(found[3])
        is_whole: bool | None = True if style is not None and int(style[1]) in styles else None
        if is_whole is None and found[4] is not None and _SHARED in found[3]:
            is_whole = texts.get(int(found[4]))
        if is_whole is not None:
            _add_stroke(found, marks, is_whole=is_whole)


def _mark_inline(data: bytes, marks: SheetMetadata) -> None:
    """Add the cells with struck-through words whose text is in the sheet's own XML."""
    at, end = data.find(_STRIKE), 0
    for _ in range(MARKS_AT_MOST):
        if at < 0:
            return
        start = data.rfind(_CELL_START, max(end, at - _LONGEST_CELL), at)
        end = data.find(_CELL_END, at)
        found = _CELL.match(data, start) if 0 <= start < end <= start + _LONGEST_CELL else None
        strokes = _strokes(data[start:end]) if found else []
        if found and any(strokes):
            _add_stroke(found, marks, is_whole=all(strokes))
        at = data.find(_STRIKE, end) if end >= 0 else -1


def _add_stroke(cell: re.Match[bytes], marks: SheetMetadata, *, is_whole: bool) -> None:
    places = marks.struck if is_whole else marks.part_struck
    if len(places) < MARKS_AT_MOST:
        places.add((int(cell[2]) - 1, column_index(cell[1].decode())))


def mark_comments(package: Package, part: str, marks: SheetMetadata) -> None:
    """Add the comments on the cells of the sheet in this part to `marks`; skip those that we wrote."""
    links = join(dirname(part), "_rels", f"{part.rpartition('/')[2]}.rels")
    if links not in package:
        return
    try:
        for link in tree(package, links).iter():
            target = normpath(join(dirname(part), link.get("Target", ""))).lstrip("/")
            if link.get("Type", "").endswith(_KINDS) and target in package:
                for reference, text in _comments(tree(package, target)):
                    _add(reference, text, marks)
    except InputError:
        # readers of cells do not need this part: ignore its faults
        return


def _comments(root: ET.Element) -> Iterator[tuple[str, str]]:
    authors = [each.text or "" for each in root.iter() if _local(each) == "author"]
    for comment in root.iter():
        if _local(comment) not in ("comment", "threadedComment"):
            continue
        author = comment.get("authorId", "")
        if author.isdecimal() and int(author) < len(authors) and authors[int(author)] == OUR_AUTHOR:
            continue
        yield (
            comment.get("ref", ""),
            "".join(each.text or "" for each in comment.iter() if _local(each) in ("t", "text")),
        )


def _add(reference: str, text: str, marks: SheetMetadata) -> None:
    found = _ADDRESS.fullmatch(reference)
    if found and text.strip() and len(marks.comments) < MARKS_AT_MOST:
        marks.comments[int(found[2]) - 1, column_index(found[1])] = text.strip()[:LONGEST]


def _strokes(text: bytes) -> list[bool]:
    """Return, for each run of a text that is not blank, whether it is struck through."""
    runs = [run for run in text.split(_RUN_START)[1:] if any(map(bytes.strip, _RUN_TEXT.findall(run)))]
    return [_STRIKE in run and not _NO_STRIKE.search(run) for run in runs]


def _is_stroke(part: ET.Element) -> bool:
    return _local(part) == "strike" and part.get("val", "1") not in ("0", "false")


def _local(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]
