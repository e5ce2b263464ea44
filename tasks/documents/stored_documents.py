"""Group the stored and missing documents of issued invoices by emitter and month."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from pathlib import Path

from connectors.ledger import documents as ledger_documents
from connectors.ledger.documents import DocumentRecord
from connectors.spreadsheets.archive import archived, placed
from tasks.documents.fetch import issuers_of, name_of
from tasks.runtime import Context


@dataclass(frozen=True, slots=True)
class MonthDocuments:
    """The documents of one emitter and month: the number of stored ones, and the missing ones."""

    cnpj: str
    competence: date
    stored: int
    missing: tuple[DocumentRecord, ...]


def all_documents(context: Context, *, competence: date | None = None, cnpj: str | None = None) -> list[DocumentRecord]:
    """Return every document of issued invoices, stored or missing, sorted by emitter, month and number."""
    found = [
        each
        for kind in context.settings.documents.kinds
        for each in context.ledger.read(
            ledger_documents.documents_of, kind, issuers=issuers_of(context, kind), competence=competence, cnpj=cnpj
        )
    ]
    return sorted(found, key=lambda each: (each.cnpj, each.competence, each.issuer, each.serie, each.number, each.kind))


def documents_by_month(documents: Iterable[DocumentRecord]) -> Iterator[MonthDocuments]:
    """Group documents by emitter and month. The input must be sorted by both, as `all_documents` sorts it."""
    for (cnpj, competence), group in groupby(documents, key=lambda each: (each.cnpj, each.competence)):
        records = list(group)
        missing = tuple(each for each in records if each.sha256 is None)
        yield MonthDocuments(cnpj, competence, len(records) - len(missing), missing)


def stored_files(context: Context, batches: Collection[int]) -> Mapping[int, Mapping[str, Path]]:
    """Return the paths of the stored documents of these batches' invoices, by invoice id and kind."""
    found: defaultdict[int, dict[str, Path]] = defaultdict(dict)
    for kind in context.settings.documents.kinds if batches else ():
        issuers = issuers_of(context, kind)
        for each in context.ledger.read(ledger_documents.documents_of, kind, issuers=issuers, batches=batches):
            if each.sha256 is not None:
                path = _find_stored(context, each.sha256, name_of(each))
                if path is not None:
                    found[each.invoice_id][kind] = path
    return found


def _find_stored(context: Context, sha256: str, name: str) -> Path | None:
    """Return the path of a document, under its usual name or another; None if the file is gone."""
    usual = placed(sha256, name=name, folder=context.documents)
    path = usual if usual.is_file() else archived(sha256, name=name, folder=context.documents)
    return path if path.is_file() else None
