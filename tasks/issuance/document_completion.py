"""Complete customers' documents that lost their leading zeros in the sheet: look them up in ledger and register."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from connectors.ledger import parties as ledger_parties
from connectors.ledger.rows import RowRecord
from connectors.ledger.sheets.clear_documents import store_documents
from domain.decisions import decisions_of
from domain.documents import Document, parse_document, possible_documents
from domain.issuing import SERVICE
from domain.parties import TakerData, registered_document
from domain.problems import Problem, Where
from tasks.runtime import Runtime
from tasks.runtime.task_group import run_together

FIELD: Final = "unclear_document"
"""The key of an unclear document's digits in a parsed line (`ServiceLine.to_json`)."""

_AT_ONCE: Final = 500
"""Number of documents to look up at once: more than requests may be in flight, and few enough for memory."""


@dataclass(frozen=True, slots=True)
class ClearDocuments:
    """The rows that had an unclear document, by row id: parsed lines with the document (`lines`), or problems (`bad`).

    `remarks` say which documents were completed.
    """

    lines: Mapping[int, dict[str, Any]]
    bad: Mapping[int, Sequence[Problem]]
    remarks: Sequence[Problem]

    def of(self, records: Iterable[RowRecord]) -> list[RowRecord]:
        """Return those of `records` that have no problem, with their completed documents."""
        return [
            replace(each, line=self.lines[each.id]) if each.id in self.lines else each
            for each in records
            if each.id not in self.bad
        ]


async def clear_documents(
    runtime: Runtime, records: Iterable[RowRecord], understood: Mapping[str, Any]
) -> ClearDocuments:
    """Look up every document that an unclear one may stand for. Write nothing.

    Take the document that the ledger or the register has, if it is the only one there and the names agree.
    `understood` is the sheet's column mapping.
    """
    unclear = [(each, str(digits)) for each in records if (digits := (each.line or {}).get(FIELD))]
    possible = {digits: possible_documents(digits) for _, digits in unclear}
    registered = await _registered_customers(runtime, {document for some in possible.values() for document in some})
    columns = understood.get("columns", ())
    letter = next((each["letter"] for each in columns if each["field"] == "document"), None)
    lines: dict[int, dict[str, Any]] = {}
    bad: dict[int, Sequence[Problem]] = {}
    remarks: list[Problem] = []
    for record, digits in unclear:
        line, where = dict(record.line or {}), Where(sheet=record.sheet, row=record.row_number, column=letter)
        document = registered_document(TakerData.from_json(line["taker"]), possible[digits], registered)
        if document is None:
            bad[record.id] = [replace(_doubt(digits), where=where)]
            continue
        del line[FIELD]
        lines[record.id] = line | {"taker": {**line["taker"], "document": [document.kind, document.number]}}
        params = {"kind": document.kind.upper(), "listed": document.checkable}
        remarks.append(Problem("document.of_register", "document", where, params))
    return ClearDocuments(lines, bad, remarks)


async def store_clear_documents(runtime: Runtime, reading_id: int, found: ClearDocuments) -> None:
    """Store the documents before the run creates customers: a repeated run must not match its own new customers."""
    if found.lines or found.bad:
        decisions = [each.to_json() for each in decisions_of(found.remarks)]
        await runtime.ledger.write_async(store_documents, reading_id, found.lines, found.bad, decisions)


async def _registered_customers(runtime: Runtime, documents: Collection[Document]) -> dict[str, TakerData]:
    """Return the customers with these documents that the ledger or the register of service invoices has."""
    if not documents:
        return {}
    issuer = runtime.issuer_of(SERVICE)
    numbers = {document.number for document in documents}
    known = await runtime.ledger.read_async(ledger_parties.takers_by_documents, numbers, issuer)
    found = {number: TakerData.from_json(taker.body) for number, taker in known.items()}
    register = runtime.issuer(issuer).register
    if register is None:
        return found
    strangers = sorted(
        (document for document in documents if document.number not in found), key=lambda each: each.number
    )
    for start in range(0, len(strangers), _AT_ONCE):
        part = strangers[start : start + _AT_ONCE]
        looked = await run_together(register.customers(each) for each in part)
        found |= {each.number: some[0].data for each, some in zip(part, looked, strict=True) if some}
    return found


def _doubt(digits: str) -> Problem:
    """Return the problem of digits that match no document or several documents."""
    found = parse_document(digits)
    assert isinstance(found, Problem)
    return found
