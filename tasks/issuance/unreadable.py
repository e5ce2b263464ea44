"""Report invoices and list entries that the issuer shows in no readable way. The rest of a batch never waits for them.

Such an invoice is neither present nor absent: its state stays as it is until a look can read it, and a person asks the
provider meanwhile.
"""

from collections.abc import Collection, Sequence
from typing import Final

from connectors.http.errors import Broken, NotFound, Refused, Unreadable
from connectors.ledger.invoices import InvoiceRecord
from domain.issuing import EmitterRef, RemoteInvoice
from domain.problems import Problem
from tasks.issuance.batch_lease import LeasedBatch

UNREADABLE: Final = (Unreadable, Refused)
"""Errors of a read that will not change with another try. `NotFound` is one of them, but says something: handle it."""
UNUSABLE: Final = (*UNREADABLE, Broken)
"""Errors that may concern one invoice alone. If they concern all, the session soon raises `Resting`."""
_NOTES: Final = "batch.unreadable_notes"
_ENTRIES: Final = "batch.unreadable_entries"
_NAMED: Final = 20


async def read_each(
    leased: LeasedBatch, emitter: EmitterRef, remote_ids: Collection[int]
) -> tuple[dict[int, RemoteInvoice], set[int]]:
    """Read invoices by their ids. Return the found ones by id, and the ids without a usable answer.

    An id in neither is an invoice that the issuer does not have.
    """
    found: dict[int, RemoteInvoice] = {}
    unread: set[int] = set()
    for remote_id in sorted(remote_ids):
        await leased.keep()
        try:
            found[remote_id] = await leased.issuer.read(emitter, remote_id)
        except NotFound:
            continue
        except UNUSABLE:
            unread.add(remote_id)
    return found, unread


async def record_unreadable(leased: LeasedBatch, notes: Sequence[InvoiceRecord]) -> tuple[Problem, ...]:
    """Keep one incident that names these invoices; close it if there are none. Return it as a remark."""
    named = ", ".join(f"{note.serie}-{note.number}" for note in notes[:_NAMED])
    params: dict[str, str | int] = {"count": len(notes), "numbers": named + " …" * (len(notes) > _NAMED)}
    return await _keep(leased, Problem(_NOTES, params=params) if notes else None, _NOTES)


async def record_unreadable_entries(leased: LeasedBatch, ids: Sequence[str]) -> tuple[Problem, ...]:
    """Keep one incident about entries of the batch's list that may be anybody's; close it if there are none."""
    named = ", ".join(sorted(ids)[:_NAMED]) + " …" * (len(ids) > _NAMED)
    params: dict[str, str | int] = {"count": len(ids), "entries": named}
    return await _keep(leased, Problem(_ENTRIES, params=params) if ids else None, _ENTRIES)


async def _keep(leased: LeasedBatch, problem: Problem | None, code: str) -> tuple[Problem, ...]:
    await leased.keep_incident(code, None if problem is None else problem.params)
    return () if problem is None else (problem,)
