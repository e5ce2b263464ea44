"""Flow: send every approved batch that is due, once."""

from flows.reconcile_batches import Sweep
from flows.run_report import failure_page, join_errors, show_run
from flows.runner import Runner
from tasks import entries


async def release_batches(runner: Runner, *, profile: str = "local") -> int:
    """Send approved batches. Return the number of batches looked at. Several schedulers may run this at any time."""
    async with failure_page(runner, profile, "release"):
        shards = entries.due_shards(profile, "release")
        await runner.offer(profile, "release", shards[1:], cause="release")
        sweep = Sweep(runner, profile)
        await sweep.each(entries.release, [shard.batches for shard in shards])
    await show_run(runner, profile, "release", sweep.results, sweep.errors)
    if sweep.errors:
        raise join_errors(sweep.errors)
    return len(sweep.results)
