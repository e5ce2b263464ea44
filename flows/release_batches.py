"""Flow: send every approved batch that is due, once."""

from flows.run_report import failure_page, show_run
from flows.runner import Runner
from tasks import entries


async def release_batches(runner: Runner, *, profile: str = "local") -> int:
    """Send approved batches. Return the number of batches looked at. Several schedulers may run this at any time."""
    async with failure_page(runner, profile, "release"):
        shards = entries.due_shards(profile, "release")
        await runner.offer(profile, "release", shards[1:], occasion="release")
        groups = [await runner.run(entries.release, profile, shard.batches) for shard in shards]
    tallies = [tally for group in groups for tally in group]
    await show_run(runner, profile, "release", tallies)
    return len(tallies)
