"""Write the preview as a workbook."""

from pathlib import Path

from connectors.spreadsheets.writers.pages import Page, write_page
from connectors.spreadsheets.writers.safe_files import readable_stem
from tasks.runtime import Context


def write_preview(context: Context, file_name: str, page: Page) -> Path:
    """Write a forecast's page as a workbook, named after its file. Return its path."""
    name = f"{readable_stem(file_name)}-{context.catalogue.text('preview.suffix')}.xlsx"
    path = context.outbox / name
    write_page(path, page, made_at=context.clock())
    return path
