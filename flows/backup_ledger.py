"""Flow: copy the whole ledger into one file each night, and keep the newest copies."""

from flows.run_report import failure_page
from flows.runner import Runner
from tasks import entries


async def backup_ledger(runner: Runner, *, profile: str = "local") -> str:
    """Return the path of the new copy. Safe to repeat: each run writes a new file."""
    async with failure_page(runner, profile, "backup"):
        return await runner.run(entries.back_up, profile)
