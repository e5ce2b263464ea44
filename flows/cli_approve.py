"""The commands `approve` and `reject`: a person approves or rejects staged batches."""

import asyncio
import sys
from collections.abc import Sequence

from connectors.ledger.batches import BatchRecord
from domain.problems import FaturistaError, Problem
from domain.staff import Permission
from flows import screens
from flows.arguments import Profile, console, require_reason
from flows.authentication import acting_person
from flows.page_screen import show_page
from tasks.approvals.findings import acknowledge as acknowledge_findings
from tasks.approvals.findings import findings_of, refuse_unacknowledged
from tasks.preview.stored_forecast import stored_page
from tasks.runtime import Context, open_context
from tasks.staff.codes import issue_code
from tasks.stations.approve import approve_batches, named_batches, refuse_unfit, reject_batches, rejectable_batches


def approve(
    *batches: int,
    profile: Profile = "local",
    acknowledge: list[str] | None = None,
    because: str = "",
    code: bool = False,
    yes: bool = False,
) -> None:
    """Approve staged batches: all that wait, or the ones named."""
    with open_context(profile) as context:
        refuse_silent_yes(context, yes=yes)
        waiting = named_batches(context, batches)
        if not waiting:
            console.print(context.catalogue.text("cli.nothing_waits"))
            return
        why = require_reason(because) if acknowledge else ""
        actor = acting_person(context, Permission.APPROVE)
        refuse_unfit(context, waiting, actor=actor)
        if acknowledge:
            made = acknowledge_findings(context, waiting, acknowledge, actor=actor, because=why)
            console.print(context.catalogue.text("cli.acknowledged", count=made))
        _show(context, waiting)
        if code:
            minutes = round(context.settings.staff.code_s / 60)
            issued = issue_code(context, waiting, actor=actor)
            console.print(context.catalogue.text("staff.code", secret=issued, minutes=minutes))
            return
        refuse_unacknowledged(findings_of(context, waiting))
        if not yes and not screens.is_total_confirmed(console, context.catalogue, waiting):
            console.print(context.catalogue.text("cli.not_approved"))
            sys.exit(1)
        approve_batches(context, waiting, actor=actor)
        console.print(context.catalogue.text("cli.approved", count=len(waiting)))


def reject(*batches: int, because: str, profile: Profile = "local") -> None:
    """Refuse staged batches: take their notes back, so that their rows may be corrected and dropped again."""
    why = require_reason(because)
    with open_context(profile) as context:
        if not batches:
            raise FaturistaError(Problem("approval.reject_which"))
        waiting = rejectable_batches(context, batches)
        reject_batches(context, waiting, actor=acting_person(context, Permission.APPROVE), because=why)
        console.print(context.catalogue.text("cli.rejected", count=len(waiting)))


def refuse_silent_yes(context: Context, *, yes: bool) -> None:
    """Raise `FaturistaError` for --yes in a profile that requires a person's check."""
    if yes and not context.settings.approval.automatic:
        raise FaturistaError(Problem("approval.type_total"))


def _show(context: Context, waiting: Sequence[BatchRecord]) -> None:
    for reading in sorted({batch.reading_id for batch in waiting}):
        show_page(console, asyncio.run(stored_page(context, reading)))
    screens.show_waiting(console, context.catalogue, waiting)
