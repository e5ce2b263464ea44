"""One-time codes for an approval in the dashboard.

Prefect stores the parameters of a run in clear text and shows them, so a form cannot take a password. A code
approves only the contents that its owner named at the command line, once and within minutes. A later reader can
do nothing with it; an earlier reader can only do what its owner was about to do.
"""

from collections.abc import Sequence
from typing import Final

from connectors.ledger.batches import BatchRecord
from connectors.ledger.staff import batch_approvals
from connectors.ledger.staff import records as staff_records
from domain.problems import FaturistaError, Problem
from domain.staff import Actor
from tasks.runtime import Context
from tasks.staff.identity import actor_of
from tasks.staff.passwords import digest_of_code, new_code

DASHBOARD: Final = "dashboard"


def issue_code(context: Context, batches: Sequence[BatchRecord], *, actor: Actor) -> str:
    """Return a code with which this person may approve these batches as they are now. Raises `FaturistaError`."""
    if not context.settings.is_production and not context.ledger.read(staff_records.has_any):
        raise FaturistaError(Problem("staff.no_code_needed"))
    code = new_code()
    contents = {batch.id: batch.digest or "" for batch in batches}
    seconds = context.settings.staff.code_s
    context.ledger.write(batch_approvals.issue_code, actor, digest_of_code(code), contents, seconds=seconds)
    return code


def redeem_or_identify(context: Context, code: str, batches: Sequence[BatchRecord], *, account: str) -> Actor:
    """Use up a code and return its owner. If nobody is enrolled, return the worker's machine user `account`.

    Raises `FaturistaError`, also if nobody is enrolled in production.
    """
    if context.ledger.read(staff_records.has_any):
        return redeem_code(context, code, batches, account=DASHBOARD)
    if context.settings.is_production:
        raise FaturistaError(Problem("staff.nobody_enrolled"))
    return Actor(account, account)


def redeem_code(context: Context, code: str, batches: Sequence[BatchRecord], *, account: str) -> Actor:
    """Use up a code and return its owner. Raises `FaturistaError` if it is not valid for these batches."""
    found = context.ledger.write(batch_approvals.redeem_code, digest_of_code(code), by=account)
    if found is None or {batch.id: batch.digest or "" for batch in batches} != found.batches:
        raise FaturistaError(Problem("staff.bad_code"))
    return actor_of(found.staff, account="")
