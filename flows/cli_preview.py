"""The command `preview`: what a file would come to, before anything is billed."""

import asyncio
import getpass
from datetime import date
from pathlib import Path

from rich.console import Console

from flows import screens
from tasks.preview.forms import write_preview
from tasks.preview.page import forecast_page
from tasks.preview.rehearse import forecast_file
from tasks.read import ReadingOptions
from tasks.runtime import open_runtime


def show_preview(
    console: Console,
    file: Path,
    *,
    profile: str,
    emitter: str | None,
    competence: date | None,
    sheet: str | None,
) -> None:
    """Judge the file without billing anything; the whole of it in a workbook beside the other ones."""
    options = ReadingOptions(operator=getpass.getuser(), emitter_cnpj=emitter, competence=competence, sheet=sheet)
    asyncio.run(_show(console, file, profile, options))


async def _show(console: Console, file: Path, profile: str, options: ReadingOptions) -> None:
    async with open_runtime(profile, station="preview") as runtime:
        seen = await forecast_file(runtime, file, options)
        screens.show_page(console, forecast_page(runtime.catalogue, seen))
        path = write_preview(runtime, seen)
        console.print(runtime.catalogue.text("preview.written", path=path))
