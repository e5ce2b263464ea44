"""Flow: a person approves staged batches in the dashboard, by a code from the command line."""

from flows.run_report import failure_page
from flows.runner import Runner
from tasks import approval_codes as entries


async def approve_batches(runner: Runner, *, profile: str = "local", batches: list[int], total: str, code: str) -> int:
    """Approve exactly these batches, once. Return their number.

    Args:
        runner: How stations are called.
        profile: Name of the profile.
        batches: Numbers of the batches that the code was made for.
        total: Their total, which the approver types.
        code: What `faturista approve --code` showed; Prefect stores it, so it is good for one use within minutes.
    """
    async with failure_page(runner, profile, "approval"):
        return await runner.run(entries.approve_by_code, profile, batches, total, code)
