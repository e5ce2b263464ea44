"""Write the overview: what was issued, what waits for whom, what failed and what to do."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from connectors.ledger import batches as ledger_batches
from connectors.ledger import incidents as ledger_incidents
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import parties as ledger_parties
from connectors.ledger import rate_limits
from connectors.ledger import request_counts as ledger_traffic
from connectors.ledger import rows as ledger_rows
from connectors.ledger.backup.restorations import quarantine_of
from connectors.ledger.batches import BatchRecord
from connectors.ledger.incidents import Incident
from connectors.ledger.observations.situation import files_of_batches, stalled_files
from connectors.ledger.observations.totals import batch_states, note_states
from connectors.ledger.rate_limits import RateState
from connectors.ledger.request_slots import sessions_by_system
from domain.competence import BRASILIA
from domain.problems import Problem
from domain.states import BatchState, InvoiceState, RowState
from tasks.runtime import MIRROR, Context
from tasks.views.contradicted_payments import contradicted_payments
from tasks.views.due_work import suspended_batches
from tasks.views.slow_batches import notices_by_age
from tasks.views.waiting import cancellation_notices, doubt_notices, suspended_notices, unnumbered_notices
from tasks.views.who_acts import who_acts

_ISSUES_NOTHING: Final = frozenset({MIRROR, "cancel", "documents"})
"""Stations whose requests do not count in the cost of an invoice."""


@dataclass(frozen=True, slots=True)
class BatchView:
    """A batch, its emitter's name, the number of its invoices in each state (`notes`), and the name of its file.

    `waits_for` says who acts next.
    """

    batch: BatchRecord
    emitter_name: str
    notes: Mapping[InvoiceState, int]
    file_name: str
    waits_for: str


@dataclass(frozen=True, slots=True)
class Overview:
    """The state of the whole ledger or of one reading. `accepted_cents` is the sum of accepted service amounts.

    `left_out` is how many batches are in other states than the ones asked for. `notes` counts invoices of these too.
    `rows` counts the rows of the reading; it is empty for the whole ledger. `incidents` and `notices` are always the
    whole ledger's. `requests` is None for one reading: requests are not counted by reading. `notices` are problems that
    stop all work or last long, and need no decision by a person. `suspended` are the batches that wait for a decision
    about another batch.
    """

    batches: Sequence[BatchView]
    incidents: Sequence[Incident]
    rows: Mapping[RowState, int]
    notes: Mapping[InvoiceState, int]
    accepted_cents: int
    requests: int | None
    notices: Sequence[Problem] = ()
    suspended: Collection[int] = ()
    left_out: int = 0

    @property
    def requests_per_invoice(self) -> float | None:
        """Return requests per accepted or rejected invoice, or None before the first."""
        ended = self.notes.get(InvoiceState.ACCEPTED, 0) + self.notes.get(InvoiceState.REJECTED, 0)
        return self.requests / ended if ended and self.requests is not None else None


def overview(
    context: Context, reading_id: int | None = None, *, states: Collection[BatchState] | None = None
) -> Overview:
    """Return the overview of the ledger or of one reading. `states` limits it to batches in these states."""
    ledger = context.ledger
    emitters = {emitter.id: emitter.name for emitter in ledger.read(ledger_parties.emitters_all)}
    batches = ledger.read(ledger_batches.batches_where, states=states, reading_id=reading_id)
    files = ledger.read(files_of_batches, [batch.id for batch in batches])
    acts = who_acts(context, batches)
    views = [
        BatchView(
            batch,
            emitters[batch.emitter_id],
            ledger.read(ledger_invoices.count_by_state, batch.id),
            files[batch.id],
            acts[batch.id],
        )
        for batch in batches
    ]
    is_whole = reading_id is None
    return Overview(
        batches=views,
        incidents=ledger.read(ledger_incidents.incidents_open),
        rows={} if reading_id is None else ledger.read(ledger_rows.count_rows, reading_id),
        notes=ledger.read(note_states) if is_whole else sum((Counter(view.notes) for view in views), Counter()),
        accepted_cents=ledger.read(ledger_invoices.accepted_cents, reading_id=reading_id),
        requests=_requests_for_invoices(context) if is_whole else None,
        notices=tuple(_notices(context)),
        suspended=suspended_batches(context).keys(),
        left_out=sum(ledger.read(batch_states).values()) - len(views) if is_whole else 0,
    )


def _requests_for_invoices(context: Context) -> int:
    stations = context.ledger.read(ledger_traffic.requests_by_station)
    return sum(count for name, count in stations.items() if name not in _ISSUES_NOTHING)


def _notices(context: Context) -> Iterator[Problem]:
    if context.ledger.read(quarantine_of) is not None:
        yield Problem("ledger.quarantined")
    for rate in context.ledger.read(rate_limits.paused_after_failures):
        since, until = (_hour(at) for at in (rate.resting_since, rate.resting_until))
        yield Problem("system.resting", params={"system": _system_name(context, rate), "since": since, "until": until})
    for rate in context.ledger.read(rate_limits.paused_on_request):
        yield Problem("system.paused", params={"system": _system_name(context, rate), "until": _hour(rate.next_at)})
    for rate in context.ledger.read(rate_limits.slowed_systems):
        yield Problem(
            "system.slowed", params={"system": _system_name(context, rate), "per_minute": rate.per_minute or 0}
        )
    yield from _crowded_systems(context)
    yield from stalled_notices(context)
    yield from suspended_notices(context)
    yield from unnumbered_notices(context)
    yield from doubt_notices(context)
    yield from cancellation_notices(context)
    yield from contradicted_payments(context)
    yield from notices_by_age(context)


def _crowded_systems(context: Context) -> Iterator[Problem]:
    """Yield a problem for each system that more processes use than requests may be in flight."""
    for crowd in context.ledger.read(sessions_by_system):
        limit = context.settings.system(crowd.system).in_flight
        if crowd.sessions > limit:
            system = context.catalogue.text(f"system.name_{crowd.system}")
            yield Problem("system.crowded", params={"system": system, "processes": crowd.sessions, "limit": limit})


def stalled_notices(context: Context) -> Iterator[Problem]:
    """Yield a problem for each file whose import stopped: half read, or read and not planned."""
    for each in context.ledger.read(stalled_files, idle_s=context.settings.protocol.lease_s):
        code = "file.stalled_read" if each.is_read else "file.stalled_unread"
        yield Problem(code, params={"file": each.name, "since": _hour(each.since)})


def _system_name(context: Context, rate: RateState) -> str:
    return context.catalogue.text(f"system.name_{rate.system}")


def _hour(at: datetime | None) -> str:
    return "-" if at is None else at.astimezone(BRASILIA).strftime("%d/%m %H:%M:%S")
