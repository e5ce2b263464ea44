"""Request replacements: choose invoices, apply corrections, write the sheet that bills the new ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from configs.layouts import headers_of
from configs.reference.cities import load_cities
from connectors.ledger import cancellations as ledger_cancellations
from connectors.ledger import replacements as ledger_replacements
from connectors.ledger import rows as ledger_rows
from connectors.ledger.invoices import InvoiceRecord
from connectors.spreadsheets.archive import archived
from connectors.spreadsheets.replacements import ReplaceRow, read_replacements
from domain.documents import parse_document
from domain.keys import file_digest
from domain.problems import FaturistaError, InputError, Problem, Where
from domain.services.lines import ServiceLine
from domain.states import LIVING
from tasks.backup.detaching import refuse_detached
from tasks.cancellations.requests import find_invoice
from tasks.master_data.plans import open_master
from tasks.replacements.sheets import replacement_sheet
from tasks.runtime import SERVICES, Context
from tasks.services.replaced import replacement_problem
from tasks.stations.intake import archive_bytes

_LONGEST_REASON: Final = 255


@dataclass(frozen=True, slots=True)
class Replacement:
    """An invoice to replace and the line of the new one, or the problems that prevent it.

    `row` is the row of the requesting list, if any.
    """

    reason: str
    note: InvoiceRecord | None = None
    line: ServiceLine | None = None
    row: int | None = None
    problems: tuple[Problem, ...] = field(default=())


def check_replacement(
    context: Context, note: InvoiceRecord, corrections: Mapping[str, Any], *, reason: str
) -> Replacement:
    """Check whether one invoice can be replaced; write nothing. `corrections`: the corrected values, by field name."""
    problem = _problem(context, note)
    if problem is None and not 0 < len(reason) <= _LONGEST_REASON:
        problem = Problem("cancel.reason_length", params={"least": 1, "most": _LONGEST_REASON, "found": len(reason)})
    if problem is not None:
        return Replacement(reason, note, problems=(problem,))
    (row,) = context.ledger.read(ledger_rows.rows_by_ids, [note.row_id])
    old = ServiceLine.from_json(row.line or {})
    new = _correct_line(old, corrections)
    if new == old:
        unchanged = Problem("replace.nothing_changed", params=_note_params(note))
        return Replacement(reason, note, problems=(unchanged,))
    return Replacement(reason, note, replace(new, replaces=f"{note.serie}-{note.number}", replaces_because=reason))


def read_list(context: Context, path: Path, *, sheet: str | None = None) -> list[Replacement]:
    """Check every marked row of a workbook. Write nothing.

    Raises `InputError` for a file that cannot be understood or has no mark.
    """
    workbook, layout = open_master(context, path, "replacements")
    rows = read_replacements(workbook, layout, cities=load_cities(), sheet=sheet)
    if not rows:
        raise InputError(Problem("replace.nothing_marked"))
    seen: dict[int, int] = {}
    return [_mark_repeat(_judge_row(context, row), seen) for row in rows]


def write_sheet(context: Context, replacements: Sequence[Replacement]) -> Path:
    """Store the sheet that bills these replacements. Return its path. Equal replacements give equal bytes."""
    content = replacement_sheet(
        [replacement.line for replacement in replacements if replacement.line is not None], headers_of(SERVICES)
    )
    name = f"{context.catalogue.text('replace.sheet_name')}.csv"
    archive_bytes(context, content, name=name, kind=SERVICES)
    return archived(file_digest(content), name=name, folder=context.archive)


def _problem(context: Context, note: InvoiceRecord) -> Problem | None:
    """Return why an invoice cannot be replaced now, or None. The stations check it again before billing."""
    if not context.capabilities(note.issuer).can_replace:
        return Problem("replace.cannot", params=_note_params(note))
    problem = replacement_problem(note)
    if problem is not None:
        return problem
    try:
        refuse_detached(context, note.competence)
    except FaturistaError as error:
        return error.problem
    cancellations = context.ledger.read(ledger_cancellations.of_invoices, [note.id])
    if any(cancellation.ended_at is None for cancellation in cancellations):
        return Problem("replace.being_cancelled", params=_note_params(note))
    successor = context.ledger.read(ledger_replacements.successors, [note.id]).get(note.id)
    if successor is not None and successor.state in LIVING:
        return Problem("replace.asked_before", params=_note_params(note))
    return None


def _note_params(note: InvoiceRecord) -> dict[str, str | int]:
    return {"serie": note.serie or "-", "number": note.number or 0}


def _correct_line(line: ServiceLine, corrections: Mapping[str, Any]) -> ServiceLine:
    """Return the line with the corrections, without tax amounts: they belong to the old amount."""
    own = {name: value for name, value in corrections.items() if name not in ("document", "name")}
    parsed = parse_document(corrections["document"]) if "document" in corrections else None
    if isinstance(parsed, Problem):
        raise FaturistaError(parsed)
    taker = line.taker
    if parsed is not None and parsed.document != taker.document:
        taker = replace(type(taker)(document=parsed.document), name=corrections.get("name") or None)
    return replace(line, **own, taker=taker)


def _judge_row(context: Context, row: ReplaceRow) -> Replacement:
    if row.problems:
        return Replacement(row.reason, row=row.number, problems=row.problems)
    try:
        note = find_invoice(
            context, rps=row.rps, nfse=row.nfse_number, remote_id=row.remote_id, emitter_cnpj=row.emitter_cnpj
        )
        found = check_replacement(context, note, row.written, reason=row.reason)
    except FaturistaError as error:
        return Replacement(row.reason, row=row.number, problems=(replace(error.problem, where=Where(row=row.number)),))
    problems = tuple(replace(problem, where=Where(row=row.number)) for problem in found.problems)
    return replace(found, row=row.number, problems=problems)


def _mark_repeat(replacement: Replacement, seen: dict[int, int]) -> Replacement:
    """Return the replacement, with a problem if an earlier row in `seen` names the same invoice."""
    if replacement.note is None or replacement.problems or replacement.row is None:
        return replacement
    first = seen.setdefault(replacement.note.id, replacement.row)
    if first == replacement.row:
        return replacement
    problem = Problem("cancel.marked_twice", None, Where(row=replacement.row), {"first": first})
    return replace(replacement, problems=(problem,))
