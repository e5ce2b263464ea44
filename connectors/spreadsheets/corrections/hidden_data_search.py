"""Search a dropped workbook for our hidden data. A guarded process does it for `hidden_data`."""

import zipfile
from collections import defaultdict
from collections.abc import Iterator
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any, BinaryIO, Final
from xml.etree import ElementTree as ET

from connectors.spreadsheets.corrections.markup import MAIN, RowPosition, UnusualMarkup
from connectors.spreadsheets.corrections.original import Original
from connectors.spreadsheets.formats.sheet_metadata import column_index
from domain.corrections.row_tags import last_tag

FILE_PROPERTY: Final = "faturista_arquivo"
PART_BYTES_AT_MOST: Final = 32_000_000
_COMMENTS: Final = "/comments"
_ODS_NAMES: Final = ("table", "table-row", "annotation", "p")
_DIGEST_LENGTH: Final = 64


def find(content: bytes, _arguments: None, _spool: BinaryIO) -> dict[str, Any]:
    """Do the search of `read_hidden_data` in the guarded process."""
    tags, file_sha256 = _search(content)
    return {"tags": [(*position, tag) for position, tag in tags.items()], "file_sha256": file_sha256}


def _search(content: bytes) -> tuple[dict[RowPosition, str], str | None]:
    """Return the tags by position, and the digest of the source file."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as package:
            names = frozenset(package.namelist())
            if "content.xml" in names:
                return _first(_ods_tags(package)), _hint(package, "meta.xml", names)
            has_comments = any("comments" in name for name in names)
            tags = _first(_xlsx_tags(content, package, names)) if has_comments else {}
            return tags, _hint(package, "docProps/custom.xml", names)
    except (zipfile.BadZipFile, UnusualMarkup, ET.ParseError, KeyError, ValueError, OSError, RuntimeError):
        return {}, None


def _first(found: Iterator[tuple[RowPosition, int, str]]) -> dict[RowPosition, str]:
    by_row: defaultdict[RowPosition, dict[int, str]] = defaultdict(dict)
    for position, column, tag in found:
        by_row[position][column] = tag
    return {position: tags[min(tags)] for position, tags in by_row.items()}


def _xlsx_tags(
    content: bytes, package: zipfile.ZipFile, names: frozenset[str]
) -> Iterator[tuple[RowPosition, int, str]]:
    for sheet in Original(content).sheets:
        part = PurePosixPath(sheet.part)
        links = f"{part.parent}/_rels/{part.name}.rels"
        if links not in names:
            continue
        for link in _tree(package, links):
            if link.get("Type", "").endswith(_COMMENTS):
                for reference, text in _comments(_tree(package, _resolved(part, link.get("Target", "")))):
                    letters = reference.rstrip("0123456789")
                    tag = last_tag(text)
                    if tag is not None and letters.isalpha() and reference != letters:
                        row = int(reference.removeprefix(letters))
                        yield (sheet.name, row), column_index(letters.upper()), tag


def _resolved(part: PurePosixPath, target: str) -> str:
    """Return the part that a link names, from the package's root; `target` may be relative to `part`."""
    if target.startswith("/"):
        return target[1:]
    folder = part.parent
    while target.startswith("../"):
        folder, target = folder.parent, target.removeprefix("../")
    return str(folder / target)


def _comments(tree: ET.Element) -> Iterator[tuple[str, str]]:
    for comment in tree.iter(f"{MAIN}comment"):
        yield comment.get("ref", ""), "".join(text.text or "" for text in comment.iter(f"{MAIN}t"))


def _ods_tags(package: zipfile.ZipFile) -> Iterator[tuple[RowPosition, int, str]]:
    """Yield the position, column 0 and tag of each tagged annotation; one element may stand for several equal rows."""
    if package.getinfo("content.xml").file_size > PART_BYTES_AT_MOST:
        return
    sheet, row = "", 0
    lines: list[str] = []
    with package.open("content.xml") as part:
        for event, element in ET.iterparse(part, ("start", "end")):  # noqa: S314 - no document types: see `_tree`
            name = element.tag.rpartition("}")[2]
            if name not in _ODS_NAMES:
                continue
            if event == "start" and name == "table":
                sheet, row = _attribute(element, "name"), 0
            elif event == "start" and name == "annotation":
                lines = []
            elif event == "end" and name == "p":
                lines.append("".join(element.itertext()))
            elif event == "end" and name == "annotation" and (tag := last_tag("\n".join(lines))):
                yield (sheet, row + 1), 0, tag
            elif event == "end" and name == "table-row":
                row += int(_attribute(element, "number-rows-repeated") or 1)
                element.clear()


def _hint(package: zipfile.ZipFile, part: str, names: frozenset[str]) -> str | None:
    """Return the digest of the source file from the properties of either format, or None."""
    if part not in names:
        return None
    for element in _tree(package, part).iter():
        if _attribute(element, "name") == FILE_PROPERTY:
            text = "".join(element.itertext()).strip()
            return text if len(text) == _DIGEST_LENGTH and text.isalnum() else None
    return None


def _attribute(element: ET.Element, name: str) -> str:
    return next((value for key, value in element.items() if key.rpartition("}")[2] == name), "")


def _tree(package: zipfile.ZipFile, part: str) -> ET.Element:
    if package.getinfo(part).file_size > PART_BYTES_AT_MOST:
        raise UnusualMarkup("a part larger than any of ours")
    return ET.fromstring(package.read(part))  # noqa: S314 - the reader refuses document types
