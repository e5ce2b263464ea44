"""A batch that waits because another one is stopped."""

from tasks.stations.stage import stage_batch
from tests.tasks.rows import SAO_PAULO, lines
from tests.tasks.workshop import Workshop, fault


def hold_back(shop: Workshop) -> tuple[int, int]:
    """Stop a batch whose first note joined no batch. Return it, and a planned batch of another company."""
    (stopped,) = shop.assembled(*lines(2))[1]
    shop.sandbox.faults(fault("notes.create", "altered", fields={"batch_id": None}))
    shop.run(stage_batch, stopped)
    shop.sandbox.faults()
    assert (shop.batch(stopped).state, shop.incidents()) == ("disturbed", ["batch.answer_differs"])
    (waiting,) = shop.assembled(*lines(2, first=5, emitter_cnpj=SAO_PAULO))[1]
    return stopped, waiting
