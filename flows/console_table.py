"""Show a list as a table if it fits the terminal, else as a paragraph for each row. Cut nothing off."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from configs.catalogue import Catalogue
from domain.taker_changes import Change

_BETWEEN: Final = 3
_LONGEST_WORD: Final = 16
_INDENT: Final = (0, 0, 0, 2)


def show_list(
    console: Console, headings: Sequence[str], rows: Iterable[Sequence[str]], *, figures: Sequence[bool]
) -> None:
    """Show rows of plain text. `figures`: for each column, whether it is right-aligned and never wrapped."""
    rows = list(rows)
    # Never cut a figure: wrap its heading word by word, and wrap the text columns.
    shown = [each.replace(" ", "\n") if right else each for each, right in zip(headings, figures, strict=True)]
    least = [
        _least_width([shown[place], *(row[place] for row in rows)], is_figure=right)
        for place, right in enumerate(figures)
    ]
    spare = console.width - sum(least) - _BETWEEN * (len(least) - 1)
    if spare < 0:
        _show_paragraphs(console, headings, rows, is_titled=figures[0])
        return
    most = [_full_width([shown[place], *(row[place] for row in rows)]) for place in range(len(shown))]
    table = Table(show_edge=False, pad_edge=False, header_style="bold")
    # Without widths of ours, rich may make a column wider than fits, and crop the last one.
    for heading, right, width in zip(shown, figures, _widths(least, most, spare), strict=True):
        justify: JustifyMethod = "right" if right else "left"
        table.add_column(Text(heading), justify=justify, no_wrap=right, overflow="fold", width=width)
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)


def change_line(words: Catalogue, field: str, change: Change) -> str:
    """Return a field's value before and after a change; a dash stands for no value."""
    return words.text("import.change", field=field, was=change.was or "–", becomes=change.becomes or "–")


def _least_width(cells: Iterable[str], *, is_figure: bool) -> int:
    """Return the smallest readable width of a column, in characters."""
    if is_figure:
        return max(cell_len(line) for cell in cells for line in cell.split("\n"))
    return min(_LONGEST_WORD, max((cell_len(word) for cell in cells for word in cell.split()), default=0))


def _full_width(cells: Iterable[str]) -> int:
    """Return the width at which no cell of a column wraps, in characters."""
    return max(cell_len(line) for cell in cells for line in cell.split("\n"))


def _widths(least: Sequence[int], most: Sequence[int], spare: int) -> list[int]:
    """Return the widths of the columns: the spare characters go evenly to those whose cells still wrap."""
    widths = list(least)
    while spare and (narrow := [place for place, width in enumerate(widths) if width < most[place]][:spare]):
        for place in narrow:
            widths[place] += 1
        spare -= len(narrow)
    return widths


def _show_paragraphs(
    console: Console, headings: Sequence[str], rows: Iterable[Sequence[str]], *, is_titled: bool
) -> None:
    """Show each row as a paragraph. Its first cell is the title."""
    for row in rows:
        console.print(Text(f"{headings[0]} {row[0]}" if is_titled else row[0], style="bold"))
        cells = (f"{heading} {cell}" for heading, cell in zip(headings[1:], row[1:], strict=True) if cell)
        console.print(Padding(Text(" · ".join(cells)), _INDENT))
