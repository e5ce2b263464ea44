"""List the invoices of a batch reliably.

List order is not contractual and pages drift while notes appear or vanish, so one walk through the pages proves
nothing. A listing is *stable* when the batch's counter before and after, each page's `count` and the number of distinct
ids all agree; the caller holds the batch's lease and posts nothing meanwhile.
"""

from dataclasses import dataclass
from datetime import datetime

from connectors.http.errors import PartlyUnreadable
from connectors.ledger.database.sql import now as ledger_now
from domain.issuing import RemoteBatch, RemoteInvoice, Staging
from domain.problems import FaturistaError, Problem
from tasks.runtime import Runtime


class Unstable(FaturistaError):
    """The batch changed during every try of a listing: somebody else works in it."""


@dataclass(frozen=True, slots=True)
class Listing:
    """All invoices of a batch at one moment. `begun_at` is the ledger's instant before the first request.

    `unread_ids` are the issuer's ids of entries that are not as documented (`?`: no id), empty unless somebody asked
    for a partial listing.

    Quiet time runs from one worker's request to another worker's look. Their own clocks may differ by more than that,
    or be corrected in between; therefore the ledger's clock counts.
    """

    batch: RemoteBatch
    notes: tuple[RemoteInvoice, ...]
    begun_at: datetime
    unread_ids: tuple[str, ...] = ()


async def list_stably(
    runtime: Runtime, staging: Staging, remote_id: int, *, seen: RemoteBatch | None = None, is_partial: bool = False
) -> Listing:
    """Return a stable listing of the issuer's batch. Raises `Unstable` after `protocol.listing_tries` tries.

    `seen` is the batch as the caller just read it: the first try does not read it again. Such a listing begins before
    its `begun_at`, so it proves no absence. With `is_partial`, the listing may have entries that are not as documented;
    then it proves no absence, either. Without it, raises `PartlyUnreadable` for such a listing.
    """
    for _ in range(runtime.settings.protocol.listing_tries):
        listing = await _list_once(runtime, staging, remote_id, seen, is_partial=is_partial)
        seen = None
        if listing is not None:
            return listing
    raise Unstable(Problem("batch.unstable_listing", params={"batch": remote_id}))


async def _list_once(
    runtime: Runtime, staging: Staging, remote_id: int, seen: RemoteBatch | None, *, is_partial: bool
) -> Listing | None:
    begun_at = await runtime.ledger.read_async(ledger_now)
    before = seen or await staging.read(remote_id)
    notes: dict[int, RemoteInvoice] = {}
    sizes: set[int] = set()
    unread_ids: tuple[str, ...] = ()
    try:
        async for page in staging.invoices(remote_id):
            sizes.add(page.count)
            notes.update((note.id, note) for note in page.invoices)
    except PartlyUnreadable as error:
        if not is_partial:
            raise
        unread_ids = error.unread_ids
    after = await staging.read(remote_id)
    if before.counters != after.counters or {before.counters.total, *sizes} != {len(notes) + len(unread_ids)}:
        return None
    return Listing(batch=after, notes=tuple(notes.values()), begun_at=begun_at, unread_ids=unread_ids)
