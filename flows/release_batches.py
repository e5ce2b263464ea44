"""Flow: every approved batch that is due gets its one send."""

from prefect import flow

from flows.helping import in_words
from flows.tallies import show_run, told
from tasks import faces


@flow(name="release_batches", flow_run_name="release for {profile}")
@in_words("release_batches", arguments="release")
async def release_batches(*, profile: str = "local") -> int:
    """How many batches were looked at; safe to run at any time and by any number of schedulers."""
    async with told(profile, "release"):
        tallies = [await faces.release(profile, batch) for batch in faces.due(profile, "release")]
    await show_run(profile, "release", tallies)
    return len(tallies)
