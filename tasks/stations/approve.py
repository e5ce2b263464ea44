"""Station 6: record the approval of a batch at one revision with one digest, by a person or by the profile."""

from collections.abc import Collection, Sequence
from contextlib import suppress

from connectors.ledger import approvals as ledger_approvals
from connectors.ledger import batches as ledger_batches
from connectors.ledger.approvals import Approval
from connectors.ledger.batches import BatchRecord
from connectors.ledger.staff import batch_approvals
from connectors.ledger.staff import records as staff_records
from domain.problems import FaturistaError, Problem
from domain.staff import Actor, Permission
from domain.states import SENT, BatchState
from tasks.approvals.findings import chosen_findings, findings_of, refuse_unacknowledged
from tasks.approvals.four_eyes import refuse_dropper
from tasks.issuance.decide import decide_batch
from tasks.runtime import Context


def waiting_batches(context: Context, reading_id: int | None = None) -> Sequence[BatchRecord]:
    """Return staged batches that wait for an approval, oldest first."""
    return context.ledger.read(ledger_batches.batches_where, states={BatchState.STAGED}, reading_id=reading_id)


def named_batches(context: Context, ids: Sequence[int]) -> list[BatchRecord]:
    """Return the batches with these ids, or all that wait. Raises `FaturistaError` if one of them does not wait."""
    waiting = [batch for batch in waiting_batches(context) if not ids or batch.id in ids]
    if missing := set(ids) - {batch.id for batch in waiting}:
        given = context.ledger.read(ledger_approvals.valid_approval, min(missing))
        problem = Problem("approval.not_waiting", params={"batch": min(missing)})
        raise FaturistaError(problem if given is None else ledger_approvals.approved_before(given))
    return waiting


def rejectable_batches(context: Context, ids: Sequence[int]) -> list[BatchRecord]:
    """Return the batches with these ids. Raises `FaturistaError` if one of them does not wait for an approval.

    The problem of an approved batch says how it is taken back, or that it was sent.
    """
    waiting = {batch.id: batch for batch in waiting_batches(context)}
    for batch_id in sorted(set(ids) - waiting.keys()):
        given = context.ledger.read(ledger_approvals.valid_approval, batch_id)
        if given is None:
            raise FaturistaError(Problem("approval.not_rejectable", params={"batch": batch_id}))
        batch = context.ledger.read(ledger_batches.batch_of, batch_id)
        if batch.state in SENT:
            raise FaturistaError(Problem("batch.sent_before", params={"batch": batch_id, "state": batch.state.value}))
        raise FaturistaError(Problem("approval.given_before", params=ledger_approvals.approved_before(given).params))
    return [waiting[batch_id] for batch_id in sorted(set(ids))]


def approve_batches(
    context: Context,
    batches: Sequence[BatchRecord],
    *,
    actor: Actor,
    acknowledge: Collection[str] = (),
    because: str = "",
) -> list[Approval]:
    """Approve these batches with exactly the content that the person saw: all of them or none.

    Args:
        context: The open profile; it needs no provider.
        batches: The batches as the person saw them.
        actor: Who approves.
        acknowledge: Codes of findings, or `ALL`, that the same person acknowledges in the same transaction.
        because: The person's reason for acknowledging the findings.

    Raises:
        FaturistaError: A batch or the person's enrolment has changed since; the person's limit is too low; the profile
            requires four eyes and the person dropped the sheet; nobody has acknowledged a difference from the month
            before.
    """
    refuse_unfit(context, batches, actor=actor)
    findings = findings_of(context, batches)
    chosen = chosen_findings(findings, acknowledge)
    refuse_unacknowledged(findings, chosen)
    shown = [
        (
            batch,
            [
                each.line.finding
                for each in findings
                if (each.reading_id, each.line.emitter_id, each.line.competence)
                == (batch.reading_id, batch.emitter_id, batch.competence)
            ],
        )
        for batch in batches
    ]
    news = [(each.reading_id, each.line) for each in chosen if each.acknowledged is None]
    return context.ledger.write(batch_approvals.approve_all, actor, shown, news, because=because)


def refuse_unfit(context: Context, batches: Sequence[BatchRecord], *, actor: Actor) -> None:
    """Raise `FaturistaError` if this person may not approve these batches. Findings are not checked."""
    for batch in batches:
        if batch.digest is None:
            raise FaturistaError(Problem("batch.not_staged", params={"batch": batch.id}))
        refuse_dropper(context, batch, actor)
    context.ledger.read(batch_approvals.check_amount, actor, batches)


def reject_batches(context: Context, batches: Sequence[BatchRecord], *, actor: Actor, because: str) -> None:
    """Reject staged batches: discard them with their invoices, so that people can correct and drop the rows again."""
    context.ledger.write(staff_records.check_enrolment, actor, Permission.APPROVE)
    for batch in batches:
        decide_batch(context, batch.id, "discard", person=actor.signature, because=because)


def approve_automatically(context: Context, reading_id: int | None = None) -> list[Approval]:
    """Approve the waiting batches if the profile approves automatically.

    Such a profile needs no acknowledgement of differences from the month before either.
    """
    approval = context.settings.approval
    profile = Actor(approval.approver, is_automatic=True)
    given: list[Approval] = []
    for batch in waiting_batches(context, reading_id) if approval.automatic else ():
        refuse_dropper(context, batch, profile)
        # Another sweep may have approved it since we read it.
        with suppress(ledger_approvals.NotApprovable):
            given += context.ledger.write(batch_approvals.approve_all, profile, [(batch, ())])
    return given
