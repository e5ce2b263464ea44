"""The command `preview`: show what a file would bill, before it is billed."""

import asyncio
from pathlib import Path

from connectors.spreadsheets.workbook import expect_workbook
from flows.arguments import Profile, console, parse_cnpj, parse_month, require_readable
from flows.os_account import account_name
from flows.page_screen import show_page
from tasks.preview.dry_run import forecast_file
from tasks.preview.page import forecast_page
from tasks.preview.renderings import write_preview
from tasks.runtime import open_runtime
from tasks.sheets.mapping_choice import check_sender
from tasks.stations.reading_options import ReadingOptions


def preview(
    file: Path,
    *,
    emitter: str | None = None,
    competence: str | None = None,
    sheet: str | None = None,
    sender: str | None = None,
    template: str | None = None,
    profile: Profile = "local",
) -> None:
    """Show what a sheet would bill; bill nothing."""
    expect_workbook()
    options = ReadingOptions(
        operator=account_name(),
        emitter_cnpj=None if emitter is None else parse_cnpj(emitter),
        competence=None if competence is None else parse_month(competence),
        sheet=sheet,
        sender=sender,
        template=template,
    )
    asyncio.run(_show(require_readable(file, profile), profile, options))


async def _show(file: Path, profile: str, options: ReadingOptions) -> None:
    async with open_runtime(profile, station="preview") as runtime:
        check_sender(runtime, options.sender)
        seen = await forecast_file(runtime, file, options)
        page = forecast_page(runtime.catalogue, seen, is_written=True)
        show_page(console, page)
        path = write_preview(runtime, seen.file_name, page)
        # Do not wrap the path: people copy it.
        console.print(runtime.catalogue.text("preview.written", path=path), soft_wrap=True)
