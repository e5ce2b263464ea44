"""Names that the modules which read a workbook's XML share."""

from typing import Final

MAIN: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
NAMESPACE: Final = MAIN.strip("{}")
PIECE: Final = 1 << 20
"""Bytes to read from a part at a time."""

RowPosition = tuple[str, int]
"""Sheet name and row number (from 1), as a person sees them."""


class UnusualMarkup(Exception):
    """The sheet has markup that we do not read; the caller copies values instead."""
