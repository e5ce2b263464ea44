"""Close a month, reopen it, and find later changes of a closed month."""

import hashlib
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from connectors.ledger import closings as ledger_closings
from connectors.ledger.closings import Closing, LaterChange
from domain.competence import add_months, first_of_month, format_competence
from domain.problems import FaturistaError, Problem
from tasks.backup.detaching import refuse_detached
from tasks.closing.open_items import open_items, refuse_before_its_end
from tasks.closing.reports import write_reports
from tasks.runtime import Context

_BY_CLOCK: Final = "monthly_billing"
"""The name that the ledger stores if no person closes the month."""


@dataclass(frozen=True, slots=True)
class ClosedMonth:
    """A closing, and the SHA-256 of its reports by path. `differing`: reports whose bytes differ from before."""

    closing: Closing
    is_new: bool
    reports: dict[Path, str]
    differing: tuple[str, ...] = ()


def close_month(context: Context, competence: date, *, person: str) -> ClosedMonth | list[Problem]:
    """Close a month and write its reports. If it is closed already, only write its reports again.

    Safe to repeat after a crash: the closing remains, and its reports get the same bytes.

    Returns:
        The closing, or the items that keep the month open.

    Raises:
        FaturistaError: The month is not over yet, or it is detached.
    """
    known = context.ledger.read(ledger_closings.closing_of, competence)
    if known is not None:
        return _write_closing(context, known, is_new=False)
    refuse_before_its_end(context, competence)
    items = open_items(context, competence)
    if items:
        return items
    made = context.ledger.write(ledger_closings.close, competence, person=person)
    return (
        close_month(context, competence, person=person) if made is None else _write_closing(context, made, is_new=True)
    )


def close_last_month(context: Context) -> list[str]:
    """Close the previous month if the profile requires it and nothing is open. Return its new reports.

    A month without any invoice stays open. A closed month whose reports could not be written gets them.
    """
    if not context.settings.closing.automatic:
        return []
    competence = add_months(first_of_month(context.today), -1)
    known = context.ledger.read(ledger_closings.closing_of, competence)
    if known is not None and context.ledger.read(ledger_closings.reports_of, known.id):
        return []
    if not context.ledger.read(ledger_closings.has_invoices, competence):
        return []
    made = close_month(context, competence, person=_BY_CLOCK)
    return list(map(str, made.reports)) if isinstance(made, ClosedMonth) else []


def reopen_month(context: Context, competence: date, *, person: str, because: str) -> Closing:
    """Reopen a closed month. Its closing and the digests of its reports stay in the ledger.

    This is safe even if a sheet that bills one of its charges late is still unread: the charge has one business key,
    whichever month bills it. Raises `FaturistaError` (`closing.not_closed`, `closing.detached`).
    """
    closing = current_closing(context, competence)
    refuse_detached(context, competence)
    context.ledger.write(ledger_closings.reopen, closing.id, person=person, because=because)
    return closing


def current_closing(context: Context, competence: date) -> Closing:
    """Return the closing of a month. Raises `FaturistaError` (`closing.not_closed`)."""
    found = context.ledger.read(ledger_closings.closing_of, competence)
    if found is None:
        raise FaturistaError(Problem("closing.not_closed", params={"month": format_competence(competence)}))
    return found


def changes_since(context: Context, closing: Closing) -> list[LaterChange]:
    """Return the changes of a month after its closing."""
    return context.ledger.read(ledger_closings.changes_since, closing)


def _write_closing(context: Context, closing: Closing, *, is_new: bool) -> ClosedMonth:
    refuse_detached(context, closing.competence)
    made: dict[Path, tuple[str, int]] = {}
    for path in write_reports(context, closing, context.outbox):
        with path.open("rb") as file:
            made[path] = (hashlib.file_digest(file, "sha256").hexdigest(), path.stat().st_size)
    by_name = {path.name: digest for path, digest in made.items()}
    stored = context.ledger.write(ledger_closings.store_reports, closing.id, by_name)
    differing = tuple(sorted(name for name, (digest, _) in by_name.items() if stored[name] != digest))
    return ClosedMonth(closing, is_new, {path: digest for path, (digest, _) in made.items()}, differing)
