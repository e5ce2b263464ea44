"""People's marks on cells of an XLSX sheet: comments and strike-through."""

import re
from collections.abc import Collection, Iterator
from posixpath import dirname, join, normpath
from typing import Final
from xml.etree import ElementTree as ET

from connectors.spreadsheets.formats.links import tree
from connectors.spreadsheets.formats.marks import MARKS_AT_MOST, OUR_AUTHOR, Marks, column_index
from connectors.spreadsheets.formats.package import Package
from domain.problems import LayoutError

LONGEST: Final = 2_000
_KINDS: Final = ("/comments", "/threadedComment")
_ADDRESS: Final = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_CELL: Final = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,7})"([^<>]*+)>(?:<v>(\d{1,9})</v>)?+')
_STYLE: Final = re.compile(rb'\bs="(\d{1,5})"')
_SHARED: Final = b't="s"'
_TEXT_START: Final = re.compile(rb"<si[\s/>]")
_RUN_START: Final = b"<r>"
_STRIKE: Final = b"<strike"
_TEXTS_BYTES_AT_MOST: Final = 8_000_000


def struck_styles(styles: ET.Element) -> frozenset[int]:
    """Return the indexes of the cell styles with struck-through text."""
    fonts = next((each for each in styles if _local(each) == "fonts"), ())
    struck = {str(index) for index, font in enumerate(fonts) if any(map(_is_stroke, font))}
    cells = next((each for each in styles if _local(each) == "cellXfs"), ())
    return frozenset(index for index, style in enumerate(cells) if style.get("fontId", "0") in struck)


def struck_texts(texts: bytes) -> frozenset[int]:
    """Return the indexes of the shared texts that are struck through completely."""
    if _STRIKE not in texts or len(texts) > _TEXTS_BYTES_AT_MOST:
        return frozenset()
    return frozenset(index for index, text in enumerate(_TEXT_START.split(texts)[1:]) if _is_struck(text))


def mark_struck(data: bytes, styles: Collection[int], texts: Collection[int], marks: Marks) -> None:
    """Mark the struck-through cells in a sheet's XML, by their style or in their text."""
    if not styles and not texts:
        return
    for found in _CELL.finditer(data):
        style = _STYLE.search(found[3])
        is_struck = style is not None and int(style[1]) in styles
        is_struck = is_struck or (found[4] is not None and _SHARED in found[3] and int(found[4]) in texts)
        if is_struck and len(marks.struck) < MARKS_AT_MOST:
            marks.struck.add((int(found[2]) - 1, column_index(found[1].decode())))


def mark_comments(package: Package, part: str, marks: Marks) -> None:
    """Mark the comments on the cells of the sheet in this part, without our own."""
    links = join(dirname(part), "_rels", f"{part.rpartition('/')[2]}.rels")
    if links not in package:
        return
    try:
        for link in tree(package, links).iter():
            target = normpath(join(dirname(part), link.get("Target", ""))).lstrip("/")
            if link.get("Type", "").endswith(_KINDS) and target in package:
                for reference, text in _comments(tree(package, target)):
                    _add(reference, text, marks)
    except LayoutError:
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


def _add(reference: str, text: str, marks: Marks) -> None:
    found = _ADDRESS.fullmatch(reference)
    if found and text.strip() and len(marks.comments) < MARKS_AT_MOST:
        marks.comments[int(found[2]) - 1, column_index(found[1])] = text.strip()[:LONGEST]


def _is_struck(text: bytes) -> bool:
    runs = text.split(_RUN_START)[1:]
    return bool(runs) and all(_STRIKE in run and b'<strike val="0"' not in run for run in runs)


def _is_stroke(part: ET.Element) -> bool:
    return _local(part) == "strike" and part.get("val", "1") not in ("0", "false")


def _local(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]
