"""Render the preview as Markdown for the dashboard, and as a workbook."""

from pathlib import Path

from connectors.spreadsheets.pages import Page, write_page
from connectors.spreadsheets.safe_files import readable_stem
from tasks.preview.page import forecast_page
from tasks.preview.stored_forecast import forecast_reading
from tasks.runtime import Context
from tasks.views.markdown import markdown


async def preview_markdown(context: Context, reading_id: int) -> str:
    """Return what a reading would issue and what stays behind, as Markdown for the dashboard."""
    seen = await forecast_reading(context, reading_id)
    return markdown(forecast_page(context.catalogue, seen, is_shared=True))


def write_preview(context: Context, file_name: str, page: Page, *, folder: Path | None = None) -> Path:
    """Write a forecast's page as a workbook, named after its file. Return its path."""
    name = f"{readable_stem(file_name)}-{context.catalogue.text('preview.suffix')}.xlsx"
    path = (folder or context.outbox) / name
    write_page(path, page, made_at=context.clock())
    return path
