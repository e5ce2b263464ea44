"""Render the preview as Markdown for the dashboard, and as a workbook."""

from pathlib import Path

from connectors.spreadsheets.pages import write_page
from connectors.spreadsheets.safe_files import readable_stem
from domain.forecasts.forecast import Forecast
from tasks.preview.page import forecast_page
from tasks.preview.stored_forecast import forecast_reading
from tasks.runtime import Context
from tasks.views.markdown import markdown


async def preview_markdown(context: Context, reading_id: int) -> str:
    """Return what a reading would issue and what stays behind, as Markdown for the dashboard."""
    seen = await forecast_reading(context, reading_id)
    return markdown(forecast_page(context.catalogue, seen, is_shared=True))


def write_preview(context: Context, seen: Forecast, *, folder: Path | None = None) -> Path:
    """Write the preview as a workbook. Return its path."""
    path = (
        folder or context.outbox
    ) / f"{readable_stem(seen.file_name)}-{context.catalogue.text('preview.suffix')}.xlsx"
    write_page(path, forecast_page(context.catalogue, seen), made_at=context.clock())
    return path
