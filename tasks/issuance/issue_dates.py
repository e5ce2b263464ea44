"""Check the dates that an issuer gives to invoices: approval and clock before a post, the month of issue afterwards."""

from datetime import datetime, timedelta
from typing import Final

from connectors.ledger.approvals import valid_approval
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.invoices import InvoiceRecord
from domain.competence import BRASILIA, emission_problem, first_of_month, format_competence
from domain.issuing import RemoteInvoice
from domain.problems import Problem
from tasks.issuance.batch_lease import Disturbance, LeasedBatch

CLOCKS_DIFFER: Final = timedelta(hours=1)
"""The most by which the issuer's clock may differ from ours."""


def issuer_clock(leased: LeasedBatch) -> datetime | None:
    """Return the issuer's clock at its newest answer; None if its answers had no date."""
    runtime = leased.runtime
    return runtime.issuers.sessions[runtime.registry.system_of[leased.batch.issuer]].observed.provider_at


async def approval_age_problem(leased: LeasedBatch) -> Problem | None:
    """Return the problem if the invoices would get another date than the approved one; None without an approval.

    The issuer dates an invoice when it is posted. The approval is too old where a staged batch's emission date would
    be, and at the latest in the next month: the sale would belong to another month than the approver saw.
    """
    ledger, protocol = leased.runtime.ledger, leased.runtime.settings.protocol
    approval = await ledger.read_async(valid_approval, leased.batch.id)
    if approval is None:
        return None
    day = approval.approved_at.astimezone(BRASILIA).date()
    found = emission_problem(
        approval.approved_at,
        first_of_month(day),
        now := await ledger.read_async(ledger_now),
        max_age_days=protocol.emission_max_age_days,
        is_holiday=leased.runtime.is_holiday,
    )
    if found is None and first_of_month(now.astimezone(BRASILIA).date()) == first_of_month(day):
        return None
    return Problem("batch.approval_old", params={"batch": leased.batch.id, "approved": f"{day:%d/%m/%Y}"})


async def check_dates(leased: LeasedBatch) -> None:
    """Check the age of the approval, and compare the clock of an issuer that dates invoices when they are posted.

    Raises `Disturbance` if the approval is old, or if the clocks differ: an invoice could have a wrong month, and only
    a person can tell which clock is right.
    """
    if (old := await approval_age_problem(leased)) is not None:
        raise Disturbance(old)
    # A run may begin with a post: read something before, because only answers have a date.
    await leased.issuer.emitters((await leased.emitter()).cnpj)
    theirs = issuer_clock(leased)
    ours = await leased.runtime.ledger.read_async(ledger_now)
    if theirs is not None and abs(theirs - ours) > CLOCKS_DIFFER:
        params: dict[str, str | int] = {
            "batch": leased.batch.id,
            "ours": f"{ours.astimezone(BRASILIA):%d/%m/%Y %H:%M}",
            "theirs": f"{theirs.astimezone(BRASILIA):%d/%m/%Y %H:%M}",
        }
        raise Disturbance(Problem("batch.clocks_apart", params=params))


async def month_problem(leased: LeasedBatch, invoice: InvoiceRecord, there: RemoteInvoice) -> Problem | None:
    """Return the problem if an invoice was issued before its month, or in a month that has not begun; else None.

    A sale of an earlier month is issued with the date of its post. The problem is the same for all of a batch's
    invoices with that month.
    """
    if there.competence is None or (issued := first_of_month(there.competence)) == invoice.competence:
        return None
    latest = (await leased.runtime.ledger.read_async(ledger_now) + CLOCKS_DIFFER).astimezone(BRASILIA).date()
    if invoice.competence < issued <= latest:
        return None
    params: dict[str, str | int] = {
        "batch": leased.batch.id,
        "theirs": format_competence(issued),
        "ours": format_competence(invoice.competence),
    }
    return Problem("batch.month_differs", params=params)
