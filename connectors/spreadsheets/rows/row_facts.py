"""Facts about a single row that decide whether it is a line: its filled cells, its document, a tag of ours."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from connectors.spreadsheets.formats.sheets import Cell, Row
from connectors.spreadsheets.headers.final_amounts import SAMPLED
from connectors.spreadsheets.headers.layouts import Header
from connectors.spreadsheets.parsers import cells
from domain.corrections.row_tags import holds_tag, is_tag

_WHOLE_LENGTHS: Final = frozenset({11, 14, 18})
LONGEST_TAG_CELL: Final = 40


def rows_below(header: Header) -> Iterator[Row]:
    """Yield the rows below the header that are not blank, hidden rows too."""
    first = header.row + 1
    for row in header.sheet.rows():
        if row.number >= first:
            for cell in row.cells:
                if cell is not None and not cells.is_blank(cell):
                    yield row
                    break


def first_rows(header: Header) -> list[Sequence[Cell]]:
    """Return the cells of the first rows, from which to learn what a column means."""
    return [row.cells for row in islice(rows_below(header), SAMPLED)]


def is_sparse(row: Row) -> bool:
    """Return whether a row has only one value. Such a row is no billable line."""
    return sum(not cells.is_blank(cell) for cell in row.cells) == 1


def is_whole_document(cell: Cell) -> bool:
    """Return whether a text has the length of a document and ends in digits. The check digits are not checked."""
    return type(cell) is str and len(cell) in _WHOLE_LENGTHS and cell.isascii() and cell[-2:].isdecimal()


def has_tag(rows: Iterable[tuple[Cell, ...]]) -> bool:
    """Return whether a cell of these rows holds the tag of a corrected row."""
    texts = [cell for cells in rows for cell in cells if type(cell) is str]
    # One search in all texts costs a fraction of a search in each.
    if not holds_tag("\n".join(texts)):
        return False
    return any(len(text) <= LONGEST_TAG_CELL and is_tag(text) for text in texts)


def has_any(row: Row, indexes: list[int]) -> bool:
    """Return whether one of these columns has a value."""
    found = row.cells
    width = len(found)
    return any(index < width and found[index] is not None and not cells.is_blank(found[index]) for index in indexes)


def has_cut_amount(row: Row, columns: Mapping[str, int]) -> bool:
    """Return whether an amount seems cut at an unquoted decimal comma: `1500` beside `00`."""
    index = columns.get("service_cents", len(row.cells))
    whole, cents = (cells.as_text(cell) for cell in (*row.cells[index : index + 2], None, None)[:2])
    return whole.lstrip("R$ -").replace(".", "").isdecimal() and len(cents) == 2 and cents.isdecimal()
