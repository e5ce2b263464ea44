"""Compare the provider's history of invoices and batches with our journal.

Open an incident for a difference, unless the provider is only ahead.

An entry shows only its instant and its two states. The other fields name people, and one was seen to hold a token.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from connectors.http.errors import NotFound
from connectors.ledger import batches as ledger_batches
from connectors.ledger import incidents as ledger_incidents
from connectors.ledger.batches import BatchRecord
from connectors.ledger.invoices import InvoiceRecord
from domain.problems import Problem
from domain.resources import Record
from domain.states import MAYBE_ISSUED, UNSENT, InvoiceState, can_observe
from tasks.runtime import Runtime, open_runtime

_COMPARABLE: Final = frozenset(
    {
        InvoiceState.CREATED,
        InvoiceState.SCHEDULED,
        InvoiceState.PROCESSING,
        InvoiceState.ACCEPTED,
        InvoiceState.REJECTED,
        InvoiceState.CANCELLING,
        InvoiceState.CANCELLED,
    }
)
"""States that the provider has as well, under the same names."""
_BY_NAME: Final = {state.value: state for state in _COMPARABLE}
_UNDER_WAY: Final = frozenset({InvoiceState.SCHEDULED, InvoiceState.PROCESSING, InvoiceState.CANCELLING})


@dataclass(frozen=True, slots=True)
class ProviderHistory:
    """The provider's history of one invoice or batch: `entries` has each change, oldest first.

    `what` is `note` or `batch`. `problem` describes a difference from our journal.
    """

    what: str
    remote_id: int
    entries: Sequence[Record]
    problem: Problem | None = None


async def provider_histories(profile: str, invoices: Sequence[InvoiceRecord]) -> list[ProviderHistory]:
    """Request the history of each invoice whose issuer stages, and of its batch."""
    async with open_runtime(profile, station="trace") as runtime:
        asked = [
            each for each in invoices if runtime.capabilities(each.issuer).is_staged and each.remote_id is not None
        ]
        notes = [await _note(runtime, each) for each in asked]
        return [*notes, *[await _batch(runtime, each) for each in _batches(runtime, asked)]]


async def _note(runtime: Runtime, invoice: InvoiceRecord) -> ProviderHistory:
    assert invoice.remote_id is not None
    entries = await _entries(runtime, "note-history", invoice.remote_id)
    # The provider has no word of its own for a replaced invoice.
    ours = InvoiceState.CANCELLED if invoice.state is InvoiceState.REPLACED else invoice.state
    problem = None
    if entries and ours in _COMPARABLE and entries[-1].name != ours.value:
        params = {"id": invoice.remote_id, "state": invoice.state.value, "theirs": entries[-1].name}
        problem = Problem("trace.differs", params=params)
        if invoice.batch_id is not None and not _is_news(ours, entries[-1].name):
            await _report(runtime, problem, invoice.batch_id)
    return ProviderHistory("note", invoice.remote_id, entries, problem)


def _is_news(ours: InvoiceState, theirs: str) -> bool:
    """Return whether the provider is merely ahead on the expected way: the next look stores that state."""
    becomes = _BY_NAME.get(theirs)
    if becomes is None or ours not in _UNDER_WAY:
        return False
    is_cancelled = becomes in {InvoiceState.CANCELLING, InvoiceState.CANCELLED}
    return can_observe(ours, becomes) and (ours is InvoiceState.CANCELLING or not is_cancelled)


async def _batch(runtime: Runtime, batch: BatchRecord) -> ProviderHistory:
    assert batch.remote_id is not None
    entries = await _entries(runtime, "batch-history", batch.remote_id)
    problem, is_sent = None, batch.state in MAYBE_ISSUED
    if entries and (is_sent or batch.state in UNSENT) and (entries[-1].name != "created") != is_sent:
        params = {"batch": batch.id, "state": batch.state.value, "theirs": entries[-1].name}
        problem = Problem("trace.batch_differs", params=params)
        await _report(runtime, problem, batch.id)
    return ProviderHistory("batch", batch.remote_id, entries, problem)


async def _report(runtime: Runtime, problem: Problem, batch_id: int) -> None:
    """Open an incident once, and not again after a person has seen it."""
    await runtime.ledger.write_async(
        ledger_incidents.open_incident_once, code=problem.code, params=problem.params, batch_id=batch_id
    )


def _batches(runtime: Runtime, invoices: Sequence[InvoiceRecord]) -> Iterator[BatchRecord]:
    for batch_id in sorted({each.batch_id for each in invoices if each.batch_id is not None}):
        batch = runtime.ledger.read(ledger_batches.batch_of, batch_id)
        if batch.remote_id is not None:
            yield batch


async def _entries(runtime: Runtime, kind: str, remote_id: int) -> Sequence[Record]:
    """Return the entries; none if the provider does not know the record or keeps no history."""
    resource = runtime.issuers.resource(kind)
    if resource is None or resource.all is None:
        return ()
    try:
        return await resource.all((str(remote_id),), {})
    except NotFound:
        return ()
