"""Flow: a person approves staged batches in the dashboard, by a code from the command line."""

from collections.abc import Sequence

from flows.account import account_name
from flows.arguments import reason
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
    """Approve exactly these batches, once, and acknowledge what is unlike the month before. Return their number.

    Args:
        runner: How stations are called.
        profile: Name of the profile.
        batches: Numbers of the batches that the code was made for.
        total: Their total, which the approver types.
        findings: The form's choices: findings that the approver acknowledges, one by one or all.
        because: Why these findings are right; needed with findings.
        code: What `faturista approve --code` showed; Prefect stores it, so it is good for one use within minutes. Empty
            where nobody is enrolled: then the worker's machine user approves, except in production.
    """
    async with failure_page(runner, profile, "approval"):
        why = reason(because) if findings else ""
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
