"""Explain why an invoice, a row or a whole run waits: for what, what to do about it, and who does it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from connectors.ledger import batches as ledger_batches
from connectors.ledger import cancellations as ledger_cancellations
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import rate_limits
from connectors.ledger.batches import BatchRecord
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.journal import latest_event
from connectors.ledger.observations.doubts import waiting_doubts
from domain.competence import BRASILIA
from domain.problems import Problem
from domain.states import BatchState, InvoiceState
from tasks.runtime import Context
from tasks.views.due_work import (
    STATES,
    Station,
    due_batches,
    suspended_batches,
    undecided_batches,
    unfinished_batches,
    waiting_restorations,
)
from tasks.views.who_acts import awaits_approval

_PATIENCE_S: Final = 900.0
"""The longest that a run waits, in seconds, for the next look or for any change; a later run does the rest."""
_NAMED: Final = 20
_ENDED: Final = frozenset(
    {
        InvoiceState.ACCEPTED,
        InvoiceState.REJECTED,
        InvoiceState.REFUSED,
        InvoiceState.CANCELLED,
        InvoiceState.REPLACED,
        InvoiceState.DELETED,
        InvoiceState.RETIRED,
    }
)


def why_waiting(
    context: Context, invoice: InvoiceRecord, batch: BatchRecord | None, suspended: Mapping[int, int]
) -> Problem | None:
    """Return the reason why this invoice waits, or None if it has ended or needs only time.

    `suspended`: the result of `suspended_batches`.
    """
    if invoice.state in _ENDED:
        return None
    if invoice.state is InvoiceState.DRAFTED and batch is None:
        return Problem("waiting.no_number")
    if invoice.state is InvoiceState.UNRESOLVED:
        return Problem("waiting.unresolved", params={"note": invoice.id})
    if batch is not None and batch.state is BatchState.DISTURBED:
        return Problem("waiting.batch_stopped", params={"batch": batch.id})
    if batch is not None and batch.state is BatchState.HELD:
        return Problem("waiting.canary", params={"batches": batch.id})
    if invoice.state is InvoiceState.IN_DOUBT:
        return Problem("waiting.in_doubt")
    if batch is not None and awaits_approval(context, batch):
        return Problem("waiting.approval", params={"batches": batch.id})
    return next(_suspensions({batch.id: suspended[batch.id]}), None) if batch and batch.id in suspended else None


def suspended_notices(context: Context) -> Iterator[Problem]:
    """Yield a problem for each stopped batch that holds back others: a person decides, and then all of them go on."""
    yield from _suspensions(suspended_batches(context))


def _suspensions(suspended: Mapping[int, int]) -> Iterator[Problem]:
    held: dict[int, list[int]] = defaultdict(list)
    for batch, stopped in suspended.items():
        held[stopped].append(batch)
    for stopped, batches in held.items():
        yield Problem("waiting.suspended", params={"batch": stopped, "batches": _named(batches)})


def unnumbered_notices(context: Context) -> Iterator[Problem]:
    """Yield one problem with the number of invoices that wait for a number, if there are any."""
    count = context.ledger.read(ledger_invoices.count_unnumbered)
    if count:
        yield Problem("waiting.unnumbered", params={"count": count})


def doubt_notices(context: Context) -> Iterator[Problem]:
    """Yield one problem with the number of invoices in doubt that settle without a person, if there are any."""
    count, due_at = context.ledger.read(waiting_doubts)
    if due_at is not None:
        at = max(due_at, context.ledger.read(ledger_now)).astimezone(BRASILIA)
        yield Problem("waiting.doubts", params={"count": count, "at": f"{at:%d/%m %H:%M:%S}"})


def cancellation_notices(context: Context) -> Iterator[Problem]:
    """Yield a problem with the number of cancellations that wait for a second person, and one for the issuer."""
    cancellations = context.ledger.read(ledger_cancellations.all_open)
    unapproved = sum(cancellation.approved_at is None for cancellation in cancellations)
    if unapproved:
        yield Problem("waiting.cancel_approval", params={"count": unapproved})
    if len(cancellations) > unapproved:
        yield Problem("waiting.cancellation", params={"count": len(cancellations) - unapproved})


@dataclass(frozen=True, slots=True)
class RemainingWork:
    """The remaining work. `next_look_s`: seconds until work can continue; None if only a person can continue it.

    `latest_event` is an id that grows with every change. `reasons` tell what the remaining work waits for.
    """

    next_look_s: float | None
    latest_event: int
    reasons: tuple[Problem, ...]

    def is_worth_waiting(self, *, still_s: float) -> bool:
        """Return whether another sweep may soon make progress. `still_s`: seconds since the last change."""
        return self.next_look_s is not None and self.next_look_s <= _PATIENCE_S and still_s <= _PATIENCE_S


def remaining_work(context: Context) -> RemainingWork:
    """Return the ledger's remaining work, and when it can continue."""
    going_on = unfinished_batches(context)
    next_look_s = _next_look_s(context, going_on)
    event = context.ledger.read(latest_event)
    return RemainingWork(next_look_s, event, tuple(_reasons(context, going_on, next_look_s or 0.0)))


