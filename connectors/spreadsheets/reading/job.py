"""Read a file within a guarded process."""

from collections.abc import Mapping
from typing import Any, BinaryIO

from connectors.spreadsheets.formats.sheets import Limits
from connectors.spreadsheets.formats.values import MarkedSheet
from connectors.spreadsheets.reading.opening import open_here
from connectors.spreadsheets.reading.spool import write_sheet


def read(content: bytes, arguments: Mapping[str, Any], spool: BinaryIO) -> dict[str, Any]:
    """Open the file, write its cells to the spool and return everything else about it.

    Raises:
        InputError: With a `file.*` problem for a file that cannot or may not be read.
    """
    workbook = open_here(content, Limits(**arguments["limits"]), name=arguments["name"])
    del content
    return {
        "kind": workbook.kind,
        "facts": dict(workbook.facts),
        "hidden_sheets": workbook.hidden_sheets,
        "sheets": [write_sheet(spool, sheet) for sheet in workbook.sheets if isinstance(sheet, MarkedSheet)],
    }
