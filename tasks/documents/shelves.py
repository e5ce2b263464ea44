"""Group the stored and missing documents of issued invoices by emitter and month."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from connectors.ledger import documents as ledger_documents
from connectors.ledger.documents import DocumentRecord
from tasks.documents.fetch import issuers_of
from tasks.runtime import Context


@dataclass(frozen=True, slots=True)
class Shelf:
    """The documents of one emitter and month: stored or missing."""

    cnpj: str
    competence: date
    kept: int
    missing: tuple[DocumentRecord, ...]


def all_documents(context: Context, *, competence: date | None = None, cnpj: str | None = None) -> list[DocumentRecord]:
    """Return the documents that issued invoices have or lack, by emitter, month and number."""
    found = [
        each
        for kind in context.settings.documents.kinds
        for each in context.ledger.read(
            ledger_documents.documents_of, kind, issuers=issuers_of(context, kind), competence=competence, cnpj=cnpj
        )
    ]
    return sorted(found, key=lambda each: (each.cnpj, each.competence, each.issuer, each.serie, each.number, each.kind))


def shelves(documents: Iterable[DocumentRecord]) -> Iterator[Shelf]:
    """Yield the stored and the missing documents, by emitter and month."""
    for (cnpj, competence), group in groupby(documents, key=lambda each: (each.cnpj, each.competence)):
        records = list(group)
        missing = tuple(each for each in records if each.sha256 is None)
        yield Shelf(cnpj, competence, len(records) - len(missing), missing)
