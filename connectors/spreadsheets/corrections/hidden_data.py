"""Read our hidden data in a dropped workbook: tags at the end of comments, and the digest of its source file.

The tag in the hidden column is an ordinary cell and not read here. Missing, odd or too large data are skipped: a
workbook without them is an ordinary one.
"""

import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any, BinaryIO, Final
from xml.etree import ElementTree as ET

from connectors.spreadsheets.corrections.parts import Original
from connectors.spreadsheets.corrections.row_extraction import MAIN, UnusualMarkup
from connectors.spreadsheets.formats.marks import column_index
from connectors.spreadsheets.formats.sheets import Limits
from connectors.spreadsheets.guard.client import run_guarded
from connectors.spreadsheets.workbook import bounds_of
from domain.corrections.row_tags import last_tag
from domain.problems import LayoutError

_PACKAGE: Final = b"PK"
FILE_PROPERTY: Final = "faturista_arquivo"
PART_BYTES_AT_MOST: Final = 32_000_000
_COMMENTS: Final = "/comments"
_ODS_NAMES: Final = ("table", "table-row", "annotation", "p")
_DIGEST_LENGTH: Final = 64

Place = tuple[str, int]
"""Sheet and row number as a person sees them."""


@dataclass(frozen=True, slots=True)
class HiddenData:
    """The hidden data. `tags` by place, one a row: of several comments the first. `file_sha256` is only a hint."""

    tags: Mapping[Place, str] = field(default_factory=dict)
    file_sha256: str | None = None


def read_hidden_data(content: bytes) -> HiddenData:
    """Return the hidden data of an XLSX, XLSM or ODS file, nothing for other files.

    A guarded process does the search.
    """
    if not content.startswith(_PACKAGE):
        return HiddenData()
    try:
        found = run_guarded(f"{__name__}:find", content, None, bounds=bounds_of(Limits()))
    except LayoutError:
        # the reader accepted the file before: if the search ends its process, it found nothing
        return HiddenData()
    return HiddenData({(str(sheet), int(row)): str(tag) for sheet, row, tag in found["tags"]}, found["file_sha256"])


def find(content: bytes, _arguments: None, _spool: BinaryIO) -> dict[str, Any]:
    """Do the search of `read_hidden_data` in the guarded process."""
    found = _search(content)
    return {"tags": [(*place, tag) for place, tag in found.tags.items()], "file_sha256": found.file_sha256}


def _search(content: bytes) -> HiddenData:
    try:
        with zipfile.ZipFile(BytesIO(content)) as package:
            names = frozenset(package.namelist())
            if "content.xml" in names:
                return HiddenData(_first(_ods_tags(package)), _hint(package, "meta.xml", names))
            has_comments = any("comments" in name for name in names)
            tags = _first(_xlsx_tags(content, package, names)) if has_comments else {}
            return HiddenData(tags, _hint(package, "docProps/custom.xml", names))
    except (zipfile.BadZipFile, UnusualMarkup, ET.ParseError, KeyError, ValueError, OSError, RuntimeError):
        return HiddenData()


def _first(found: Iterator[tuple[Place, int, str]]) -> dict[Place, str]:
    by_place: defaultdict[Place, dict[int, str]] = defaultdict(dict)
    for place, column, tag in found:
        by_place[place][column] = tag
    return {place: tags[min(tags)] for place, tags in by_place.items()}


def _xlsx_tags(content: bytes, package: zipfile.ZipFile, names: frozenset[str]) -> Iterator[tuple[Place, int, str]]:
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
    """Return a link's target as the package names it: from the root, or relative to the part."""
    if target.startswith("/"):
        return target[1:]
    folder = part.parent
    while target.startswith("../"):
        folder, target = folder.parent, target.removeprefix("../")
    return str(folder / target)


def _comments(tree: ET.Element) -> Iterator[tuple[str, str]]:
    for comment in tree.iter(f"{MAIN}comment"):
        yield comment.get("ref", ""), "".join(text.text or "" for text in comment.iter(f"{MAIN}t"))


def _ods_tags(package: zipfile.ZipFile) -> Iterator[tuple[Place, int, str]]:
    """Yield annotations by place; the file stores a run of equal rows once with its length."""
    if package.getinfo("content.xml").file_size > PART_BYTES_AT_MOST:
        return
    sheet, row = "", 0
    lines: list[str] = []
    with package.open("content.xml") as part:
        for event, element in ET.iterparse(part, ("start", "end")):  # noqa: S314 - no document types in what was taken
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
