"""The command `approve`: a person approves staged batches."""

import asyncio
import sys

from domain.problems import FaturistaError, Problem
from flows import screens
from flows.account import account_name
from flows.arguments import Profile, console
from tasks.preview.stored_forecast import stored_page
from tasks.runtime import open_context
from tasks.stations.approve import approve_batch, waiting_batches


def approve(*batches: int, profile: Profile = "local", approver: str | None = None, yes: bool = False) -> None:
    """Approve staged batches: all that wait, or the ones named."""
    account = account_name()
    with open_context(profile) as context:
        waiting = [batch for batch in waiting_batches(context) if not batches or batch.id in batches]
        if missing := set(batches) - {batch.id for batch in waiting}:
            raise FaturistaError(Problem("approval.not_waiting", params={"batch": min(missing)}))
        if not waiting:
            console.print(context.catalogue.text("cli.nothing_waits"))
            return
        for reading in sorted({batch.reading_id for batch in waiting}):
            screens.show_page(console, asyncio.run(stored_page(context, reading)))
        screens.show_waiting(console, context.catalogue, waiting)
        if not yes and not screens.is_total_confirmed(console, context.catalogue, waiting):
            console.print(context.catalogue.text("cli.not_approved"))
            sys.exit(1)
        for batch in waiting:
            approve_batch(context, batch, approver=approver or account, account=account)
        console.print(context.catalogue.text("cli.approved", count=len(waiting)))
