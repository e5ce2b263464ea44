"""Write due contracts into sheets, which the stations bill like any dropped file.

The archive keeps each sheet under the digest of its bytes. The business key of a line is the contract's key and the
month, so a second gathering, in another process or after a crash, finds the invoice of the first.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import Final

from configs.layouts import read_layout
from connectors.ledger import contracts as ledger_contracts
from connectors.ledger import files as ledger_files
from connectors.ledger import rows as ledger_rows
from connectors.ledger.closings import closed_months
from connectors.spreadsheets.charges import charges_sheet
from domain.competence import add_months, competence_problem, first_of_month, month_text
from domain.contracts.charges import Charge
from domain.contracts.contract import Contract
from domain.problems import FaturistaError
from tasks.contracts.month import charges_of_month, count_missed, today
from tasks.runtime import SERVICES, Context
from tasks.stations.intake import keep_bytes

_AGAIN_AFTER: Final = timedelta(days=1)
IsWanted = Callable[[Charge], bool]


def gather_due(
    context: Context, *, competence: date | None, is_catching_up: bool, is_by_clock: bool = False
) -> list[int]:
    """Write what is due into sheets and return their ids in the ledger, oldest month first.

    Args:
        context: What works without the provider.
        competence: First of the only month to bill. None means the present month, and of the one before it what a
            holiday moved into the present one.
        is_catching_up: Bill past months, too, that were missed.
        is_by_clock: Nobody started this run: a sheet that came back as a whole, and of which nothing has changed
            since, is read again once a day and not at each run.

    Raises:
        FaturistaError: The month has not begun (`competence.future`), or it is closed (`closing.closed`).
    """
    found = [_gather(context, month, is_wanted) for month, is_wanted in _months(context, competence, is_catching_up)]
    files = [file_id for file_id in found if file_id is not None]
    return [each for each in files if not _was_read_lately(context, each)] if is_by_clock else files


def _months(context: Context, competence: date | None, is_catching_up: bool) -> Iterator[tuple[date, IsWanted]]:  # noqa: FBT001
    current = first_of_month(today(context))
    if competence is not None:
        problem = competence_problem(competence, context.clock(), context.ledger.read(closed_months))
        if problem is not None:
            raise FaturistaError(problem)
        yield competence, lambda _: True
        return
    before = add_months(current, -1)
    missed = count_missed(context) if is_catching_up else {}
    for month in sorted(missed):
        yield month, lambda _: True
    if before not in missed:
        yield before, lambda charge: charge.due_on >= current
    yield current, lambda _: True


def _gather(context: Context, competence: date, is_wanted: IsWanted) -> int | None:
    """Return the sheet of a month: an unfinished one, or a new one with what is due; None where nothing is due."""
    unfinished = next((each for each in _sheets(context, competence) if _is_unfinished(context, each)), None)
    if unfinished is not None:
        return unfinished
    due = [
        (each.contract, each.charge)
        for each in charges_of_month(context, competence)
        if each.standing == "due" and each.charge is not None and is_wanted(each.charge)
    ]
    return _keep(context, competence, due) if due else None


def _keep(context: Context, competence: date, due: Sequence[tuple[Contract, Charge]]) -> int:
    headers = {field: names[0] for field, names in read_layout(SERVICES)["fields"].items()}
    content = charges_sheet(due, headers)
    ordinal = len(_sheets(context, competence)) + 1
    name = context.catalogue.text("contracts.sheet_name", month=month_text(competence), ordinal=ordinal)
    file_id = keep_bytes(context, content, name=f"{name}.csv", kind=SERVICES)
    context.ledger.write(ledger_contracts.enter_sheet, file_id, competence=competence, count=len(due))
    return file_id


def _sheets(context: Context, competence: date) -> list[int]:
    return context.ledger.read(ledger_contracts.sheets_of, competence)


def _was_read_lately(context: Context, file_id: int) -> bool:
    """Say whether the very same charges were read to the end less than a day ago, and came back."""
    last = context.ledger.read(ledger_files.last_reading, file_id)
    if last is None or _is_unfinished(context, file_id):
        return False
    return last.started_at > context.clock() - _AGAIN_AFTER


def _is_unfinished(context: Context, file_id: int) -> bool:
    """Say whether the sheet has no reading yet, or its reading stopped before all rows were billed or refused."""
    last = context.ledger.read(ledger_files.last_reading, file_id)
    return last is None or last.id in context.ledger.read(ledger_rows.stalled_readings, idle_s=0)