def _next_look_s(context: Context, going_on: Sequence[BatchRecord]) -> float | None:
    cancellation_at = _next_cancellation_at(context)
    if not going_on and cancellation_at is None:
        return None
    stations: tuple[Station, ...] = ("stage", "release", "reconcile", "discard", "cancel")
    suspended = suspended_batches(context).keys()
    if any(set(due_batches(context, station)) - suspended for station in stations):
        return 0.0
    at = context.ledger.read(ledger_now)
    ends = _ends(context, going_on, cancellation_at)
    return max(0.0, min((end - at).total_seconds() for end in ends))


def _ends(context: Context, going_on: Sequence[BatchRecord], cancellation_at: datetime | None) -> Iterator[datetime]:
    """Yield the instant until which each batch, and the next cancellation, must wait."""
    resting = [
        each.resting_until
        for each in context.ledger.read(rate_limits.paused_after_failures)
        if each.resting_until is not None
    ]
    for batch in going_on:
        yield max(at for at in (batch.due_at, batch.lease_until, *resting) if at is not None)
    if cancellation_at is not None:
        yield max((cancellation_at, *resting))


def _next_cancellation_at(context: Context) -> datetime | None:
    """Return when an approved cancellation is due; None if there is none, or while a restored ledger waits."""
    return None if waiting_restorations(context) else context.ledger.read(ledger_cancellations.next_due_at)


def _reasons(context: Context, going_on: Sequence[BatchRecord], next_look_s: float) -> Iterator[Problem]:
    for code, batches in _batches_for_people(context):
        if batches:
            yield Problem(code, params={"batches": _batch_numbers(batches)})
    yield from suspended_notices(context)
    yield from unnumbered_notices(context)
    yield from doubt_notices(context)
    yield from cancellation_notices(context)
    if going_on:
        at = datetime.fromtimestamp(context.ledger.read(ledger_now).timestamp() + next_look_s, BRASILIA)
        yield Problem("waiting.time", params={"batches": _batch_numbers(going_on), "at": f"{at:%d/%m %H:%M:%S}"})


def _batches_for_people(context: Context) -> Iterator[tuple[str, list[BatchRecord]]]:
    """Yield each reason why a batch waits for a person or its canary (a problem code), and its batches."""

    def batches_in(*states: BatchState) -> list[BatchRecord]:
        return context.ledger.read(ledger_batches.batches_where, states=states)

    undecided = undecided_batches(context)
    followed = [batch for batch in batches_in(*STATES["reconcile"]) if batch.id in undecided]
    unread = [batch for batch in followed if not context.capabilities(batch.issuer).can_read]
    stopped = [*batches_in(BatchState.DISTURBED), *(batch for batch in followed if batch not in unread)]
    yield "waiting.decision", sorted(stopped, key=lambda batch: batch.id)
    yield "waiting.unread", unread
    yield "waiting.canary", batches_in(BatchState.HELD)
    yield "waiting.approval", [batch for batch in batches_in(BatchState.STAGED) if awaits_approval(context, batch)]


def _batch_numbers(batches: Sequence[BatchRecord]) -> str:
    return _named([batch.id for batch in batches])


def _named(batch_ids: Sequence[int]) -> str:
    return ", ".join(map(str, batch_ids[:_NAMED])) + " …" * (len(batch_ids) > _NAMED)
