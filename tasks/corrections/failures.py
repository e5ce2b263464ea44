"""Find the rows of a file that go back for correction: rows that nobody has billed and that a correction could help."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from connectors.ledger import files as ledger_files
from connectors.ledger.files import FileRecord
from connectors.ledger.rows import RowOutcome, RowRecord
from connectors.ledger.sheets.row_families import living_families
from connectors.ledger.sheets.row_outcomes import newest_rows
from domain.competence import month_text, parse_competence
from domain.products.lines import same_order
from domain.states import LIVING, RowState
from tasks.corrections.related_files import gone_elsewhere
from tasks.corrections.row_summary import said_by, understood_of
from tasks.runtime import PRODUCTS, Context
from tasks.sheets.kinds import kind_of
from tasks.views.rejections import NOT_TAKEN

BILLED: Final = frozenset({"row.living", "row.living_unnumbered", "row.overtaken", "row.already_corrected"})
"""Problem codes: a living invoice of another row bills this one."""
LEFT_ALONE: Final = BILLED | {"row.not_wanted", "row.hidden", "row.superseded"}
"""Problem codes of rows without a fault: they are billed, or a person chose not to bill them."""


def failing_rows(context: Context, file: FileRecord) -> list[RowOutcome]:
    """Return the failing rows of a file from its newest readings; for a sale with one failing row, all of its rows.

    If the file was billed for several months, return rows of the month that was read last: a workbook belongs to one
    month.
    """
    has_orders = kind_of(file.kind).has_orders
    found = context.ledger.read(newest_rows, file.id, is_unbilled=not has_orders)
    outcomes = _of_last_month(context, file, found)
    living = context.ledger.read(living_families, {outcome.row.family for outcome in outcomes})
    if not has_orders:
        return [outcome for outcome in outcomes if _fails(outcome, living)]
    return _whole_sales(outcomes, living, understood_of(context, [outcome.row for outcome in outcomes]))


def _of_last_month(context: Context, file: FileRecord, outcomes: Sequence[RowOutcome]) -> list[RowOutcome]:
    last = context.ledger.read(ledger_files.last_reading, file.id)
    month = parse_competence(str((last.options if last else {}).get("competence") or ""))
    if month is None:
        return list(outcomes)
    wanted = (None, month_text(month))
    return [outcome for outcome in outcomes if outcome.row.run_competence in wanted]


def rows_to_return(context: Context, file: FileRecord) -> list[RowOutcome]:
    """Return the failing rows except those that returned in another file since: that file's answer covers them.

    Return all lines of a sale or none.
    """
    failing = failing_rows(context, file)
    gone = gone_elsewhere(context, file.id, failing)
    if not gone:
        return failing
    if not kind_of(file.kind).has_orders:
        return [outcome for outcome in failing if outcome.row.family not in gone]
    understood = understood_of(context, [outcome.row for outcome in failing])
    sales = {_sale(outcome.row, understood) for outcome in failing if outcome.row.family in gone}
    return [outcome for outcome in failing if _sale(outcome.row, understood) not in sales]


def is_rejected(outcome: RowOutcome) -> bool:
    """Return whether the issuer, and not this system, refused the row."""
    return outcome.invoice is not None and outcome.invoice.state in NOT_TAKEN


def _fails(outcome: RowOutcome, living: Collection[int]) -> bool:
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
        if any(_fails(each, living) for each in rows) and not any(each.row.family in living for each in rows)
    }
    return [outcome for outcome in outcomes if _sale(outcome.row, understood) in failing]


def _sale(row: RowRecord, understood: Mapping[int, Mapping[str, Any]]) -> str:
    """Return the key of the row's sale; a row without a key is a sale of its own."""
    order = said_by(PRODUCTS, understood[row.reading_id], row.cells).order
    if order is None and row.line is not None:
        order = str(row.line.get("order_key", ""))
    return same_order(order) if order else f"\n{row.id}"
