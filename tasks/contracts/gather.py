"""Write due contracts into sheets, which the stations bill like any dropped file.

The archive keeps each sheet under the digest of its bytes. The business key of a line is the contract's key and the
month, so a second gathering, in another process or after a crash, finds the invoice of the first.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import date

from connectors.spreadsheets.charges import charges_sheet
from domain.competence import add_months, first_of_month
from domain.contracts.charges import Charge
from domain.contracts.contract import Contract
from tasks.contracts.month import charges_of_month, count_missed
from tasks.runtime import Context
from tasks.stations.gather import keep_sheet, refuse_month, service_headers, unfinished_sheet, was_read_lately

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
    return [each for each in files if not was_read_lately(context, each)] if is_by_clock else files


def _months(context: Context, competence: date | None, is_catching_up: bool) -> Iterator[tuple[date, IsWanted]]:  # noqa: FBT001
    current = first_of_month(context.today)
    if competence is not None:
        refuse_month(context, competence)
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
    unfinished = unfinished_sheet(context, competence, "contracts")
    if unfinished is not None:
        return unfinished
    due = [
        (each.contract, each.charge)
        for each in charges_of_month(context, competence)
        if each.standing == "due" and each.charge is not None and is_wanted(each.charge)
    ]
    return _keep(context, competence, due) if due else None


def _keep(context: Context, competence: date, due: Sequence[tuple[Contract, Charge]]) -> int:
    content = charges_sheet(due, service_headers())
    return keep_sheet(context, content, source="contracts", competence=competence, count=len(due))
