"""A page as markdown, for the orchestrator's dashboard."""

from collections.abc import Iterable, Iterator
from typing import Final

from connectors.spreadsheets.pages import Cell, Page, Section

_WIDEST: Final = 80
"""Letters of a row that a screen holds."""
_WORDS: Final = 30
"""A last cell with more letters than these is prose, such as what to do; figures may be out of sight at the right."""


def markdown(page: Page) -> str:
    """The page without its long lists."""
    parts = [f"# {page.title}", *page.lines, *(f"> {alarm}" for alarm in page.alarms)]
    for section in page.sections:
        if section.rows:
            parts += [f"## {section.title}", *([section.note] if section.note else []), "\n".join(_rows(section))]
    return "\n\n".join(parts)


def _rows(section: Section) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*(map(_text, row) for row in section.rows), strict=True)]
    is_cut_off = sum(widths) > _WIDEST and widths[-1] > _WORDS
    return _list(section) if is_cut_off else _table(section)


def _list(section: Section) -> Iterator[str]:
    """A paragraph for each row: the dashboard never breaks a cell, and would show the beginning of it alone."""
    for row in section.rows:
        said = [(heading, text) for heading, cell in zip(section.headings, row, strict=True) if (text := _text(cell))]
        (heading, text), *rest = said
        yield " · ".join([f"- **{heading} {text}**", *(f"{heading}: {text}" for heading, text in rest)])


def _table(section: Section) -> Iterator[str]:
    """The section's columns, but for those in which nothing stands: a wide table is cut off at the right."""
    kept = [at for at in range(len(section.headings)) if any(row[at] not in {None, ""} for row in section.rows)]
    yield _line(section.headings[at] for at in kept)
    yield f"|{''.join('---:|' if section.is_figures(at) else '---|' for at in kept)}"
    for row in section.rows:
        yield _line(row[at] for at in kept)


def _line(cells: Iterable[Cell]) -> str:
    return f"| {' | '.join(map(_text, cells))} |"


def _text(cell: Cell) -> str:
    # A cell's text comes from people: what would end the cell or the row is taken out.
    return "" if cell is None else str(cell).replace("|", "/").replace("\n", " ")
