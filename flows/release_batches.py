"""Flow: send every approved batch that is due, once."""

from flows.run_report import failure_page, show_run
from flows.runner import Runner
from tasks import entries


async def release_batches(runner: Runner, *, profile: str = "local") -> int:
    """Send approved batches. Return how many were looked at. Any number of schedulers may run this at any time."""
    async with failure_page(runner, profile, "release"):
        tallies = [await runner.run(entries.release, profile, batch) for batch in entries.due(profile, "release")]
    await show_run(runner, profile, "release", tallies)
    return len(tallies)
