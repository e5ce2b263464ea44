"""Delete an unsent invoice: one at a time, with a journal entry like every write."""

from connectors.http.errors import ConnectorError, NotFound
from connectors.ledger import attempts as ledger_attempts
from tasks.issuance.batch_lease import LeasedBatch


async def delete_note(leased: LeasedBatch, remote_id: int, *, invoice_id: int) -> None:
    """Delete an invoice of ours by its id. 404 counts as deleted; any other refusal means that it was sent.

    Raises `FenceLost` before the request, and `ConnectorError`.
    """
    await leased.renew()
    ledger = leased.runtime.ledger
    attempt = await ledger.write_async(ledger_attempts.begin, leased.lease, "delete", invoice_id=invoice_id)
    try:
        await leased.staging.delete(remote_id, not_after=leased.last_start)
    except NotFound:
        await ledger.write_async(ledger_attempts.end, attempt, "done", status=404, remote_id=remote_id)
    except ConnectorError as error:
        await ledger.write_async(ledger_attempts.end, attempt, **leased.failed_entry(error))
        raise
    else:
        await ledger.write_async(ledger_attempts.end, attempt, "done", status=204, remote_id=remote_id)
