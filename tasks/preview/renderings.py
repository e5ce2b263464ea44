"""The page as markdown for the dashboard, and as a workbook."""

from pathlib import Path

from connectors.spreadsheets.pages import write_page
from connectors.spreadsheets.safe_files import readable_stem
from domain.forecasts.forecast import Forecast
from tasks.preview.page import forecast_page
from tasks.preview.stored_forecast import forecast_reading
from tasks.runtime import Desk
from tasks.views.markdown import markdown


async def preview_markdown(desk: Desk, reading_id: int) -> str:
    """Return what a reading would issue and what stays behind, as Markdown for the dashboard."""
    seen = await forecast_reading(desk, reading_id)
    return markdown(forecast_page(desk.catalogue, seen, is_shared=True))


def write_preview(desk: Desk, seen: Forecast, *, folder: Path | None = None) -> Path:
    """Write the preview as a workbook. Return its path."""
    path = (folder or desk.outbox) / f"{readable_stem(seen.file_name)}-{desk.catalogue.text('preview.suffix')}.xlsx"
    write_page(path, forecast_page(desk.catalogue, seen), made_at=desk.clock())
    return path
