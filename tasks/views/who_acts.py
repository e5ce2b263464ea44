"""Say who acts next on a batch: the people who may approve it, a person who decides, the city, or nobody."""

from collections.abc import Sequence
from typing import Final

from connectors.ledger.batches import BatchRecord
from domain.issuing import SERVICE
from domain.states import BatchState
from tasks.approvals.four_eyes import able_approvers
from tasks.runtime import Context
from tasks.views.due_work import suspended_batches

_ACTS: Final = {
    BatchState.DISTURBED: "waits.decision",
    BatchState.PROCESSED: "waits.nobody",
    BatchState.DISCARDED: "waits.nobody",
    BatchState.SCHEDULED: "waits.city",
    BatchState.PROCESSING: "waits.city",
}
"""The text about who acts in each state; in other states, the pipeline."""


def who_acts(context: Context, batches: Sequence[BatchRecord]) -> dict[int, str]:
    """Return who acts next on each batch, by its id, in the operator's language."""
    suspended = suspended_batches(context) if batches else {}
    return {each.id: _text(context, each, suspended.get(each.id)) for each in batches}


def awaits_approval(context: Context, batch: BatchRecord) -> bool:
    """Return whether the batch waits for a person's approval: never in a profile that approves by itself."""
    return batch.state is BatchState.STAGED and not context.settings.approval.automatic


def _text(context: Context, batch: BatchRecord, stopped_by: int | None) -> str:
    words = context.catalogue
    if stopped_by is not None:
        return words.text("waits.decision_about", batch=stopped_by)
    if awaits_approval(context, batch):
        return _approval_text(context, batch)
    code = _ACTS.get(batch.state, "waits.line")
    return words.text("waits.tax_authority" if code == "waits.city" and batch.kind != SERVICE else code)


def _approval_text(context: Context, batch: BatchRecord) -> str:
    able = able_approvers(context, batch)
    if able is None:
        return context.catalogue.text("waits.approval")
    if not able:
        return context.catalogue.text("waits.nobody_able")
    return context.catalogue.text("waits.approval_of", persons=", ".join(able))
