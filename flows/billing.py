"""Stations 1 to 5 on one file of any kind, shared by the billing flows and the inbox."""

from contextlib import suppress
from datetime import date

from domain.station_result import StationResult
from flows.run_report import failure_page, show_run
from flows.runner import Runner
from tasks import entries
from tasks.issuance.concurrent_batches import finished_beside
from tasks.stations.reading_options import ReadingOptions


class BillOrder:
    """The flow `bill_<kind>`: stations 1 to 5 on one dropped file with this kind of sheet."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.__name__ = f"bill_{kind}"

    async def __call__(
        self,
        runner: Runner,
        path: str,
        *,
        profile: str = "local",
        emitter: str | None = None,
        competence: date | None = None,
        operator: str = "scheduler",
        sheet: str | None = None,
        sender: str | None = None,
        allow_repeats: bool = False,
        retry_rejected: bool = False,
        template: str | None = None,
        made: int | None = None,
    ) -> int:
        """Run stations 1 to 5 on one file. Return the reading's id.

        Args:
            runner: How stations are called.
            path: The workbook.
            profile: Name of the profile.
            emitter: CNPJ for rows without one.
            competence: First day of the month for rows without one.
            operator: Who dropped the file.
            sheet: Name of the sheet, where the workbook has several.
            sender: Name under which somebody saved the meaning of the headers.
            allow_repeats: Bill rows that look like rows billed before.
            retry_rejected: Bill rows again that the city rejected.
            template: Template of rows whose sheet has no column for it.
            made: Id of a reading that the caller made of the file already.
        """
        options = ReadingOptions(
            operator=operator,
            emitter_cnpj=emitter,
            competence=competence,
            sheet=sheet,
            sender=sender,
            allow_repeats=allow_repeats,
            retry_rejected=retry_rejected,
            template=template,
        )
        return await bill(runner, profile, path, kind=self.kind, options=options, made=made)


async def bill(
    runner: Runner, profile: str, path: str, *, kind: str, options: ReadingOptions, made: int | None = None
) -> int:
    """Import one file and approve its batches if the profile allows it. Return the reading's id.

    `made` is the id of a reading that the caller made of the file already.
    """
    async with failure_page(runner, profile, "bill"):
        file = await runner.run(entries.intake, profile, path, kind)
        reading, results = await bill_file(runner, profile, file, options=options, made=made)
    await show_run(runner, profile, f"bill-{reading}", results, reading_id=reading)
    return reading


async def bill_file(
    runner: Runner, profile: str, file: int, *, options: ReadingOptions, made: int | None = None
) -> tuple[int, list[StationResult]]:
    """Run stations 2 to 5 on a file that the ledger knows. Return the reading's id and what each station did."""
    reading, read_tally = await runner.run(entries.read, profile, file, options, made)
    results = [
        read_tally,
        await runner.run(entries.resolve, profile, reading),
        await runner.run(entries.assemble, profile, reading),
    ]
    if runner.has_pages:
        await runner.show(f"preview-{reading}", await runner.run(entries.preview, profile, reading))
    if shards := entries.unstaged_shards(profile, reading):
        await runner.offer(profile, "stage", shards[1:], cause=f"stage-{reading}")
        try:
            results += await runner.run(entries.stage, profile, [batch for shard in shards for batch in shard.batches])
        except Exception as error:
            # The page shows the results of the other batches. Publishing may fail, too: ledger or server may be down.
            with suppress(Exception):
                await show_run(
                    runner, profile, f"bill-{reading}", [*results, *finished_beside(error)], [error], reading_id=reading
                )
            raise
    await runner.run(entries.approve, profile, reading)
    await runner.run(entries.write_back, profile, reading)
    return reading, results
