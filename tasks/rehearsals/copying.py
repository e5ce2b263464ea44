"""Copy a ledger for a rehearsal, and set its clock to the month."""

from calendar import monthrange
from dataclasses import replace
from datetime import date, datetime, time
from pathlib import Path
from typing import Final

from connectors.ledger.backup.copies import write_copy
from connectors.ledger.backup.rehearsing import make_rehearsal
from domain.competence import BRASILIA, competence_problem
from domain.documents import parse_document
from domain.problems import FaturistaError, Problem
from tasks.contracts.month import charges_of_month
from tasks.orders.payments import payments_of_month, rules_of
from tasks.rehearsals.fault_injection import Company
from tasks.rehearsals.sandbox_seed import company_of
from tasks.runtime import Context, inspect_context, ledger_address
from tasks.runtime.rehearsal_settings import REHEARSAL

_COPY: Final = "copy.gz"


def copy_ledger(profile: str, folder: Path) -> Company:
    """Copy the profile's ledger into `folder` without changing it. Return the company for the sandbox."""
    with inspect_context(profile) as context:
        context.ledger.read(write_copy, folder / _COPY)
        return company_of(context)


def restore_copy(folder: Path) -> None:
    """Restore the copy in `folder` as the rehearsal's ledger."""
    make_rehearsal(ledger_address(REHEARSAL), folder / _COPY)


def at_month_end(context: Context, competence: date) -> Context:
    """Return the context with its clock stopped when the whole month is due: at 23:00 of its last day, or now if later.

    Raises `FaturistaError` (`competence.future`) for a month that has not begun.
    """
    problem = competence_problem(competence, context.clock())
    if problem is not None:
        raise FaturistaError(problem)
    last = competence.replace(day=monthrange(competence.year, competence.month)[1])
    end = max(context.clock(), datetime.combine(last, time(23), BRASILIA))
    return replace(context, clock=lambda: end)


def customers_of(context: Context, competence: date) -> set[str]:
    """Return the documents of the customers that contracts or payments bill in the month."""
    charged = {each.contract.customer.number for each in charges_of_month(context, competence)}
    rules = rules_of(context)
    paid = [] if rules is None else payments_of_month(context, rules, competence)
    parsed = (parse_document(each.invoice.client_document or "") for each in paid)
    return charged | {each.document.number for each in parsed if not isinstance(each, Problem)}
