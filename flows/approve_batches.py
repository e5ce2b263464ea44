"""Flow: approve staged batches in the dashboard by a code from the command line."""

from collections.abc import Sequence

from flows.arguments import require_reason
from flows.os_account import account_name
from flows.run_report import failure_page
from flows.runner import Runner
from tasks import approval_entries as entries


async def approve_batches(
    runner: Runner,
    *,
    profile: str = "local",
    batches: list[int],
    total: str,
    findings: Sequence[str] = (),
    because: str = "",
    code: str = "",
) -> int:
    """Approve exactly these batches, once, and acknowledge findings of their month. Return their number.

    Args:
        runner: How stations are called.
        profile: Name of the profile.
        batches: Ids of the batches that the code approves.
        total: Their total, typed by the approver.
        findings: Findings that the approver acknowledges, as the form offers them: one by one or all.
        because: Reason why these findings are right; required with findings.
        code: Code from `faturista approve --code`, valid once and for some minutes, because Prefect stores it. Empty
            where nobody is enrolled: then the worker's machine user approves, except in production.
    """
    async with failure_page(runner, profile, "approval"):
        why = require_reason(because) if findings else ""
        return await runner.run(
            entries.approve_by_code,
            profile,
            batches,
            total,
            code,
            findings=list(findings),
            because=why,
            account=account_name(),
        )
