"""What the two billing flows have in common: stations 1 to 5 on one file of any kind, and what comes back of it."""

from flows.tallies import show_page, show_run, told
from tasks import faces
from tasks.read import ReadingOptions


async def bill(profile: str, path: str, *, kind: str, options: ReadingOptions, made: int | None = None) -> int:
    """Import one file, then the profile's own approval if it has one; the reading's id.

    `made` is a reading that the caller has made of the file already.
    """
    async with told(profile, "bill"):
        file = faces.intake(profile, path, kind)
        reading, read_tally = faces.read(profile, file, options, made=made)
        tallies = [read_tally, await faces.resolve(profile, reading), await faces.assemble(profile, reading)]
        await show_page(f"preview-{reading}", await faces.preview(profile, reading))
        if batches := faces.unstaged(profile, reading):
            tallies += await faces.stage(profile, batches)
        faces.approve(profile, reading)
        faces.write_back(profile, reading)
    await show_run(profile, f"bill-{reading}", tallies, reading_id=reading)
    return reading
