"""Rows of a sheet of customers, each as what it says of one, or everything that is wrong with it."""

from collections.abc import Iterator
from dataclasses import dataclass

from connectors.spreadsheets.formats.sheets import Row, Workbook
from connectors.spreadsheets.layouts import Layout, find_header
from connectors.spreadsheets.survey import rows_below
from connectors.spreadsheets.taking import Cities, Defaults, RowTaking, SheetReader
from domain.parties import TakerData
from domain.problems import LayoutError, Problem, Where


@dataclass(frozen=True, slots=True)
class TakerRow:
    """One row; `taker` is None exactly when there are `problems`."""

    number: int
    taker: TakerData | None
    problems: tuple[Problem, ...]


def read_takers(workbook: Workbook, layout: Layout, *, cities: Cities, sheet: str | None = None) -> list[TakerRow]:
    """Every row below the header in file order. Raises `LayoutError` where the file as a whole is not understood."""
    header = find_header(workbook, layout, sheet=sheet)
    reader = SheetReader(
        sheet=header.sheet.name,
        columns=header.columns,
        locales={},
        defaults=Defaults(),
        cities=cities,
        has_serials=workbook.facts.get("dates_from") != "1904",
    )
    rows = list(_rows(reader, rows_below(header)))
    if not rows:
        raise LayoutError(Problem("sheet.no_records", None, Where(sheet=header.sheet.name, row=header.row)))
    return rows


def _rows(reader: SheetReader, rows: Iterator[Row]) -> Iterator[TakerRow]:
    for row in rows:
        taking = _Taking(reader, row)
        taker = taking.taker()
        problems = taking.in_column_order()
        yield TakerRow(row.number, None if problems else taker, problems)


class _Taking(RowTaking):
    def taker(self) -> TakerData:
        """What the row says of its customer."""
        self._check_wanted()
        taker = self._taker()
        if taker.name is None and not self._is_blamed("name"):
            self._blame("row.required", "name")
        return taker
