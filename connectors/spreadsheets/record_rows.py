"""Read a sheet of records to create or change. Its headers are the field names of the provider's documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import Final

from connectors.spreadsheets.formats.sheets import Cell, CellError, Uncalculated, Workbook
from connectors.spreadsheets.parsers import cells
from domain.problems import InputError, Problem, Where

_HEADER_WITHIN: Final = 20


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One row: its number, and its filled cells by header."""

    number: int
    values: Mapping[str, str]


def read_records(workbook: Workbook, names: Sequence[str]) -> list[RecordRow]:
    """Return the rows of the first sheet below its header, the first row with one of these names.

    Raises `InputError` for a sheet without a header, an unknown header, or a cell with a formula error.
    """
    sheet = workbook.sheets[0]
    known = {name.casefold(): name for name in names}
    rows = iter(sheet.rows())
    for row in islice(rows, _HEADER_WITHIN):
        texts = {
            place: cells.as_text(cell).strip() for place, cell in enumerate(row.cells) if cells.as_text(cell).strip()
        }
        if any(text.casefold() in known for text in texts.values()):
            break
    else:
        raise InputError(Problem("record.no_header", None, Where(sheet=sheet.name), {"names": ", ".join(names)}))
    header = {place: known.get(text.casefold()) for place, text in texts.items()}
    stranger = next((texts[place] for place, name in header.items() if name is None), None)
    if stranger is not None:
        params = {"name": stranger[:40], "names": ", ".join(names)}
        raise InputError(Problem("record.strange_header", None, Where(sheet=sheet.name, row=row.number), params))
    found = []
    for each in rows:
        written = {
            str(name): text
            for place, name in header.items()
            if place < len(each.cells) and (text := _text_of(each.cells[place], sheet.name, each.number))
        }
        if written:
            found.append(RecordRow(each.number, written))
    return found


def _text_of(cell: Cell, sheet: str, row: int) -> str:
    if isinstance(cell, CellError | Uncalculated):
        raise InputError(Problem("record.bad_cell", None, Where(sheet=sheet, row=row)))
    if isinstance(cell, datetime):
        return cell.date().isoformat()
    return cell.isoformat() if isinstance(cell, date) else cells.as_text(cell).strip()
