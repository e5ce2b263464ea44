"""Turn the person's XLSX or XLSM into a small XLSX of the same format: header, failing rows, short other sheets."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from connectors.spreadsheets.corrections.columns import SheetPlan, plan_sheet
from connectors.spreadsheets.corrections.original import ListedSheet, Original, text_of
from connectors.spreadsheets.corrections.parts import SmallSheet, assembled
from connectors.spreadsheets.corrections.row_extraction import Columns, ExtractedRow, Merge, SheetExtract, extract_rows
from domain.corrections.reports import CorrectionsReport

OTHER_ROWS_AT_MOST: Final = 1_000
"""The most rows that are copied of a sheet without failing rows: enough for instructions and lists."""

_TO_THE_END: Final = 1 << 30


def shrink(content: bytes, report: CorrectionsReport) -> tuple[bytes, dict[str, SheetPlan]]:
    """Return the small workbook and the plans of its rows and columns by sheet. Raises `UnusualMarkup`."""
    original = Original(content)
    plans: dict[str, SheetPlan] = {}
    small = []
    for sheet in original.sheets:
        if sheet.name in report.header_rows:
            extract, plans[sheet.name] = _failing(original, sheet, report)
        else:
            with original.open(sheet.part) as part:
                extract = extract_rows(part, lambda _: True, last=OTHER_ROWS_AT_MOST)
        small.append(SmallSheet(sheet.name, sheet.state, extract))
    return assembled(original, small), plans


def _failing(original: Original, sheet: ListedSheet, report: CorrectionsReport) -> tuple[SheetExtract, SheetPlan]:
    header_row = report.header_rows[sheet.name]
    failing = {row.row for row in report.rows_of(sheet.name)}
    with original.open(sheet.part) as part:
        extract = extract_rows(part, lambda number: number <= header_row or number in failing, last=_TO_THE_END)
    header = next((row for row in extract.rows if row.number == header_row), None)
    width = max((cell.column for row in extract.rows for cell in row.cells if cell.value), default=0)
    headers = {} if header is None else _texts(original, header)
    found = plan_sheet(
        headers,
        header_row=header_row,
        failing=failing,
        words=report.every_words,
        width=width,
        more=report.added_columns(sheet.name),
    )
    return _moved(extract, found), found


def _texts(original: Original, row: ExtractedRow) -> dict[int, str]:
    """Return the texts of a row by column, without blanks."""
    shared = {cell.column: int(cell.value) for cell in row.cells if cell.kind == "s" and cell.value.isdecimal()}
    numbers = {old: number for number, old in enumerate(sorted(set(shared.values())))}
    texts = original.texts(numbers)
    found = {cell.column: cell.value for cell in row.cells if cell.kind in ("str", "inlineStr")}
    found |= {column: text_of(texts[numbers[old]]) for column, old in shared.items()}
    return {column: text for column, text in found.items() if text.strip()}


def _moved(sheet: SheetExtract, to: SheetPlan) -> SheetExtract:
    return replace(
        sheet,
        rows=tuple(_moved_rows(sheet.rows, to)),
        columns=tuple(_moved_columns(sheet.columns, to)),
        merges=tuple(_moved_merges(sheet.merges, to)),
        frozen_columns=to.column(sheet.frozen_columns) if sheet.frozen_columns else 0,
    )


def _moved_rows(rows: tuple[ExtractedRow, ...], to: SheetPlan) -> Iterator[ExtractedRow]:
    for row in rows:
        number = to.row(row.number)
        if number is not None:
            cells = tuple(replace(cell, column=to.column(cell.column)) for cell in row.cells)
            is_title = row.number <= to.header_row
            # the height of a failing row must follow the text that we add to it
            height, is_hidden = (row.height, row.is_hidden) if is_title else (None, False)
            yield ExtractedRow(number, height, is_hidden, cells)


def _moved_columns(columns: tuple[Columns, ...], to: SheetPlan) -> Iterator[Columns]:
    for each in columns:
        if to.shifts_from is not None and each.first < to.shifts_from <= each.last:
            yield replace(each, last=to.shifts_from - 1)
            yield replace(each, first=to.shifts_from + 1, last=each.last + 1)
        else:
            yield replace(each, first=to.column(each.first), last=to.column(each.last))


def _moved_merges(merges: tuple[Merge, ...], to: SheetPlan) -> Iterator[Merge]:
    for each in merges:
        left, right = to.column(each.left), to.column(each.right)
        # a merged header would cover the header of the tags
        if each.bottom <= to.header_row and not (each.bottom == to.header_row and left <= to.tags <= right):
            yield replace(each, left=left, right=right)
