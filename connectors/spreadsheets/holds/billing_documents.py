"""Find unread columns of whom to bill that name somebody else: `CNPJ Faturamento`, `Faturar em nome de`."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.headers.header_pairs import BARE, is_of_somebody_else
from connectors.spreadsheets.headers.layouts import Header
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.parsers.named_documents import SHAPED, document_in, is_document
from connectors.spreadsheets.rows.row_facts import first_rows
from domain.documents import Document, ParsedDocument, parse_document
from domain.names import are_alike

_HEADER: Final = re.compile(
    r"\b(?:cnpj|cpf|documento)\b.{0,30} (?:faturamento|fatura|faturar|notas?|nf|nfs|nfse|emissao|emitir|cobranca|"
    r"nov[oa]|corret[oa]|corrigid[oa]|atualizad[oa])\b|"
    r"^nov[oa] (?:cnpj|cpf|documento)\b"
)

_OTHER_PARTY: Final = re.compile(
    r"\b(?:administradora|intermediador|parceir|segurador|operadora|contab|plataforma|marketplace|unidade|obra|loja|"
    r"polo|matriz|usuari|login|chave|pix)"
)
"""Words of documents that do not name who gets the invoice."""

_ACT: Final = r"(?:fac?turar?|faturad[oa]|faturamento|emitir|emitid[oa]|emissao|cobrar|cobranca|bill(?:ed)?|invoiced?)"
_PAPER: Final = r"(?:nfs?(?: e)?|nfse|notas?(?: fisca(?:l|is))?|recibos?)"
_PAYER: Final = re.compile(
    rf"(?:{_ACT}|(?:{_ACT} (?:a )?)?{_PAPER}) (?:para|contra|to|a|(?:em|no) nome(?: d[aeo])?)|em nome d[aeo]|"
    r"(?:(?:empresa|cliente) )?pagador(?:a)?|quem paga"
)
"""A header of the customer on the invoice: `Faturar para`, `Emitir nota em nome de`."""
_NAMED: Final = re.compile(
    rf"(?:(?:nome|razao social|cliente|tomador|destinatario|titular)(?: (?:para|n[ao]|d[aeo]|em))?(?: a)?|billing) "
    rf"(?:{_ACT}|{_PAPER}|name|company)|sacado"
)
"""A header of that customer's name. Where most names differ, it is the legal name beside the usual one."""
_SELF: Final = re.compile(r"\b(?:propri[oa]|mesm[oa]|idem|cliente|tomador)\b|@")
"""Words in place of the name of the row's own customer, and addresses."""
_DIGITS: Final = re.compile(r"\d{3}\.?\d{3}")


def billing_columns(header: Header) -> tuple[int, ...]:
    """Return the unread columns with the document to bill, by their headers or by the cells of the first rows.

    The cells decide only if neither the column's header nor that of the customer's document names a party (`CNPJ
    Tomador`): then at most half of the rows must have another document than the customer's, alone or in a text.
    """
    document = header.columns.get("document", -1)
    is_bare = normalised(header.texts.get(document, "")) in BARE
    sample = first_rows(header) if is_bare else []
    return tuple(
        index
        for index, text in header.unused.items()
        if _HEADER.search(name := normalised(text)[:80])
        or (not is_other_party(name) and _are_exceptions(sample, index, document))
    )


def names_payer(header: Header, index: int) -> bool:
    """Return whether an unread column names the customer on the invoice, by its header and the first rows."""
    bare, name = normalised(header.texts[index]), header.columns.get("name")
    if name is None or not _NAMED.fullmatch(bare):
        return _PAYER.fullmatch(bare) is not None
    rows = [row for row in first_rows(header) if name < len(row)]
    return 2 * sum(index < len(row) and is_other_name(row[index], row[name]) for row in rows) <= len(rows)


def is_other_name(cell: Cell, own: Cell) -> bool:
    """Return whether a cell has another customer's name than `own`."""
    if not isinstance(cell, str) or not isinstance(own, str) or cell == own or cells.says_nothing(cell):
        return False
    return any(map(str.isalpha, cell)) and not _SELF.search(cells.plain(cell)) and not are_alike(own, cell)


def is_other_party(header: str) -> bool:
    """Return whether a normalised header of documents names a party that is not billed."""
    return is_of_somebody_else(header) or _OTHER_PARTY.search(header) is not None


def _are_exceptions(sample: Sequence[Sequence[Cell]], index: int, document: int) -> bool:
    """Return whether each filled cell has a document, and some rows, at most half, another one than the customer's."""
    column, own = ([row[place] if place < len(row) else None for row in sample] for place in (index, document))
    filled = [cell for cell in column if not cells.is_blank(cell)]
    if not all(isinstance(cell, str) and (document_in(cell) or is_document(cell)) for cell in filled):
        return False
    return 0 < sum(1 for _ in other_documents(column, own)) <= len(sample) / 2


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
