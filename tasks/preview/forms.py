"""The page as markdown for the dashboard, and as a workbook."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from connectors.spreadsheets.pages import Page, Section, write_page
from domain.forecasts.forecast import Forecast
from tasks.preview.page import forecast_page
from tasks.preview.recall import forecast_reading
from tasks.runtime import Desk


async def preview_markdown(desk: Desk, reading_id: int) -> str:
    """What a reading would issue and what stays behind, for the dashboard."""
    seen = await forecast_reading(desk, reading_id)
    return markdown(forecast_page(desk.catalogue, seen, is_shared=True))


def write_preview(desk: Desk, seen: Forecast, *, folder: Path | None = None) -> Path:
    """The preview as a workbook; where it is."""
    path = (folder or desk.outbox) / f"{Path(seen.file_name).stem}-{desk.catalogue.text('preview.suffix')}.xlsx"
    write_page(path, forecast_page(desk.catalogue, seen), made_at=desk.clock())
    return path


def markdown(page: Page) -> str:
    """The page without its long lists."""
    parts = [f"# {page.title}", *page.lines, *(f"> {alarm}" for alarm in page.alarms)]
    for section in page.sections:
        if section.rows:
            parts += [f"## {section.title}", *([section.note] if section.note else []), "\n".join(_table(section))]
    return "\n\n".join(parts)


def _table(section: Section) -> Iterator[str]:
    yield _line(section.headings)
    figures = (section.is_figures(column) for column in range(len(section.headings)))
    yield f"|{''.join('---:|' if is_figures else '---|' for is_figures in figures)}"
    for row in section.rows:
        yield _line("" if cell is None else cell for cell in row)


def _line(cells: Iterable[object]) -> str:
    # A cell's text comes from people: what would end the cell or the row is taken out.
    return f"| {' | '.join(str(cell).replace('|', '/').replace(chr(10), ' ') for cell in cells)} |"
