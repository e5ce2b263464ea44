"""Station 0: store a sheet made from contracts or paid orders, and find it again after a crash.

The archive stores each sheet under the digest of its bytes. Each line has a business key from its contract and month,
or from its paid invoice, so a second run, in another process or after a crash, finds the first run's invoice.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Final

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger import files as ledger_files
from connectors.ledger import rows as ledger_rows
from connectors.ledger.closings import closed_months
from connectors.ledger.contracts import Source
from domain.competence import add_months, competence_problem, first_of_month, format_competence, month_text
from domain.problems import FaturistaError, Problem
from tasks.runtime import SERVICES, Context
from tasks.stations.intake import archive_bytes

_AGAIN_AFTER: Final = timedelta(days=1)


def refuse_month(context: Context, competence: date) -> None:
    """Raise `FaturistaError` for a month that has not begun (`competence.future`) or is closed (`closing.closed`)."""
    problem = competence_problem(competence, context.clock(), context.ledger.read(closed_months))
    if problem is not None:
        raise FaturistaError(problem)


def months_to_gather(
    context: Context, competence: date | None, missed: Collection[date], *, is_catching_up: bool
) -> Iterator[tuple[date, bool]]:
    """Yield (month, only_late) for each month that needs a sheet, oldest first. A closed month gets none.

    `only_late`: gather only late items, such as charges due in this month or payments reported late, instead of all due
    items. True for the previous month, unless a person catches up with the `missed` months and it is one of them.

    Raises:
        FaturistaError: `competence` has not begun (`competence.future`), or is closed (`closing.closed`).
    """
    if competence is not None:
        refuse_month(context, competence)
        yield competence, False
        return
    current = first_of_month(context.today)
    past = {each for each in missed if each < current} if is_catching_up else set()
    for month in sorted({*past, add_months(current, -1)} - context.ledger.read(closed_months)):
        yield month, month not in past
    yield current, False


def missed_problems(
    context: Context, source: Source, missed: Mapping[date, int], unknown: Mapping[date, int] | None = None
) -> list[Problem]:
    """Return a problem for each past month with unbilled charges, and one for its charges that cannot be computed.

    `missed` counts all unbilled charges by month; `unknown` counts those among them that cannot be computed, which no
    catch-up can bill.
    """
    closed, current = context.ledger.read(closed_months), format_competence(context.today)
    found = []
    for month, unbilled in sorted(missed.items()):
        blocked = 0 if unknown is None else unknown.get(month, 0)
        params: dict[str, str | int] = {"month": format_competence(month), "count": unbilled - blocked}
        if blocked:
            unfit: dict[str, str | int] = {**params, "count": blocked, "due": month_text(month)}
            found.append(Problem("contract.missed_unknown", params=unfit))
        if unbilled == blocked:
            continue
        is_of_contracts = source == "contracts"
        if month in closed:
            params["current"] = current
            found.append(Problem("contract.late" if is_of_contracts else "payment.late", params=params))
        else:
            found.append(Problem("contract.missed" if is_of_contracts else "payment.missed", params=params))
    return found


def sheets_to_read(context: Context, found: Sequence[int | None], *, is_by_clock: bool) -> list[int]:
    """Return the found sheets that this run reads.

    `is_by_clock`: a schedule started this run. Then an unchanged sheet whose rows were all refused is read only once a
    day.
    """
    files = [each for each in found if each is not None]
    return [each for each in files if not _was_read_lately(context, each)] if is_by_clock else files


def archive_sheet(
    context: Context, content: bytes, *, source: Source, competence: date, count: int, last_contract: int = 0
) -> int:
    """Store a sheet with its source. Return its id; the same bytes have one id.

    `last_contract` is the newest version of a contract that its charges were computed from.
    """
    ordinal = len(context.ledger.read(ledger_contracts.sheets_of, competence, source)) + 1
    name = context.catalogue.text(f"{source}.sheet_name", month=month_text(competence), ordinal=ordinal)
    file_id = archive_bytes(context, content, name=f"{name}.csv", kind=SERVICES)
    context.ledger.write(
        ledger_contracts.store_charge_sheet,
        file_id,
        source=source,
        competence=competence,
        count=count,
        last_contract=last_contract,
    )
    return file_id


def unfinished_sheet(context: Context, competence: date, source: Source) -> int | None:
    """Return the id of a month's sheet that was never read, or whose reading stopped before its end; else None."""
    sheets = context.ledger.read(ledger_contracts.sheets_of, competence, source)
    return next((each for each in sheets if _is_unfinished(context, each)), None)


def _was_read_lately(context: Context, file_id: int) -> bool:
    """Return whether the sheet's last reading began less than a day ago and reached its end."""
    last = context.ledger.read(ledger_files.last_reading, file_id)
    if last is None or _is_unfinished(context, file_id):
        return False
    now = context.clock()
    # a reading in the future began before the clock was set back
    return now - _AGAIN_AFTER < last.started_at <= now


def _is_unfinished(context: Context, file_id: int) -> bool:
    last = context.ledger.read(ledger_files.last_reading, file_id)
    return last is None or last.id in context.ledger.read(ledger_rows.stalled_readings, idle_s=0)
