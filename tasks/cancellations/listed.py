"""Read from a workbook which invoices a person marked to be cancelled; find each in the ledger with its own reason."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from configs.reference.cities import load_cities
from connectors.ledger.cancellations import Cancellation
from connectors.spreadsheets.cancellations import CancelRow, read_cancellations
from domain.problems import FaturistaError, InputError, Problem, Where
from domain.staff import Actor
from tasks.cancellations.requests import Candidate, candidates, find_invoice, reason_problem, request
from tasks.master_data.plans import open_master
from tasks.runtime import Context


@dataclass(frozen=True, slots=True)
class Listed:
    """One marked row with its invoice, and the reasons why that cannot be cancelled."""

    row: int
    reason: str
    candidate: Candidate | None = None
    problems: tuple[Problem, ...] = ()


def read_list(context: Context, path: Path, *, sheet: str | None = None) -> list[Listed]:
    """Find the invoice of each marked row, and whether it can be cancelled. Write nothing.

    Raises `InputError` for a file that cannot be understood, or in which nothing is marked.
    """
    workbook, layout = open_master(context, path, "cancellations")
    rows = read_cancellations(workbook, layout, cities=load_cities(), sheet=sheet)
    if not rows:
        raise InputError(Problem("cancel.nothing_marked"))
    seen: dict[int, int] = {}
    return [_mark_repeat(_judge_row(context, row), seen) for row in rows]


def request_listed(context: Context, listed: Sequence[Listed], *, actor: Actor) -> list[Cancellation]:
    """Store a cancellation for each row without a problem, with the row's own reason."""
    wanted = [(each.candidate.note, each.reason) for each in listed if each.candidate is not None and not each.problems]
    return request(context, wanted, actor=actor)


def _judge_row(context: Context, row: CancelRow) -> Listed:
    if row.problems:
        return Listed(row.number, row.reason, problems=row.problems)
    try:
        note = find_invoice(
            context, rps=row.rps, nfse=row.nfse_number, remote_id=row.remote_id, emitter_cnpj=row.emitter_cnpj
        )
    except FaturistaError as error:
        return Listed(row.number, row.reason, problems=(replace(error.problem, where=Where(row=row.number)),))
    (candidate,) = candidates(context, [note])
    found = candidate.problem or reason_problem(context, row.reason, [note])
    problems = () if found is None else (replace(found, where=Where(row=row.number)),)
    return Listed(row.number, row.reason, candidate, problems)


def _mark_repeat(each: Listed, seen: dict[int, int]) -> Listed:
    """Refuse a second row with the same invoice: the rows of one order share an invoice."""
    if each.candidate is None or each.problems:
        return each
    first = seen.setdefault(each.candidate.note.id, each.row)
    if first == each.row:
        return each
    problem = Problem("cancel.marked_twice", None, Where(row=each.row), {"first": first})
    return replace(each, problems=(problem,))
