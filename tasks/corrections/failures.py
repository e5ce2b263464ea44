"""Find the rows of a file that go back for correction: unbilled rows that a person could correct."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeVar

from connectors.ledger import files as ledger_files
from connectors.ledger.files import FileRecord
from connectors.ledger.rows import RowOutcome, RowRecord
from connectors.ledger.sheets.row_families import living_families
from connectors.ledger.sheets.row_outcomes import newest_ids, outcomes_of
from domain.competence import month_text, parse_competence
from domain.corrections.reports import LEFT_ALONE
from domain.products.lines import same_order
from domain.states import LIVING, RowState
from tasks.corrections.related_files import corrected_in_other_files
from tasks.corrections.row_summary import summary_of, understood_of
from tasks.runtime import PRODUCTS, Context
from tasks.sheets.kinds import kind_of
from tasks.views.rejections import NOT_TAKEN

T = TypeVar("T")

_PART: Final = 500
"""Number of rows per read. Each has its cells, its parsed line and its invoice, so memory stays small."""


def failing_rows(context: Context, file: FileRecord) -> Iterator[RowOutcome]:
    """Yield the failing rows of a file from its newest readings; for a sale with one failing row, all of its rows.

    If the file was read for several months, yield only rows of the month that was read last: a correction workbook
    belongs to one month. Services rows are read in parts, because most rows of a large file may fail.
    """
    has_orders = kind_of(file.kind).has_orders
    found = context.ledger.read(newest_ids, file.id, is_unbilled=not has_orders)
    months = _months(context, file)
    parts = (
        [
            outcome
            for outcome in context.ledger.read(outcomes_of, part)
            if months is None or outcome.row.run_competence in months
        ]
        for part in _parts(found)
    )
    if has_orders:
        outcomes = [outcome for part in parts for outcome in part]
        understood = understood_of(context, [outcome.row for outcome in outcomes])
        yield from _whole_sales(outcomes, _living_charges(context, outcomes), understood)
        return
    for part in parts:
        living = _living_charges(context, part)
        yield from (outcome for outcome in part if _is_failed(outcome, living))


def _parts(found: Iterable[T]) -> Iterator[list[T]]:
    coming = iter(found)
    while part := list(islice(coming, _PART)):
        yield part


def _living_charges(context: Context, outcomes: Sequence[RowOutcome]) -> Collection[int]:
    return context.ledger.read(living_families, {outcome.row.family for outcome in outcomes})


def _months(context: Context, file: FileRecord) -> Collection[str | None] | None:
    """Return the run months whose rows a workbook has, or None for all rows."""
    last = context.ledger.read(ledger_files.last_reading, file.id)
    month = parse_competence(str((last.options if last else {}).get("competence") or ""))
    return None if month is None else (None, month_text(month))


def rows_to_return(context: Context, file: FileRecord) -> Iterator[RowOutcome]:
    """Yield the failing rows except those that another file has corrected since: that file's answer covers them.

    Yield all rows of a sale or none.
    """
    failing = failing_rows(context, file)
    if kind_of(file.kind).has_orders:
        yield from _sales_to_return(context, file, list(failing))
        return
    for part in _parts(failing):
        gone = corrected_in_other_files(context, file.id, part)
        yield from (outcome for outcome in part if outcome.row.family not in gone)


def _sales_to_return(context: Context, file: FileRecord, failing: Sequence[RowOutcome]) -> Sequence[RowOutcome]:
    gone = corrected_in_other_files(context, file.id, failing)
    if not gone:
        return failing
    understood = understood_of(context, [outcome.row for outcome in failing])
    sales = {_sale(outcome.row, understood) for outcome in failing if outcome.row.family in gone}
    return [outcome for outcome in failing if _sale(outcome.row, understood) not in sales]


def is_rejected(outcome: RowOutcome) -> bool:
    """Return whether the issuer or the city, not this system, refused the row."""
    return outcome.invoice is not None and outcome.invoice.state in NOT_TAKEN


def _is_failed(outcome: RowOutcome, living: Collection[int]) -> bool:
    row, invoice = outcome.row, outcome.invoice
    if row.family in living or (invoice is not None and invoice.state in LIVING):
        return False
    if is_rejected(outcome):
        return True
    return row.state is RowState.REFUSED and not any(problem.code in LEFT_ALONE for problem in row.problems)


def _whole_sales(
    outcomes: Sequence[RowOutcome], living: Collection[int], understood: Mapping[int, Mapping[str, Any]]
) -> list[RowOutcome]:
    sales: defaultdict[str, list[RowOutcome]] = defaultdict(list)
    for outcome in outcomes:
        sales[_sale(outcome.row, understood)].append(outcome)
    failing = {
        name
        for name, rows in sales.items()
        if any(_is_failed(each, living) for each in rows) and not any(each.row.family in living for each in rows)
    }
    return [outcome for outcome in outcomes if _sale(outcome.row, understood) in failing]


def _sale(row: RowRecord, understood: Mapping[int, Mapping[str, Any]]) -> str:
    """Return the key of the row's sale; a row without a key is a sale of its own."""
    order = summary_of(PRODUCTS, understood[row.reading_id], row.cells).order
    if order is None and row.line is not None:
        order = str(row.line.get("order_key", ""))
    return same_order(order) if order else f"\n{row.id}"
