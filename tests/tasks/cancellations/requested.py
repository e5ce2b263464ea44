"""Cancellations for tests: requested, approved and carried out."""

from collections.abc import Sequence

from connectors.ledger import cancellations
from connectors.ledger.cancellations import Cancellation
from domain.staff import Actor
from tasks.cancellations.requests import request
from tests.tasks.workshop import Workshop

REASON = "Cobrança em duplicidade, pedida pelo cliente"


def request_cancellation(
    shop: Workshop, batch: int, places: Sequence[int] = (0,), *, person: str = "Ana"
) -> list[Cancellation]:
    """Request the cancellation of some invoices of a batch."""
    notes = shop.notes(batch)
    with shop.context() as context:
        return request(context, [(notes[place], REASON) for place in places], actor=Actor(person))


def outcomes(shop: Workshop, batch: int) -> list[str | None]:
    """Return the outcome of each cancellation in a batch, oldest first."""
    ids = [note.id for note in shop.notes(batch)]
    return [each.outcome for each in shop.read(cancellations.of_invoices, ids)]
