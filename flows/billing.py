"""Stations 1 to 5 on one file of any kind, shared by the billing flows and the inbox."""

from domain.run_report import Tally
from flows.run_report import failure_page, show_run
from flows.runner import Runner
from tasks import entries
from tasks.stations.read import ReadingOptions


async def bill(
    runner: Runner, profile: str, path: str, *, kind: str, options: ReadingOptions, made: int | None = None
) -> int:
    """Import one file and approve its batches if the profile says so. Return the reading's id.

    `made` is the id of a reading that the caller made of the file already.
    """
    async with failure_page(runner, profile, "bill"):
        file = await runner.run(entries.intake, profile, path, kind)
        reading, tallies = await bill_file(runner, profile, file, options=options, made=made)
    await show_run(runner, profile, f"bill-{reading}", tallies, reading_id=reading)
    return reading


async def bill_file(
    runner: Runner, profile: str, file: int, *, options: ReadingOptions, made: int | None = None
) -> tuple[int, list[Tally]]:
    """Run stations 2 to 5 on a file that the ledger knows. Return the reading's id and what each station did."""
    reading, read_tally = await runner.run(entries.read, profile, file, options, made)
    tallies = [
        read_tally,
        await runner.run(entries.resolve, profile, reading),
        await runner.run(entries.assemble, profile, reading),
    ]
    if runner.has_pages:
        await runner.show(f"preview-{reading}", await runner.run(entries.preview, profile, reading))
    if batches := entries.unstaged(profile, reading):
        tallies += await runner.run(entries.stage, profile, batches)
    await runner.run(entries.approve, profile, reading)
    await runner.run(entries.write_back, profile, reading)
    return reading, tallies
