"""Entries of the dashboard's form for a yes, in the form of `tasks.entries`."""

from collections.abc import Sequence

from domain.money import format_brl
from domain.problems import FaturistaError, Problem
from tasks.approvals.findings import chosen_findings, findings_of, refuse_unacknowledged
from tasks.preview.findings_form import chosen_codes, offered
from tasks.runtime import open_context
from tasks.staff.codes import redeem_or_identify
from tasks.stations.approve import approve_batches, named_batches


async def approve_by_code(
    profile: str,
    batches: Sequence[int],
    total: str,
    code: str,
    *,
    findings: Sequence[str] = (),
    because: str = "",
    account: str,
) -> int:
    """Approve these batches as the code's owner, who acknowledges the chosen findings in the same act.

    A wrong total, an unknown finding or one that stays open leaves the code unused. `account` is the worker's machine
    user, who acts where nobody is enrolled.
    """
    with open_context(profile) as context:
        shown = named_batches(context, batches)
        if not shown or _digits(total) != _digits(format_brl(sum(batch.total_cents for batch in shown))):
            raise FaturistaError(Problem("approval.wrong_total"))
        codes, found = chosen_codes(findings), findings_of(context, shown)
        refuse_unacknowledged(found, chosen_findings(found, codes))
        actor = redeem_or_identify(context, code, shown, account=account)
        return len(approve_batches(context, shown, actor=actor, acknowledge=codes, because=because))


def offered_findings(profile: str) -> list[str]:
    """Return the choices of the dashboard's form."""
    with open_context(profile) as context:
        return offered(context)


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdecimal())
