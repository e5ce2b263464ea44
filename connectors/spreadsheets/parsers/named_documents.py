"""Read names and documents from one column: `Padaria Trigo Ltda - 11.222.333/0001-81`."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from connectors.spreadsheets.formats.sheets import Cell, Row, Sheet
from domain.documents import ParsedDocument, parse_document

_SAMPLED: Final = 50
_LONGEST: Final = 300
SHAPED: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}/?[0-9A-Z]{4}-?\d{2}|\d{3}\.?\d{3}\.?\d{3}-?\d{2})"
    r"(?![0-9A-Za-z])"
)
"""The form of a document among words."""
_LABEL: Final = re.compile(r"\b(?:CNPJ|CPF)(?:/(?:CNPJ|CPF))?\b ?(?:n[ºo°]\.?)?:?", re.IGNORECASE)
_AROUND: Final = " -–—|/,;:()[]"


def has_documents(rows: Iterable[Row], place: int) -> bool:
    """Return whether at least half of the first texts with letters in a column hold one document."""
    texts = (row.cells[place] for row in islice(rows, _SAMPLED) if place < len(row.cells))
    found = [document_in(text) is not None for text in texts if isinstance(text, str) and any(map(str.isalpha, text))]
    return any(found) and sum(found) >= len(found) / 2


def document_in(text: str) -> str | None:
    """Return the only document in a text; None if there is none or more than one."""
    found = [each for each in SHAPED.findall(text[:_LONGEST]) if isinstance(parse_document(each), ParsedDocument)]
    return found[0] if len(found) == 1 else None


def is_document(cell: Cell) -> bool:
    """Return whether a cell is the text of a CPF or CNPJ."""
    return isinstance(cell, str) and isinstance(parse_document(cell), ParsedDocument)


def name_beside(text: str) -> str:
    """Return a text without its document and the words about it."""
    bare = _LABEL.sub(" ", SHAPED.sub(" ", text[:_LONGEST]))
    return " ".join(bare.split()).strip(_AROUND)


def place_of_both(fields: Sequence[str | None], sheet: Sheet, header: int) -> int | None:
    """Return the column of names if it has the documents as well, or None.

    A sheet with a column of documents gives None. `header` is the number of the header row.
    """
    if "document" in fields or "name" not in fields:
        return None
    place = fields.index("name")
    rows = (row for row in sheet.rows() if row.number > header)
    return place if has_documents(rows, place) else None
