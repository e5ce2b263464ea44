"""Opens a workbook, whatever file it came in, and refuses in words what is not one.

Everything that is hostile or wrong about the file as a whole is found here, before any cell is understood.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from connectors.spreadsheets.formats import delimited, ods, sniff, xls, xlsb, xlsx
from connectors.spreadsheets.formats.sheets import (
    Cell,
    CellError,
    FileKind,
    Limits,
    Row,
    Sheet,
    Uncalculated,
    Workbook,
)
from domain.problems import LayoutError, Problem

__all__ = [
    "Cell",
    "CellError",
    "FileKind",
    "Limits",
    "Row",
    "Sheet",
    "Uncalculated",
    "Workbook",
    "open_workbook",
]

_OPENERS: Final[Mapping[str, Callable[[bytes, Limits], Workbook]]] = {
    "xlsx": xlsx.open_xlsx,
    "xlsm": partial(xlsx.open_xlsx, kind="xlsm"),
    "xlsb": xlsb.open_xlsb,
    "xls": xls.open_xls,
    "ods": ods.open_ods,
    "csv": delimited.open_delimited,
}
_WITHOUT_MACROS: Final = {"xlsm": "xlsx"}
"""Macros are never run, so it does no harm when the name leaves them unsaid."""

_NOTHING: Final = b" \t\r\n\x00\xef\xbb\xbf"
_BEGINNING: Final = 4_096
_BROKEN: Final = {"damaged": "file.damaged", "binary": "file.damaged", "encrypted": "file.password"}


def open_workbook(source: Path | bytes, limits: Limits | None = None, *, name: str = "") -> Workbook:
    """The workbook in a file or in its bytes; `name` is the file's name as the person knows it.

    Raises `LayoutError` with a `file.*` problem for whatever cannot or may not be read.
    """
    limits = limits or Limits()
    content = _bytes(source, limits)
    # a look at the beginning first: stripping the whole would copy it
    if not content[:_BEGINNING].strip(_NOTHING) and not content.strip(_NOTHING):
        raise LayoutError(Problem("file.empty"))
    found = sniff.kind_by_content(content)
    named = sniff.kind_by_name(name or (source.name if isinstance(source, Path) else ""))
    if found in _BROKEN:
        raise LayoutError(Problem(_BROKEN[found]))
    if named is not None and _WITHOUT_MACROS.get(named, named) != _WITHOUT_MACROS.get(found, found):
        raise LayoutError(Problem("file.wrong_type", params={"named": named.upper(), "found": found.upper()}))
    if found == "csv" and isinstance(source, Path):
        return delimited.open_delimited(content, limits, path=source)
    opener = _OPENERS.get(found)
    if opener is None:
        raise LayoutError(Problem("file.unsupported", params={"found": found.upper()}))
    return opener(content, limits)


def _bytes(source: Path | bytes, limits: Limits) -> bytes:
    if isinstance(source, bytes):
        size, content = len(source), source
    else:
        size = source.stat().st_size
        with source.open("rb") as file:
            # one byte more than allowed tells "too large" without taking it all, or room for all that is allowed
            content = file.read(min(limits.file_bytes, size) + 1)
    if size > limits.file_bytes:
        params = {"size_mb": -(-size // 1_000_000), "limit_mb": limits.file_bytes // 1_000_000}
        raise LayoutError(Problem("file.too_large", params=params))
    return content
