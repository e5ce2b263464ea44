"""Show a page on the terminal, its sections as tables."""

from rich.console import Console

from connectors.spreadsheets.writers.pages import Page, Section
from flows.console_table import show_list
from flows.safe_console import show_alarm


def show_page(console: Console, page: Page) -> None:
    """Show a page with its sections as tables. Its long lists are in the workbook alone."""
    console.print(page.title, style="bold")
    for line in page.lines:
        console.print(line)
    for alarm in page.alarms:
        show_alarm(console, alarm)
    for section in page.sections:
        show_section(console, section)


def show_section(console: Console, section: Section) -> None:
    """Show one section as a table, nothing if it has no rows."""
    if not section.rows:
        return
    console.print(f"\n{section.title}", style="bold")
    if section.note:
        console.print(section.note, style="dim")
    rows = [["" if cell is None else str(cell) for cell in row] for row in section.rows]
    figures = [section.is_figures(column) for column in range(len(section.headings))]
    show_list(console, section.headings, rows, figures=figures)
