"""Delete an invoice that was not sent: one at a time, journalled like every write."""

from connectors.http.errors import ConnectorError, NotFound
from connectors.ledger import attempts as ledger_attempts
from tasks.issuance.batch_lease import Hold


async def delete_note(hold: Hold, remote_id: int, *, invoice_id: int) -> None:
    """Delete an invoice of ours by its id; 404 counts as deleted, any other refusal means that it was sent.

    Raises `FenceLost` before anything is asked, and `ConnectorError`.
    """
    await hold.renew()
    ledger = hold.runtime.ledger
    attempt = await ledger.writing(ledger_attempts.begin, hold.lease, "delete", invoice_id=invoice_id)
    try:
        await hold.staging.delete(remote_id, not_after=hold.last_start)
    except NotFound:
        await ledger.writing(ledger_attempts.end, attempt, "done", status=404, remote_id=remote_id)
    except ConnectorError as error:
        await ledger.writing(ledger_attempts.end, attempt, **hold.failed(error))
        raise
    else:
        await ledger.writing(ledger_attempts.end, attempt, "done", status=204, remote_id=remote_id)
