"""Show cancellations to people: the invoice, the time left to cancel it, and the outcome."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from configs.catalogue import Catalogue
from connectors.ledger import cancellations as ledger_cancellations
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import parties as ledger_parties
from connectors.ledger.cancellations import Cancellation
from connectors.ledger.invoices import InvoiceRecord
from domain.competence import BRASILIA
from tasks.cancellations.requests import Candidate
from tasks.runtime import Context
from tasks.views.rejections import say_errors

_SHOWN_FOR: Final = timedelta(days=7)
_HOUR_S: Final = 3600
_MINUTE_S: Final = 60


@dataclass(frozen=True, slots=True)
class CancellationView:
    """A cancellation with its invoice."""

    cancellation: Cancellation
    note: InvoiceRecord
    emitter_name: str


def views_of(context: Context, cancellations: Sequence[Cancellation]) -> list[CancellationView]:
    """Return these cancellations with their invoices."""
    found = context.ledger.read(
        ledger_invoices.invoices_by_ids, [cancellation.invoice_id for cancellation in cancellations]
    )
    notes = {note.id: note for note in found}
    names = {each.id: each.name for each in context.ledger.read(ledger_parties.emitters_all)}
    return [
        CancellationView(
            cancellation, notes[cancellation.invoice_id], names.get(notes[cancellation.invoice_id].emitter_id, "")
        )
        for cancellation in cancellations
    ]


def recent(context: Context) -> list[CancellationView]:
    """Return the open cancellations and those that ended within a week, oldest first."""
    return views_of(
        context, context.ledger.read(ledger_cancellations.open_or_ended_since, context.clock() - _SHOWN_FOR)
    )


def number_of(note: InvoiceRecord) -> str:
    """Return serie and number as people write them, for example `F-123`."""
    return f"{note.serie or '-'}-{note.number or '-'}"


def time_left_text(words: Catalogue, candidate: Candidate, now: datetime) -> str:
    """Return how much time is left to cancel an invoice."""
    if candidate.until is None:
        return words.text("cancel.window_unknown" if candidate.has_window else "cancel.window_city")
    seconds = int((candidate.until - now).total_seconds())
    until = f"{candidate.until.astimezone(BRASILIA):%d/%m %H:%M}"
    if seconds <= 0:
        return words.text("cancel.window_over", until=until)
    hours, minutes = seconds // _HOUR_S, seconds % _HOUR_S // _MINUTE_S
    return words.text("cancel.window_left", hours=hours, minutes=f"{minutes:02}", until=until)


def say_outcome(words: Catalogue, view: CancellationView) -> str:
    """Return a cancellation's progress, or its outcome with the reasons."""
    cancellation = view.cancellation
    if cancellation.outcome is not None:
        reasons = "; ".join(say_errors(words, cancellation.answers))
        return ": ".join(filter(None, (words.text(f"cancellation.{cancellation.outcome}"), reasons)))
    if cancellation.approved_at is None:
        return words.text("cancel.waits_for_person")
    return words.text("cancel.waits_for_issuer", state=words.text(f"state.invoice.{view.note.state.value}"))
