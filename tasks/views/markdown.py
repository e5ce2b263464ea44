"""Render a page as Markdown for the dashboard, and escape people's texts."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from connectors.spreadsheets.writers.pages import Cell, Page, Section
from domain.texts import visible

_WIDEST: Final = 80
"""Number of characters of a row that fit a screen."""
_PROSE: Final = 30
"""A longer last cell counts as prose, which the dashboard must not cut off; a figure it may."""

_SPACES: Final = re.compile(r"[\n\t]+")
# A number opens a list only at the start of a line, and only with up to nine digits.
_ORDERED: Final = "|".join(rf"(?<=^\d{{{digits}}})[.)](?= )" for digits in range(1, 10))
_ACTIVE: Final = re.compile(rf"[\\`*\[\]<>~]|(?<![^\W_])_|_(?![^\W_])|^[-+#=]|{_ORDERED}|:(?=//)|(?<=www)\.|@")
"""Characters that begin emphasis, code, links, HTML, lists, headings or bare addresses."""


class MarkdownText(str):
    """A text that is Markdown already. Its creator must escape texts of people in it."""

    __slots__ = ()


def markdown(page: Page) -> str:
    """Return the page as Markdown, without its long lists. Escape every text that is not `MarkdownText`."""
    title, *texts = map(escape_markdown, (page.title, *page.lines))
    parts = [f"# {title}", *texts, *(f"> {escape_markdown(alarm)}" for alarm in page.alarms)]
    for section in page.sections:
        if section.rows:
            note = [escape_markdown(section.note)] if section.note else []
            parts += [f"## {escape_markdown(section.title)}", *note, "\n".join(_rows(section))]
    return "\n\n".join(parts)


def escape_markdown(text: str) -> str:
    """Escape a text so that Markdown shows it unchanged on one line. A `MarkdownText` text stays as it is."""
    return text if isinstance(text, MarkdownText) else _ACTIVE.sub(r"\\\g<0>", _SPACES.sub(" ", visible(text)))


def escape_code(text: str) -> str:
    """Return a text that can stand between backticks."""
    return _SPACES.sub(" ", visible(text)).replace("`", "'")


def _rows(section: Section) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*(map(_text, row) for row in section.rows), strict=True)]
    is_cut_off = sum(widths) > _WIDEST and widths[-1] > _PROSE
    return _list(section) if is_cut_off else _table(section)


def _list(section: Section) -> Iterator[str]:
    """Yield a list item for each row: the dashboard never wraps a table's cell and would cut a long one off."""
    for row in section.rows:
        cells = [(heading, text) for heading, cell in zip(section.headings, row, strict=True) if (text := _text(cell))]
        (heading, text), *rest = cells
        yield " · ".join([f"- **{heading} {text}**", *(f"{heading}: {text}" for heading, text in rest)])


def _table(section: Section) -> Iterator[str]:
    """Yield a table without its empty columns, because the dashboard cuts a wide table off at the right."""
    kept = [at for at in range(len(section.headings)) if any(row[at] not in {None, ""} for row in section.rows)]
    yield _line(section.headings[at] for at in kept)
    yield f"|{''.join('---:|' if section.is_figures(at) else '---|' for at in kept)}"
    for row in section.rows:
        yield _line(row[at] for at in kept)


def _line(cells: Iterable[Cell]) -> str:
    return f"| {' | '.join(map(_text, cells))} |"


def _text(cell: Cell) -> str:
    # Not every table shows an escaped bar; a slash is always safe.
    return "" if cell is None else escape_markdown(str(cell) if not isinstance(cell, str) else cell).replace("|", "/")
