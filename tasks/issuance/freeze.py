"""Station 5 for issuers that issue at once: send nothing, only fix the numbers and contents to approve."""

from connectors.ledger import batches as ledger_batches
from connectors.ledger import invoices as ledger_invoices
from domain.keys import proof_digest
from domain.problems import Problem
from domain.states import LIVING, InvoiceState
from domain.station_result import StationResult
from tasks.issuance.batch_lease import Disturbance, LeasedBatch

_NO_BATCH_THERE = 0


async def freeze_batch(leased: LeasedBatch) -> StationResult:
    """Store one digest of all numbers and contents, to which the approval is bound. Post nothing."""
    ledger = leased.runtime.ledger
    notes = await ledger.read_async(ledger_invoices.invoices_of, leased.batch.id, states=LIVING)
    posted = [note for note in notes if note.state is not InvoiceState.RESERVED]
    if posted:
        # A batch may be opened again after some of it was issued; the issued part cannot be approved again.
        raise Disturbance(Problem("batch.unsettled", params={"batch": leased.batch.id, "count": len(posted)}))
    contents = [f"{note.serie} {note.number} {note.digest}" for note in notes]
    digest = proof_digest(_NO_BATCH_THERE, leased.batch.revision, contents)
    await ledger.write_async(ledger_batches.freeze_payloads, leased.lease, digest=digest)
    return leased.result(fixed=len(notes))
