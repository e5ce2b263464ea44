"""Refuse to bill a file for another company than an earlier request named for the same bytes."""

from connectors.ledger.sheets.requested_emitters import other_requested_emitter
from domain.documents import Document
from domain.problems import InputError, Problem
from tasks.runtime import Context


def refuse_other_emitter(context: Context, file_id: int, cnpj: str | None) -> None:
    """Raise `InputError` if a request named another company for these bytes than `cnpj`, and its rows bill there.

    A new reading would skip the rows that have an invoice, and bill the others for this company: a mixture that nobody
    asked for. A second invoice of each row could bill one mistaken copy twice.
    """
    other = None if cnpj is None else context.ledger.read(other_requested_emitter, file_id, cnpj=cnpj)
    if cnpj is not None and other is not None:
        theirs, asked = Document("cnpj", other.cnpj).formatted, Document("cnpj", cnpj).formatted
        params = {"name": other.name or theirs, "cnpj": theirs, "asked": asked}
        raise InputError(Problem("file.of_other_emitter", params=params))
