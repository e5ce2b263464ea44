"""Read the parts of a person's workbook: its sheets, its texts, and the parts that are copied unchanged."""

import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import IO, Final
from xml.etree import ElementTree as ET

from connectors.spreadsheets.corrections.markup import MAIN, NAMESPACE, PIECE, UnusualMarkup

OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml"
INDEX: Final = "xl/workbook.xml"
TEXTS: Final = "xl/sharedStrings.xml"
COPIED: Final = {
    "xl/styles.xml": ("styles", f"{TYPE}.styles+xml"),
    "xl/theme/theme1.xml": ("theme", "application/vnd.openxmlformats-officedocument.theme+xml"),
}
_ITEM: Final = re.compile(rb"<si\s*+/>|<si(?=[\s>])[^<>]*+>(?:[^<]++|<(?!/?si[\s/>]))*+</si>")
_ITEM_END: Final = b"</si>"
_LONGEST_ITEM: Final = 4 << 20


@dataclass(frozen=True, slots=True)
class ListedSheet:
    """A worksheet as the workbook's index lists it: its name, its part in the package, its visibility."""

    name: str
    part: str
    state: str


class Original:
    """The person's file, opened once; the reader checked it before. Raises `UnusualMarkup` for unusual packages."""

    def __init__(self, content: bytes) -> None:
        try:
            self._package = zipfile.ZipFile(BytesIO(content))
            self._names = frozenset(self._package.namelist())
            index = ET.fromstring(self._package.read(INDEX))  # noqa: S314 - the reader refuses document types
            links = ET.fromstring(self._package.read("xl/_rels/workbook.xml.rels"))  # noqa: S314
        except (zipfile.BadZipFile, KeyError, ET.ParseError, OSError, RuntimeError) as error:
            raise UnusualMarkup("no package of the usual shape") from error
        flag = index.find(f"{MAIN}workbookPr")
        self.counts_from_1904 = flag is not None and flag.get("date1904") in ("1", "true", "on")
        self.sheets = tuple(self._listed(index, links))
        if not self.sheets:
            raise UnusualMarkup("no worksheets in the usual namespace")

    def open(self, part: str) -> IO[bytes]:
        """Open a part's bytes as a stream."""
        return self._package.open(part)

    def copied(self) -> Iterator[tuple[str, bytes]]:
        """Yield the parts that are copied unchanged."""
        for name in COPIED:
            if name in self._names:
                yield name, self._package.read(name)

    def texts(self, wanted: Mapping[int, int]) -> list[bytes]:
        """Return the shared texts by their new numbers; `wanted` maps old to new numbers."""
        found: list[bytes] = [b"<si><t/></si>"] * len(wanted)
        if not wanted or TEXTS not in self._names:
            return found
        last = max(wanted)
        with self.open(TEXTS) as part:
            for number, item in enumerate(_items(part)):
                if number in wanted:
                    found[wanted[number]] = item
                if number >= last:
                    break
        return found

    def _listed(self, index: ET.Element, links: ET.Element) -> Iterator[ListedSheet]:
        targets = {link.get("Id"): link.get("Target", "") for link in links if _is_worksheet(link)}
        for sheet in index.iterfind(f"{MAIN}sheets/{MAIN}sheet"):
            target = targets.get(next((value for key, value in sheet.items() if key.endswith("}id")), ""))
            if target:
                part = target[1:] if target.startswith("/") else f"xl/{target.removeprefix('xl/')}"
                if part not in self._names:
                    raise UnusualMarkup("a sheet without its part")
                yield ListedSheet(sheet.get("name", ""), part, sheet.get("state", "visible"))


def text_of(item: bytes) -> str:
    """Return a shared text without its formatting."""
    try:
        tree = ET.fromstring(item.replace(b"<si", f'<si xmlns="{NAMESPACE}"'.encode(), 1))  # noqa: S314
    except ET.ParseError as error:
        raise UnusualMarkup("a text that cannot be read") from error
    return "".join(text.text or "" for text in tree.iter(f"{MAIN}t"))


def _items(part: IO[bytes]) -> Iterator[bytes]:
    held = b""
    is_first = True
    while piece := part.read(PIECE):
        held += piece
        if is_first and b"<sst" not in held[:2_000]:
            raise UnusualMarkup("prefixed markup")
        is_first = False
        end = held.rfind(_ITEM_END) + len(_ITEM_END)
        if end >= len(_ITEM_END):
            yield from _ITEM.findall(held[:end])
            held = held[end:]
        if len(held) > _LONGEST_ITEM:
            raise UnusualMarkup("a text without an end")
    yield from _ITEM.findall(held)


def _is_worksheet(link: ET.Element) -> bool:
    return link.get("Type", "").endswith("/worksheet")
