"""Flow: approve staged batches in the dashboard by a code from the command line."""

from flows.run_report import failure_page
from flows.runner import Runner
from tasks import approval_codes as entries


async def approve_batches(runner: Runner, *, profile: str = "local", batches: list[int], total: str, code: str) -> int:
    """Approve exactly these batches once. Return their number.

    Args:
        runner: How stations are called.
        profile: Name of the profile.
        batches: Ids of the batches that the code approves.
        total: Their total, typed by the approver.
        code: Code from `faturista approve --code`, valid once and for some minutes, because Prefect stores it.
    """
    async with failure_page(runner, profile, "approval"):
        return await runner.run(entries.approve_by_code, profile, batches, total, code)
