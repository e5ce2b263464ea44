"""Station 0: store a sheet made from contracts or paid orders, and find it again after a crash."""

from datetime import date, timedelta
from typing import Final

from configs.layouts import read_layout
from connectors.ledger import contracts as ledger_contracts
from connectors.ledger import files as ledger_files
from connectors.ledger import rows as ledger_rows
from connectors.ledger.closings import closed_months
from connectors.ledger.contracts import Source
from domain.competence import competence_problem, month_text
from domain.problems import FaturistaError
from tasks.runtime import SERVICES, Context
from tasks.stations.intake import keep_bytes

_AGAIN_AFTER: Final = timedelta(days=1)


def refuse_month(context: Context, competence: date) -> None:
    """Raise `FaturistaError` for a month that has not begun (`competence.future`) or is closed (`closing.closed`)."""
    problem = competence_problem(competence, context.clock(), context.ledger.read(closed_months))
    if problem is not None:
        raise FaturistaError(problem)


def service_headers() -> dict[str, str]:
    """Return the header of each column of our services sheets, by field."""
    return {field: names[0] for field, names in read_layout(SERVICES)["fields"].items()}


def keep_sheet(context: Context, content: bytes, *, source: Source, competence: date, count: int) -> int:
    """Store a sheet with its source. Return its id; the same bytes have one id."""
    ordinal = len(context.ledger.read(ledger_contracts.sheets_of, competence, source)) + 1
    name = context.catalogue.text(f"{source}.sheet_name", month=month_text(competence), ordinal=ordinal)
    file_id = keep_bytes(context, content, name=f"{name}.csv", kind=SERVICES)
    context.ledger.write(ledger_contracts.enter_sheet, file_id, source=source, competence=competence, count=count)
    return file_id


def unfinished_sheet(context: Context, competence: date, source: Source) -> int | None:
    """Return the sheet of a month without a reading, or with a reading that stopped before its last row."""
    sheets = context.ledger.read(ledger_contracts.sheets_of, competence, source)
    return next((each for each in sheets if _is_unfinished(context, each)), None)


def was_read_lately(context: Context, file_id: int) -> bool:
    """Say whether the very same sheet was read to the end less than a day ago, and came back."""
    last = context.ledger.read(ledger_files.last_reading, file_id)
    if last is None or _is_unfinished(context, file_id):
        return False
    return last.started_at > context.clock() - _AGAIN_AFTER


def _is_unfinished(context: Context, file_id: int) -> bool:
    last = context.ledger.read(ledger_files.last_reading, file_id)
    return last is None or last.id in context.ledger.read(ledger_rows.stalled_readings, idle_s=0)
