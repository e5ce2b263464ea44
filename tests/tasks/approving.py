"""Approve one batch, as tests do."""

from connectors.ledger.approvals import Approval
from connectors.ledger.batches import BatchRecord
from domain.staff import Actor
from tasks.runtime import Context
from tasks.stations.approve import approve_batches


def approve_batch(context: Context, batch: BatchRecord, *, actor: Actor) -> Approval:
    (approval,) = approve_batches(context, [batch], actor=actor)
    return approval
