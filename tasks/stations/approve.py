"""Approval: the yes of a person, or of the profile, to one batch at one revision with one digest."""

from collections.abc import Collection, Sequence
from contextlib import suppress

from connectors.ledger import approvals as ledger_approvals
from connectors.ledger import batches as ledger_batches
from connectors.ledger import files as ledger_files
from connectors.ledger.approvals import Approval
from connectors.ledger.batches import BatchRecord
from domain.problems import FaturistaError, Problem
from domain.states import BatchState
from tasks.runtime import Context


def waiting_batches(context: Context, reading_id: int | None = None) -> Sequence[BatchRecord]:
    """Return staged batches that wait for an approval, oldest first."""
    return context.ledger.read(ledger_batches.batches_where, states={BatchState.STAGED}, reading_id=reading_id)


def approve_batch(context: Context, batch: BatchRecord, *, approver: str, account: str = "") -> Approval:
    """Approve exactly the content that was shown as `batch`.

    Raises `FaturistaError` if the content has changed since, or if the profile requires four eyes and `approver` or
    `account` dropped the sheet. `approver` is a typed name; `account`, the machine's user who typed it, is stored
    beside it where it differs.
    """
    if batch.digest is None:
        raise FaturistaError(Problem("batch.not_staged", params={"batch": batch.id}))
    if context.settings.approval.four_eyes:
        _refuse_dropper(context, batch, {approver.casefold(), account.casefold()})
    return context.ledger.write(
        ledger_approvals.approve,
        batch.id,
        revision=batch.revision,
        digest=batch.digest,
        count=batch.count,
        total_cents=batch.total_cents,
        approver=approver if account in {"", approver} else f"{approver} ({account})",
    )


def _refuse_dropper(context: Context, batch: BatchRecord, approvers: Collection[str]) -> None:
    reading = context.ledger.read(ledger_files.reading_of, batch.reading_id)
    for person in reading.droppers:
        if person.casefold() in approvers:
            raise FaturistaError(Problem("batch.approver_is_dropper", params={"batch": batch.id, "person": person}))


def approve_automatically(context: Context, reading_id: int | None = None) -> list[Approval]:
    """Approve all waiting batches if the profile requires no person; else nothing."""
    approval = context.settings.approval
    given: list[Approval] = []
    for batch in waiting_batches(context, reading_id) if approval.automatic else ():
        # Another sweep may have approved it since we looked.
        with suppress(ledger_approvals.NotApprovable):
            given.append(approve_batch(context, batch, approver=approval.approver))
    return given
