"""Serve the dashboard's form for findings: its choices, their acknowledgement, and the page with the result."""

from collections.abc import Sequence

from configs.catalogue import Catalogue
from domain.money import format_brl
from domain.problems import FaturistaError, Problem
from tasks.approvals.findings import ALL, Finding, chosen_findings, findings_of, refuse_unacknowledged
from tasks.runtime import Context
from tasks.staff.codes import redeem_or_identify
from tasks.stations.approve import approve_batches, named_batches, waiting_batches


def offered_choices(context: Context) -> list[str]:
    """Return `ALL` and each finding that nobody has acknowledged; an empty list if there is no such finding."""
    found = findings_of(context, waiting_batches(context))
    left = [each for each in found if each.acknowledged is None]
    return [ALL, *(_choice(context.catalogue, each) for each in left)] if left else []


def approve_form(
    context: Context,
    batches: Sequence[int],
    total: str,
    code: str,
    *,
    findings: Sequence[str],
    because: str,
    account: str,
) -> int:
    """Approve these batches as the code's owner, who acknowledges the chosen findings in the same act.

    `account` is the worker's machine user, who acts if nobody is enrolled. Return the number of approved batches.
    Raises `FaturistaError`; a wrong total, an unknown finding or one that nobody acknowledges leaves the code unused.
    """
    shown = named_batches(context, batches)
    if not shown or _digits(total) != _digits(format_brl(sum(batch.total_cents for batch in shown))):
        raise FaturistaError(Problem("approval.wrong_total"))
    codes, found = [each.partition(" ")[0] for each in findings], findings_of(context, shown)
    refuse_unacknowledged(found, chosen_findings(found, codes))
    actor = redeem_or_identify(context, code, shown, account=account)
    return len(approve_batches(context, shown, actor=actor, acknowledge=codes, because=because))


def _choice(words: Catalogue, finding: Finding) -> str:
    change = finding.change
    amounts = (format_brl(cents) for cents in (change.cents_before, change.cents) if cents is not None)
    parts = (words.text(f"preview.change.{change.kind}"), change.taker_name, " → ".join(amounts))
    return f"{finding.code} {' · '.join(parts)}"


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdecimal())
