"""List what keeps a month open, and who acts on each item."""

from collections.abc import Collection, Iterator
from datetime import date
from typing import Final

from connectors.ledger import closings as ledger_closings
from connectors.ledger.closings import OpenWork
from connectors.ledger.mirror.sync_cursors import cursor_of
from connectors.ledger.sheets.unsettled_rows import UnsettledRow
from domain.competence import BRASILIA, add_months, first_of_month, format_competence, parse_competence
from domain.issuing import SERVICE
from domain.orders.billing import BillingRules
from domain.problems import FaturistaError, Problem
from domain.states import BatchState
from domain.texts import count_and_first
from tasks.contracts.month import unbilled_of_month
from tasks.corrections.waiting_rows import returned_rows
from tasks.orders.payments import configured_plans, first_instant, payments_of_month, rules_of
from tasks.runtime import Context
from tasks.views.contradicted_payments import contradicted_payments
from tasks.views.due_work import suspended_batches

_PERSONS: Final = frozenset({BatchState.STAGED, BatchState.DISTURBED})
_CITYS: Final = frozenset({BatchState.SCHEDULED, BatchState.PROCESSING})
UNBILLED: Final = frozenset({"due", "unknown"})


def refuse_before_its_end(context: Context, competence: date) -> None:
    """Raise `FaturistaError` (`closing.not_over`) before the month's end in Brasília."""
    end = add_months(competence, 1)
    if context.today < end:
        params = {"month": format_competence(competence), "day": f"{end:%d/%m/%Y}"}
        raise FaturistaError(Problem("closing.not_over", params=params))


def open_items(context: Context, competence: date) -> list[Problem]:
    """Return the open items of a month; each names who has to act. An empty list allows the closing."""
    work = context.ledger.read(ledger_closings.open_work, competence)
    return [
        *_open_work_problems(work, suspended_batches(context)),
        *_open_row_problems(context, competence),
        *_unbilled_contract_problems(context, competence),
        *_unbilled_payment_problems(context, competence),
        *contradicted_payments(context, competence),
    ]


def _open_work_problems(work: OpenWork, suspended: Collection[int]) -> Iterator[Problem]:
    for number, state, kind, count in work.batches:
        params: dict[str, str | int] = {"batch": number, "count": count}
        if state in _PERSONS or number in suspended:
            yield Problem("closing.batch_person", params=params)
        elif state in _CITYS:
            code = "closing.batch_city" if kind == SERVICE else "closing.batch_tax_authority"
            yield Problem(code, params=params)
        else:
            yield Problem("closing.batch_line", params=params)
    if work.invoices:
        yield Problem("closing.open_invoices", params=count_and_first(work.invoices))
    if work.incidents:
        yield Problem("closing.open_incidents", params={"count": len(work.incidents)})
    if work.cancellations:
        yield Problem("closing.open_cancellations", params=count_and_first(work.cancellations))
    if work.replaced:
        yield Problem("closing.open_replacements", params=count_and_first(work.replaced))
    if work.readings:
        yield Problem("closing.open_readings", params=count_and_first(work.readings))


def _open_row_problems(context: Context, competence: date) -> Iterator[Problem]:
    """Yield a problem for each sheet with returned rows of the month that nobody has corrected."""
    rows: dict[tuple[int, str], list[int]] = {}
    for each in returned_rows(context, since=first_instant(add_months(competence, -1))):
        if _month_of(each) == competence:
            rows.setdefault((each.row.file_id, each.file_name), []).append(each.row.row_number)
    for (_, name), numbers in rows.items():
        yield Problem("closing.open_rows", params={"file": name, **count_and_first(numbers)})


def _month_of(unsettled: UnsettledRow) -> date:
    """Return the row's month: of its parsed line, else of the run's options, its cells, or the day of its reading."""
    row = unsettled.row
    in_line = str((row.line or {}).get("competence") or "")[: len("2026-11")]
    cells = (row.cells.get(each["letter"]) for each in unsettled.columns if each["field"] == "competence")
    months = (parse_competence(str(text)) for text in (in_line, row.run_competence, *cells) if text)
    return next(filter(None, months), first_of_month(unsettled.read_at.astimezone(BRASILIA).date()))


def _unbilled_payment_problems(context: Context, competence: date) -> Iterator[Problem]:
    """Yield problems for payments without an NFS-e, and for plans whose payments were last fetched within the month.

    A mistake in the rule file keeps the month open as well.
    """
    try:
        rules = rules_of(context)
    except FaturistaError as error:
        yield error.problem
        return
    if rules is None:
        return
    month = format_competence(competence)
    unbilled = [each.key for each in payments_of_month(context, rules, competence) if each.status in UNBILLED]
    if unbilled:
        yield Problem("closing.open_payments", params={"month": month, **count_and_first(unbilled)})
    unseen = [plan for plan in configured_plans(context, rules) if not _is_seen(context, rules, plan, competence)]
    if unseen:
        yield Problem("closing.unseen_payments", params={"month": month, "plans": ", ".join(unseen)})


def _is_seen(context: Context, rules: BillingRules, plan: str, competence: date) -> bool:
    """Return whether the plan's payments were fetched after the month's end."""
    end = add_months(competence, 1)
    if end <= rules.since:
        return True
    cursor = context.ledger.read(cursor_of, plan, "paid_invoices")
    return cursor is not None and cursor.synced_at is not None and cursor.synced_at >= first_instant(end)


def _unbilled_contract_problems(context: Context, competence: date) -> Iterator[Problem]:
    keys = [each.contract.key for each in unbilled_of_month(context, competence)]
    if keys:
        yield Problem(
            "closing.open_contracts", params={"month": format_competence(competence), **count_and_first(keys)}
        )
