"""Find unread columns with a document to bill that differs from the customer's own: `CNPJ Faturamento`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from connectors.spreadsheets import cells
from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.named_documents import SHAPED, document_in
from domain.documents import Document, ParsedDocument, parse_document

_HEADER: Final = re.compile(
    r"\b(?:cnpj|cpf|documento)\b.{0,30} (?:faturamento|fatura|faturar|notas?|nf|nfs|nfse|emissao|emitir|cobranca|"
    r"nov[oa]|corret[oa]|corrigid[oa]|atualizad[oa])\b|"
    r"^nov[oa] (?:cnpj|cpf|documento)\b"
)

_DIGITS: Final = re.compile(r"\d{3}\.?\d{3}")


def billing_columns(unused: Mapping[int, str]) -> tuple[int, ...]:
    """Return the unread columns whose headers name the document to bill."""
    return tuple(index for index, text in unused.items() if _HEADER.search(normalised(text)[:80]))


def names_documents(column: Sequence[Cell]) -> bool:
    """Return whether any cell of this column of names contains a document."""
    whole = " | ".join([cell for cell in column if type(cell) is str])
    # names rarely have so many digits, and a search for them costs a fraction
    return (_DIGITS.search(whole) is not None or "/" in whole) and SHAPED.search(whole) is not None


def other_documents(column: Sequence[Cell], documents: Sequence[Cell]) -> Iterator[tuple[int, Document]]:
    """Yield (index, document) for each cell of the column whose document is not that of its row in `documents`."""
    for place, cell in enumerate(column):
        if cell is None or cells.is_blank(cell):
            continue
        text = cells.as_text(cell)
        parsed = parse_document(document_in(text) or text)
        own = parse_document(cells.as_text(documents[place])) if place < len(documents) else None
        is_own = (
            isinstance(own, ParsedDocument) and isinstance(parsed, ParsedDocument) and own.document == parsed.document
        )
        if isinstance(parsed, ParsedDocument) and not is_own:
            yield place, parsed.document
