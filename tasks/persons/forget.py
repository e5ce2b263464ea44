"""Forget a person: erase what issued invoices do not need, and list what stays and until when."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Final

from connectors.ledger import files as ledger_files
from connectors.ledger.backup.seals import seal_journal
from connectors.ledger.persons.erasures import erase_person
from connectors.ledger.persons.holdings import Holdings, holdings_of
from connectors.spreadsheets.archive import discard, is_archived
from domain.contracts.contract import Contract
from domain.documents import Document
from domain.personal_data import erasable_from
from domain.problems import FaturistaError, Problem
from domain.states import LIVING, RowState
from tasks.corrections.file_names import CORRECTIONS, OUTCOME, answer_paths
from tasks.persons.export import detached_files
from tasks.runtime import Context
from tasks.runtime.shared_files import is_published, withdraw_answer
from tasks.stations.report import report_outcome

_OPEN_ROWS: Final = frozenset({str(RowState.READ), str(RowState.RESOLVED)})


@dataclass(frozen=True, slots=True)
class ErasureReport:
    """The number of changed ledger rows by table and of deleted files, and the data that stays, with the reason."""

    counts: Mapping[str, int]
    files: int
    retained: tuple[Problem, ...]


def forget_person(context: Context, document: Document, *, person: str, because: str) -> ErasureReport:
    """Erase what the ledger and our files have about a person beyond the fiscal minimum. Safe to repeat.

    `person` is who decided this. Raises `FaturistaError` and erases nothing for `person.unknown`, `person.is_emitter`
    and `person.under_way`, whose details list what is still being billed.
    """
    held = context.ledger.read(holdings_of, document)
    check = partial(_refuse_unready, day=context.today)
    check(held)
    # Seal first: the erasure's journal entry then names a seal that covers everything before it.
    seal_journal(context.ledger)
    # Delete files first: if this stops halfway, the lines that lead to them remain for the next try.
    deleted = _delete_files(context, held)
    counts = context.ledger.write(erase_person, document, check=check, by=person, because=because)
    _rewrite_outcomes(context, held)
    return ErasureReport(counts, deleted, tuple(_remaining_data(context, held)))


def _refuse_unready(held: Holdings, *, day: date) -> None:
    if held.is_empty:
        raise FaturistaError(Problem("person.unknown"))
    if held.tables["emitters"]:
        raise FaturistaError(Problem("person.is_emitter"))
    under_way = [*_under_way(held), *_open_contracts(held, day)]
    if under_way:
        raise FaturistaError(Problem("person.under_way"), *under_way)


def _under_way(held: Holdings) -> Iterator[Problem]:
    issued = {invoice["id"] for invoice in held.issued}
    for row in held.tables["rows"]:
        if row["state"] in _OPEN_ROWS:
            yield Problem("person.open_row", params={"sheet": row["sheet"], "row": row["row_number"]})
    for invoice in held.tables["invoices"]:
        if invoice["state"] in LIVING and invoice["id"] not in issued:
            yield Problem("person.open_invoice", params={"id": invoice["id"], "state": invoice["state"]})


def _open_contracts(held: Holdings, day: date) -> Iterator[Problem]:
    """Yield the contracts that still run; an ended contract stays as long as its invoices."""
    newest = {line["folded_key"]: line for line in sorted(held.tables["contracts"], key=lambda line: line["ordinal"])}
    for line in newest.values():
        contract = Contract.from_json(line["terms"])
        if contract.ends_on is None or contract.ends_on >= day:
            yield Problem("person.open_contract", params={"key": contract.key})


def _delete_files(context: Context, held: Holdings) -> int:
    """Delete the archived sheets that contain the person, and the workbooks of their failing rows."""
    sheets = [
        (file["sha256"], file["name"])
        for file in held.tables["files"]
        if is_archived(file["sha256"], name=file["name"], folder=context.archive)
    ]
    for sha256, name in sheets:
        discard(sha256, name=name, folder=context.archive)
    corrections = [
        path
        for file_id in held.ids("files")
        if (file := context.ledger.read(ledger_files.find_file, file_id=file_id)) is not None
        for path in answer_paths(context, file, None, CORRECTIONS)
        if is_published(context.settings, path)
    ]
    for path in corrections:
        withdraw_answer(context.settings, path)
    return len(sheets) + len(corrections)


def _rewrite_outcomes(context: Context, held: Holdings) -> None:
    """Write the outcomes in the outbox again, without the erased data."""
    for file_id in held.ids("files"):
        file = context.ledger.read(ledger_files.find_file, file_id=file_id)
        if file is None:
            continue
        if any(is_published(context.settings, path) for path in answer_paths(context, file, None, OUTCOME)):
            report_outcome(context, file_id)


def _remaining_data(context: Context, held: Holdings) -> Iterator[Problem]:
    """Yield what stays, and until when; numbers and counts only."""
    years = context.settings.retention.fiscal_years
    issued = {invoice["id"] for invoice in held.issued}
    for invoice in held.tables["invoices"]:
        until = erasable_from(invoice["competence"], years=years).strftime("%d/%m/%Y")
        number = f"{invoice['serie']}-{invoice['number']}" if invoice["number"] is not None else str(invoice["id"])
        code = "person.kept_invoice" if invoice["id"] in issued else "person.kept_number"
        yield Problem(code, params={"number": number, "until": until})
    for file in detached_files(context, held):
        yield Problem("person.kept_detached", params={"file": file})
    if held.mirrored:
        yield Problem("person.kept_mirror", params={"count": held.mirrored})
    yield Problem("person.kept_outbox")
    yield Problem("person.kept_copies", params={"count": context.settings.backup.keep})
