"""Check replaced invoices until the issuer shows them as cancelled. Else open an incident after a while."""

from datetime import timedelta

from connectors.http.errors import ConnectorError, NotFound
from connectors.ledger import replacements as ledger_replacements
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.replacements import NOT_SHOWN, TWO_LIVING, Pair
from domain.issuing import EmitterRef
from domain.problems import Problem
from domain.states import MAYBE_ISSUED, InvoiceState
from domain.station_result import Ending, StationResult
from tasks.issuance.batch_lease import LeasedBatch, work_on
from tasks.issuance.follow import take_in
from tasks.issuance.unreadable import UNUSABLE
from tasks.runtime import Runtime


async def settle_replaced(runtime: Runtime, batch_id: int) -> StationResult:
    """Read each replaced invoice of a batch once, if its successor is accepted. Safe to repeat."""
    return await work_on(runtime, batch_id, station="replace", states=MAYBE_ISSUED, work=_settle)


async def _settle(leased: LeasedBatch) -> StationResult:
    emitter = await leased.emitter()
    ledger = leased.runtime.ledger
    failed: ConnectorError | None = None
    unread: set[int] = set()
    missing: set[int] = set()
    for pair in await ledger.read_async(ledger_replacements.pairs_of, leased.batch.id):
        await leased.keep()
        try:
            await _observe_replaced(leased, emitter, pair)
        except NotFound:
            missing.add(pair.replaced.id)
        except UNUSABLE as error:
            # Perhaps only this invoice is shown like that: read the others first.
            failed = error
            unread.add(pair.replaced.id)
    for pair in await ledger.read_async(ledger_replacements.pairs_of, leased.batch.id):
        # an invoice that was not shown may have been cancelled long ago
        if pair.replaced.id not in unread:
            await _report(leased, pair, NOT_SHOWN if pair.replaced.id in missing else TWO_LIVING)
    if failed is not None:
        raise failed
    due = await ledger.read_async(ledger_replacements.due_batches)
    return leased.result(Ending.WAITING if leased.batch.id in due else Ending.DONE)


async def _observe_replaced(leased: LeasedBatch, emitter: EmitterRef, pair: Pair) -> None:
    """Read the replaced invoice by its id and store its state."""
    assert pair.replaced.remote_id is not None
    remote = await leased.issuer.read(emitter, pair.replaced.remote_id)
    await take_in(leased, emitter, pair.replaced, remote)


async def _report(leased: LeasedBatch, pair: Pair, code: str) -> None:
    """Open the incident of this code after the issuer had enough time to end the replaced invoice."""
    ledger, protocol = leased.runtime.ledger, leased.runtime.settings.protocol
    patience = timedelta(seconds=protocol.counter_patience_s)
    is_early = await ledger.read_async(ledger_now) < pair.accepted_at + patience
    if pair.replaced.state is not InvoiceState.ACCEPTED or is_early:
        return
    await leased.open_incident(Problem(code, params=_params(pair)), invoice_id=pair.replaced.id)


def _params(pair: Pair) -> dict[str, str | int]:
    return {
        "serie": pair.replaced.serie or "-",
        "number": pair.replaced.number or 0,
        "new_serie": pair.successor.serie or "-",
        "new_number": pair.successor.number or 0,
    }
