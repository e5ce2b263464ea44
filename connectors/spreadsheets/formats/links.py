"""Check a package's links: refuse it unless calamine loads exactly the parts that are searched here."""

from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree as ET

from connectors.spreadsheets.formats.package import XML_FAILURES, Package
from domain.problems import InputError, Problem

INDEX_BYTES_AT_MOST: Final = 4_000_000
SHEETS_AT_MOST: Final = 100
_ROOT: Final = "_rels/.rels"
_WORKBOOK: Final = "officedocument"
_INDEXES: Final = frozenset({"xl/workbook.xml", "xl/workbook.bin", "content.xml"})
_OF_SHEETS: Final = ("/worksheet", "/chartsheet", "/dialogsheet", "/macrosheet")


def check_root(package: Package, index: str) -> None:
    """Raise `InputError` for a package with a second workbook index, or with a link to one.

    calamine opens the workbook that the first links name, and tries several file formats in turn.
    """
    if any(other in package for other in _INDEXES - {index}):
        raise _damaged()
    if _ROOT not in package:
        return
    if b"&" in package.read(_ROOT):
        raise _damaged()
    for link in tree(package, _ROOT).iter():
        attributes = {name.rpartition("}")[2]: text.strip().lower() for name, text in link.items()}
        if attributes.get("Type", "").endswith(_WORKBOOK) and attributes.get("Target", "").lstrip("/") != index:
            raise _damaged()


def linked_parts(package: Package, links: str) -> dict[str, str]:
    """Return the parts of the sheets, by their ids in the workbook.

    Raises `InputError` if calamine might follow a link to a part other than the one that is searched here.
    """
    found = list(tree(package, links))
    # calamine reads the text of a link literally
    if len({link.get("Id", "") for link in found}) < len(found) or b"&" in package.read(links):
        raise _damaged()
    parts = {
        link.get("Id", ""): _part_of(link.get("Target", ""))
        for link in found
        if link.get("Type", "").endswith(_OF_SHEETS)
    }
    if any(f"xl/{part}" in package for part in parts.values()):
        raise _damaged()
    return parts


def check_sheets(names: Sequence[str], parts: Sequence[str]) -> None:
    """Raise `InputError` for too many sheets, and for two with one name (calamine's key) or one part."""
    if len(names) > SHEETS_AT_MOST:
        raise InputError(Problem("file.too_many_sheets", params={"limit": SHEETS_AT_MOST}))
    held = [part for part in parts if part]
    if len(set(names)) < len(names) or len(set(held)) < len(held):
        raise _damaged()


def tree(package: Package, name: str) -> ET.Element:
    """Return the parsed markup of a small part. Raises `InputError` for a broken, too large or missing one."""
    if name not in package or package.size(name) > INDEX_BYTES_AT_MOST:
        raise _damaged()
    try:
        # the package refused document types, so nothing here can expand
        return ET.fromstring(package.read(name))  # noqa: S314
    except XML_FAILURES as error:
        raise _damaged() from error


def _part_of(target: str) -> str:
    return target[1:] if target.startswith("/") else target if target.startswith("xl/") else f"xl/{target}"


def _damaged() -> InputError:
    return InputError(Problem("file.damaged"))
