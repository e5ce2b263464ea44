"""A page as markdown, for the orchestrator's dashboard."""

from collections.abc import Iterable, Iterator

from connectors.spreadsheets.pages import Cell, Cents, Page, Section


def markdown(page: Page) -> str:
    """The page without its long lists."""
    parts = [f"# {page.title}", *page.lines, *(f"> {alarm}" for alarm in page.alarms)]
    for section in page.sections:
        if section.rows:
            parts += [f"## {section.title}", *([section.note] if section.note else []), "\n".join(_table(section))]
    return "\n\n".join(parts)


def _table(section: Section) -> Iterator[str]:
    """The section's columns, but for those in which nothing stands: the dashboard cuts a wide table off."""
    kept = [at for at in range(len(section.headings)) if any(row[at] not in {None, ""} for row in section.rows)]
    yield _line(section.headings[at] for at in kept)
    yield f"|{''.join('---:|' if section.is_figures(at) else '---|' for at in kept)}"
    for row in section.rows:
        yield _line(row[at] for at in kept)


def _line(cells: Iterable[Cell]) -> str:
    return f"| {' | '.join(map(_text, cells))} |"


def _text(cell: Cell) -> str:
    if isinstance(cell, Cents):
        # an amount is one word
        return str(cell).replace(" ", "\N{NO-BREAK SPACE}")
    # a cell's text comes from people: what would end the cell or the row is taken out
    return "" if cell is None else str(cell).replace("|", "/").replace("\n", " ")
