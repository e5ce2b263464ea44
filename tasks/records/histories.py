"""Compare the provider's history of invoices and batches with our journal.

An entry shows only its instant and its two states. The other fields name people, and one was seen to hold a token.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from connectors.http.errors import NotFound
from connectors.ledger import batches as ledger_batches
from connectors.ledger.invoices import InvoiceRecord
from domain.problems import Problem
from domain.resources import Record
from domain.states import InvoiceState
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
"""States that the provider has, too, by the same names."""


@dataclass(frozen=True, slots=True)
class Told:
    """The provider's history of one `note` or `batch`, with its remote id and each change, oldest first.

    `problem` describes a difference from our journal.
    """

    what: str
    remote_id: int
    entries: Sequence[Record]
    problem: Problem | None = None


async def provider_histories(profile: str, invoices: Sequence[InvoiceRecord]) -> list[Told]:
    """Request the history of each staged invoice and of its batch."""
    async with open_runtime(profile, station="trace") as runtime:
        asked = [
            each for each in invoices if runtime.capabilities(each.issuer).is_staged and each.remote_id is not None
        ]
        notes = [await _note(runtime, each) for each in asked]
        return [*notes, *[await _batch(runtime, each) for each in sorted(set(_batches(runtime, asked)))]]


async def _note(runtime: Runtime, invoice: InvoiceRecord) -> Told:
    assert invoice.remote_id is not None
    entries = await _entries(runtime, "note-history", invoice.remote_id)
    problem = None
    if entries and invoice.state in _COMPARABLE and entries[-1].name != invoice.state.value:
        params = {"id": invoice.remote_id, "state": invoice.state.value, "theirs": entries[-1].name}
        problem = Problem("trace.differs", params=params)
    return Told("note", invoice.remote_id, entries, problem)


async def _batch(runtime: Runtime, remote_id: int) -> Told:
    return Told("batch", remote_id, await _entries(runtime, "batch-history", remote_id))


def _batches(runtime: Runtime, invoices: Sequence[InvoiceRecord]) -> Iterator[int]:
    for invoice in invoices:
        if invoice.batch_id is not None:
            remote_id = runtime.ledger.read(ledger_batches.batch_of, invoice.batch_id).remote_id
            if remote_id is not None:
                yield remote_id


async def _entries(runtime: Runtime, kind: str, remote_id: int) -> Sequence[Record]:
    """Return the entries; none if the provider does not know the record or keeps no history."""
    resource = runtime.issuers.resources.get(kind)
    if resource is None or resource.all is None:
        return ()
    try:
        return await resource.all((str(remote_id),), {})
    except NotFound:
        return ()
