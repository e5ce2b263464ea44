"""Check that a serie is still ours alone, after its numbers were reserved."""

from connectors.ledger import parties as ledger_parties
from tasks.issuance.batch_lease import Disturbance, LeasedBatch
from tasks.issuance.numbering import UnusableSerie, look_at_serie


async def check_serie_again(leased: LeasedBatch, serie: str) -> None:
    """Look at a serie again, before the first post of a start and before a send. Raises `Disturbance`.

    A machine that lost its ledger's last commits may reserve numbers that it posted before; somebody else, such as a
    worker with a copy of this ledger, may have used the serie since the reservation.
    """
    emitter = await leased.runtime.ledger.read_async(ledger_parties.emitter_of, leased.batch.emitter_id)
    try:
        await look_at_serie(leased.runtime, emitter, serie)
    except UnusableSerie as error:
        raise Disturbance(error.problem) from error
