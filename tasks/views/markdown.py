"""A page as markdown, for the orchestrator's dashboard."""

from collections.abc import Iterable, Iterator

from connectors.spreadsheets.pages import Page, Section


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
