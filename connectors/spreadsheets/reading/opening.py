"""Open a workbook of any format, and refuse other files.

This runs in the guarded process. It finds everything hostile or wrong about the whole file.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from connectors.spreadsheets.formats import delimited, html_tables, ods, sniff, xls, xlsb, xlsx
from connectors.spreadsheets.formats.sheets import Limits, Workbook
from domain.problems import InputError, Problem

_OPENERS: Final[Mapping[str, Callable[[bytes, Limits], Workbook]]] = {
    "xlsx": xlsx.open_xlsx,
    "xlsm": partial(xlsx.open_xlsx, kind="xlsm"),
    "xlsb": xlsb.open_xlsb,
    "xls": xls.open_xls,
    "ods": ods.open_ods,
    "csv": delimited.open_delimited,
    "html": html_tables.open_html,
}
_WITHOUT_MACROS: Final = {"xlsm": "xlsx"}
"""A file with macros may have the name of one without, because macros are never run."""

_ALSO_NAMED: Final = frozenset({("xls", "csv"), ("xls", "html"), ("csv", "html")})
"""Accepted pairs of extension and content: web systems save them, and spreadsheet programs open them with a warning."""
_NOTHING: Final = b" \t\r\n\x00\xef\xbb\xbf"
_BEGINNING: Final = 4_096
_BROKEN: Final = {"damaged": "file.damaged", "binary": "file.damaged", "encrypted": "file.password"}


def open_here(content: bytes, limits: Limits, *, name: str = "") -> Workbook:
    """Open the workbook in these bytes within this process.

    Args:
        content: The bytes of the file.
        limits: The limits of the file.
        name: The file's name for people; its extension must fit the content.

    Raises:
        InputError: With a `file.*` problem for a file that cannot or may not be read.
    """
    # check the beginning first: stripping everything would copy it
    if not content[:_BEGINNING].strip(_NOTHING) and not content.strip(_NOTHING):
        raise InputError(Problem("file.empty"))
    found = sniff.kind_by_content(content)
    named = sniff.kind_by_name(name)
    if found in _BROKEN:
        raise InputError(Problem(_BROKEN[found]))
    is_other = named is not None and _WITHOUT_MACROS.get(named, named) != _WITHOUT_MACROS.get(found, found)
    if named is not None and is_other and (named, found) not in _ALSO_NAMED:
        raise InputError(Problem("file.wrong_type", params={"named": named.upper(), "found": found.upper()}))
    opener = _OPENERS.get(found)
    if opener is None:
        raise InputError(Problem("file.unsupported", params={"found": found.upper()}))
    return opener(content, limits)
