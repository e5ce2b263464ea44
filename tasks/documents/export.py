"""Export a month's documents as one zip for each emitter, with an index of digests and a list of missing ones."""

import csv
import hashlib
import io
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Final

from connectors.ledger.documents import DocumentRecord
from connectors.spreadsheets.archive import archived
from connectors.spreadsheets.writers.safe_files import write_atomically
from domain.disk_faults import disk_fault
from domain.problems import FaturistaError, Problem
from domain.texts import escape_formulas
from tasks.documents.fetch import name_of
from tasks.documents.stored_documents import all_documents
from tasks.runtime import Context

_WHEN: Final = (1980, 1, 1, 0, 0, 0)
"""Fixed timestamp of zip entries: the same documents give the same bytes."""
_INDEX: Final = "indice.csv"
_GAPS: Final = "faltam.csv"


@dataclass(frozen=True, slots=True)
class DocumentZip:
    """A zip that was written. `count` documents are in it, `missing` are not."""

    path: Path
    cnpj: str
    count: int
    missing: int


def export_month(context: Context, competence: date, *, cnpj: str | None = None) -> list[DocumentZip]:
    """Write one zip for each emitter of the month into the outbox. Each zip is complete or absent.

    Raises `FaturistaError` where the month has no issued invoice, or the folder cannot be written to.
    """
    found = all_documents(context, competence=competence, cnpj=cnpj)
    if not found:
        raise FaturistaError(Problem("documents.nothing", params={"month": f"{competence:%m/%Y}"}))
    return [
        _export(context, competence, emitter, list(group))
        for emitter, group in groupby(found, key=lambda each: each.cnpj)
    ]


def _export(context: Context, competence: date, cnpj: str, documents: Sequence[DocumentRecord]) -> DocumentZip:
    path = context.outbox / f"{cnpj}-{competence:%Y-%m}-documentos.zip"
    kept: list[DocumentRecord] = []
    gaps: list[DocumentRecord] = []

    def fill(partial: Path) -> None:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as package:
            for each in documents:
                # One document in memory at a time: a month may have gigabytes.
                content = _content(context, each)
                (gaps if content is None else kept).append(each)
                if content is not None:
                    _put(package, _export_path(each), content)
            rows = [(_export_path(each), each.nfse_number or "", each.sha256 or "") for each in kept]
            _put(package, _INDEX, _csv(("arquivo", "nota", "sha256"), rows))
            if gaps:
                missing = [(_export_path(each), each.nfse_number or "", _reason_text(context, each)) for each in gaps]
                _put(package, _GAPS, _csv(("arquivo", "nota", "motivo"), missing))

    try:
        write_atomically(path, fill)
    except OSError as error:
        params = {"folder": str(path.parent), "disk": disk_fault(error)}
        raise FaturistaError(Problem("documents.cannot_write", params=params)) from error
    return DocumentZip(path, cnpj, len(kept), len(gaps))


def _content(context: Context, document: DocumentRecord) -> bytes | None:
    """Return the stored bytes; None if they are missing or no longer have their digest."""
    if document.sha256 is None:
        return None
    try:
        content = archived(document.sha256, name=name_of(document), folder=context.documents).read_bytes()
    except FileNotFoundError:
        return None
    return content if hashlib.sha256(content).hexdigest() == document.sha256 else None


def _reason_text(context: Context, document: DocumentRecord) -> str:
    if document.sha256 is not None:
        return context.catalogue.text("documents.damaged")
    return context.catalogue.what(Problem(document.problem or "documents.not_asked"))


def _export_path(document: DocumentRecord) -> str:
    return f"{document.issuer}/{document.kind}/{name_of(document)}"


def _put(package: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, _WHEN)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    package.writestr(entry, content)


def _csv(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";", lineterminator="\r\n")
    writer.writerow(headings)
    writer.writerows([escape_formulas(cell) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8-sig")
