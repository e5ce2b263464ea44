"""Read our hidden data in a dropped workbook: tags at the end of comments, and the digest of its source file.

The tag in the hidden column is an ordinary cell and not read here. Missing, odd or too large data are skipped: a
workbook without them is an ordinary one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from connectors.spreadsheets.corrections.markup import RowPosition
from connectors.spreadsheets.formats.sheets import Limits
from connectors.spreadsheets.guard.client import run_guarded
from connectors.spreadsheets.workbook import HIDDEN_DATA, bounds_of
from domain.problems import InputError

_PACKAGE: Final = b"PK"


@dataclass(frozen=True, slots=True)
class HiddenData:
    """The tag of each row, by sheet and row number, and the digest of the source file, which may be wrong.

    Of several comments with tags in a row, the leftmost counts in XLSX, the last in ODS.
    """

    tags: Mapping[RowPosition, str] = field(default_factory=dict)
    file_sha256: str | None = None


def read_hidden_data(content: bytes) -> HiddenData:
    """Return the hidden data of an XLSX, XLSM or ODS file, nothing for other files.

    A guarded process does the search.
    """
    if not content.startswith(_PACKAGE):
        return HiddenData()
    try:
        found = run_guarded(HIDDEN_DATA, content, None, bounds=bounds_of(Limits()))
    except InputError:
        # The reader accepted the file before: a search that fails or crashes counts as one that finds nothing.
        return HiddenData()
    return HiddenData({(str(sheet), int(row)): str(tag) for sheet, row, tag in found["tags"]}, found["file_sha256"])
