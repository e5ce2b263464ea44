"""The whole cycle of a file: dropped as a workbook, read, billed, its failing rows written back, edited, dropped."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import xlsxwriter
from openpyxl.worksheet.worksheet import Worksheet

from connectors.ledger.rows import RowRecord
from tasks.corrections.workbook import Corrections, write_back
from tasks.stations.assemble import assemble_rows
from tasks.stations.intake import archive_file
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.release import release_batch
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batch
from tests.tasks.dropped_sheets import HEADERS
from tests.tasks.workshop import Workshop

SHEET = "Faturamento"
HEADER_ROW = 3
FIRST = HEADER_ROW + 1
BAD = {"Valor": "muito"}
CITY = "Cidade"


def write_month(
    path: Path, rows: Iterable[Sequence[str]], *, headers: Sequence[str] = HEADERS, has_city: bool = False
) -> Path:
    """Write an XLSX with a title, a blank line, a header in row 3 and these rows as texts.

    The column of cities is left out where the postal code suffices: for its sake, a corrections workbook lists every
    city of Brazil, and a test that edits a few cells would load and save thousands.
    """
    table = [headers, *rows]
    if CITY in headers and not has_city:
        city = headers.index(CITY)
        table = [[*row[:city], *row[city + 1 :]] for row in table]
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet(SHEET)
    for number, row in enumerate([["Faturamento do mês"], [], *table]):
        sheet.write_row(number, 0, row)
    book.close()
    return path


def read_rows(shop: Workshop, path: Path, *, kind: str = "services", **options: Any) -> int:
    """Drop and read a file. Return the reading."""
    with shop.context() as context:
        file = archive_file(context, path, kind=kind)
        return read_file(context, file, ReadingOptions(operator="Ana", **options))[0]


def bill(shop: Workshop, path: Path, **options: Any) -> list[RowRecord]:
    """Drop, read and assemble a file. Return the rows of that reading."""
    reading = read_rows(shop, path, **options)
    for station in (resolve_rows, assemble_rows):
        shop.run(station, reading)
    return shop.rows(reading)


def issue(shop: Workshop) -> None:
    """Issue everything that is planned."""
    for batch in shop.batches():
        if batch.state == "planned":
            shop.run(stage_batch, batch.id)
            shop.approve()
            shop.run(release_batch, batch.id)
            shop.follow(batch.id)


def back(shop: Workshop, path: Path, *, kind: str = "services") -> Corrections | None:
    """Return the correction workbook of a dropped file."""
    with shop.context() as context:
        return write_back(context, archive_file(context, path, kind=kind))


def returned(shop: Workshop, path: Path, **options: Any) -> Path:
    found = back(shop, path, **options)
    assert found is not None
    return found.path


def edited(path: Path, target: Path, edit: Callable[[Worksheet], object]) -> Path:
    """Return the workbook as a person saved it elsewhere."""
    book = openpyxl.load_workbook(path)
    edit(book.worksheets[0])
    book.save(target)
    return target


def at(page: Worksheet, row: int, header: str) -> Any:
    """Return the cell of a row below that header."""
    column = next(cell.column for cell in page[HEADER_ROW] if cell.value == header)
    assert column is not None
    return page.cell(row, column)


def put(header: str, value: Any, *rows: int) -> Callable[[Worksheet], None]:
    """Return an edit that types a value under a header, into the first failing row or into these."""

    def edit(page: Worksheet) -> None:
        for row in rows or (FIRST,):
            at(page, row, header).value = value

    return edit


def problems_of(rows: Iterable[RowRecord]) -> dict[int, list[str]]:
    """Return problem codes by row number, for the rows with problems."""
    return {row.row_number: [problem.code for problem in row.problems] for row in rows if row.problems}


def families(rows: Iterable[RowRecord]) -> dict[int, int]:
    """Return the family of each row by row number."""
    return {row.row_number: row.family for row in rows}
