"""Expose the approval by code as an entry like those of `tasks.entries`."""

from collections.abc import Sequence

from domain.money import format_brl
from domain.problems import FaturistaError, Problem
from tasks.approvals.findings import findings_of, refuse_unacknowledged
from tasks.runtime import open_context
from tasks.staff.codes import redeem_code
from tasks.stations.approve import approve_batches, named_batches

DASHBOARD = "dashboard"


async def approve_by_code(profile: str, batches: Sequence[int], total: str, code: str) -> int:
    """Approve these batches as the code's owner; a wrong total or an open finding leaves the code unused."""
    with open_context(profile) as context:
        shown = named_batches(context, batches)
        if not shown or _digits(total) != _digits(format_brl(sum(batch.total_cents for batch in shown))):
            raise FaturistaError(Problem("approval.wrong_total"))
        refuse_unacknowledged(findings_of(context, shown))
        return len(approve_batches(context, shown, actor=redeem_code(context, code, shown, account=DASHBOARD)))


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdecimal())
