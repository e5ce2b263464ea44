"""List what a run returned for correction: refused rows of a sheet, and rejected invoices."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from connectors.ledger import batches as ledger_batches
from connectors.ledger import files as ledger_files
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger.invoices import InvoiceRecord
from domain.station_result import StationResult
from tasks.corrections import workbook as corrections
from tasks.runtime import Context
from tasks.views.dashboard import ReturnedRows
from tasks.views.markdown import MarkdownText, escape_code
from tasks.views.rejections import NOT_TAKEN

_COUNTED: Final = ("rejected", "refused")
_SHOWN: Final = 12


def returned_rows(context: Context, reading_id: int) -> list[ReturnedRows]:
    """Return the rows still to correct in a reading's file, with the path of its correction workbook."""
    file = context.ledger.read(ledger_files.file_of_reading, reading_id)
    found = corrections.latest_corrections(context, file.id)
    if found is None:
        return []
    mend = MarkdownText(context.catalogue.text("board.mend_workbook", path=escape_code(str(found.path))))
    return [ReturnedRows(file.name, found.count, "", mend)]


def returned_notes(context: Context, results: Iterable[StationResult]) -> list[ReturnedRows]:
    """Return the rejected invoices of this run's batches, by file, with the command that explains them.

    Leave out the city's messages, which may name people: the outcome workbook has them.
    """
    counted = {each.batch_id for each in results if any(each.counts.get(word) for word in _COUNTED)}
    numbers: dict[int, list[str]] = {}
    names: dict[int, str] = {}
    for batch_id in sorted(each for each in counted if each is not None):
        if not (notes := context.ledger.read(ledger_invoices.invoices_of, batch_id, states=NOT_TAKEN)):
            continue
        batch = context.ledger.read(ledger_batches.batch_of, batch_id)
        file = context.ledger.read(ledger_files.file_of_reading, batch.reading_id)
        names[file.id] = file.name
        numbers.setdefault(file.id, []).extend(_numbers(notes))
    return [_as_returned(context, names[file_id], found) for file_id, found in numbers.items()]


def _numbers(notes: Iterable[InvoiceRecord]) -> Iterator[str]:
    for note in notes:
        yield f"{note.serie or '-'}-{note.number or '-'}"


def _as_returned(context: Context, name: str, numbers: Sequence[str]) -> ReturnedRows:
    listed = ", ".join(numbers[:_SHOWN]) + (" …" if len(numbers) > _SHOWN else "")
    mend = MarkdownText(context.catalogue.text("board.mend_outcome", file=escape_code(shlex.quote(name))))
    return ReturnedRows(name, len(numbers), listed, mend)
