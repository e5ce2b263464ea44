"""Approval: the yes of a person, or of the profile, to one batch at one revision with one digest."""

from collections.abc import Sequence
from contextlib import suppress

from connectors.ledger import approvals as ledger_approvals
from connectors.ledger import batches as ledger_batches
from connectors.ledger.approvals import Approval
from connectors.ledger.batches import BatchRecord
from domain.problems import FaturistaError, Problem
from domain.states import BatchState
from tasks.approvals.findings import findings_of, refuse_unacknowledged
from tasks.approvals.four_eyes import refuse_dropper, signature
from tasks.runtime import Context


def waiting_batches(context: Context, reading_id: int | None = None) -> Sequence[BatchRecord]:
    """Return staged batches that wait for an approval, oldest first."""
    return context.ledger.read(ledger_batches.batches_where, states={BatchState.STAGED}, reading_id=reading_id)


def approve_batch(context: Context, batch: BatchRecord, *, approver: str, account: str = "") -> Approval:
    """Approve exactly the content that was shown as `batch`, as `approve_batches` does."""
    (approval,) = approve_batches(context, [batch], approver=approver, account=account)
    return approval


def approve_batches(
    context: Context, batches: Sequence[BatchRecord], *, approver: str, account: str = ""
) -> list[Approval]:
    """Approve exactly the content that was shown as these batches.

    Args:
        context: What works without the provider.
        batches: The batches as a person saw them.
        approver: A name that somebody typed.
        account: The machine's user who did; kept beside the name where it differs.

    Raises:
        FaturistaError: A batch has changed since, the profile wants four eyes and one of the two dropped the sheet, or
            nobody has acknowledged something that is unlike the month before. Then nothing is approved but the batches
            before the one that has changed.
    """
    for batch in batches:
        if batch.digest is None:
            raise FaturistaError(Problem("batch.not_staged", params={"batch": batch.id}))
        refuse_dropper(context, batch, {approver, account})
    findings = findings_of(context, batches)
    refuse_unacknowledged(findings)
    return [
        _approve(
            context,
            batch,
            signature(approver, account),
            [
                each.acknowledged.id
                for each in findings
                if each.acknowledged is not None
                and (each.reading_id, each.line.emitter_id, each.line.competence)
                == (batch.reading_id, batch.emitter_id, batch.competence)
            ],
        )
        for batch in batches
    ]


def _approve(context: Context, batch: BatchRecord, approver: str, acknowledgements: Sequence[int] = ()) -> Approval:
    assert batch.digest is not None
    return context.ledger.write(
        ledger_approvals.approve,
        batch.id,
        revision=batch.revision,
        digest=batch.digest,
        count=batch.count,
        total_cents=batch.total_cents,
        approver=approver,
        acknowledgements=acknowledgements,
    )


def approve_automatically(context: Context, reading_id: int | None = None) -> list[Approval]:
    """Approve what waits, where the profile says that nobody needs to be asked; else nothing.

    Such a profile asks nobody about the month before either.
    """
    approval = context.settings.approval
    given: list[Approval] = []
    for batch in waiting_batches(context, reading_id) if approval.automatic else ():
        refuse_dropper(context, batch, {approval.approver})
        # Another sweep may have approved it since we looked.
        with suppress(ledger_approvals.NotApprovable):
            given.append(_approve(context, batch, approval.approver))
    return given
