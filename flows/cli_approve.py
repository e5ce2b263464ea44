"""The command `approve`: a person approves staged batches."""

import asyncio
import sys
from collections.abc import Sequence

from connectors.ledger.batches import BatchRecord
from domain.problems import FaturistaError, Problem
from flows import screens
from flows.account import account_name
from flows.arguments import Profile, console, reason
from tasks.approvals.findings import acknowledge as acknowledge_findings
from tasks.approvals.findings import findings_of, refuse_unacknowledged
from tasks.preview.stored_forecast import stored_page
from tasks.runtime import Context, open_context
from tasks.stations.approve import approve_batches, waiting_batches


def approve(
    *batches: int,
    profile: Profile = "local",
    approver: str | None = None,
    acknowledge: list[str] | None = None,
    because: str = "",
    yes: bool = False,
) -> None:
    """Approve staged batches: all that wait, or the ones named."""
    account = account_name()
    person = approver or account
    with open_context(profile) as context:
        waiting = [batch for batch in waiting_batches(context) if not batches or batch.id in batches]
        if missing := set(batches) - {batch.id for batch in waiting}:
            raise FaturistaError(Problem("approval.not_waiting", params={"batch": min(missing)}))
        if not waiting:
            console.print(context.catalogue.text("cli.nothing_waits"))
            return
        if acknowledge:
            why = reason(because)
            made = acknowledge_findings(context, waiting, acknowledge, person=person, account=account, because=why)
            console.print(context.catalogue.text("cli.acknowledged", count=made))
        _show(context, waiting)
        refuse_unacknowledged(findings_of(context, waiting))
        if not yes and not screens.is_total_confirmed(console, context.catalogue, waiting):
            console.print(context.catalogue.text("cli.not_approved"))
            sys.exit(1)
        approve_batches(context, waiting, approver=person, account=account)
        console.print(context.catalogue.text("cli.approved", count=len(waiting)))


def _show(context: Context, waiting: Sequence[BatchRecord]) -> None:
    for reading in sorted({batch.reading_id for batch in waiting}):
        screens.show_page(console, asyncio.run(stored_page(context, reading)))
    screens.show_waiting(console, context.catalogue, waiting)
