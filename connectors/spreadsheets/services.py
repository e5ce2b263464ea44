"""Read a services sheet: rows as typed lines, each with all its problems."""

import dataclasses
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import TypeAlias

import orjson

from connectors.spreadsheets.formats.sheets import Row
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.parsers.city_lookup import Cities
from connectors.spreadsheets.parsers.field_parsers import Defaults
from connectors.spreadsheets.readings import (
    NO_CELLS,
    OpenedSheet,
    SheetReading,
    SheetRow,
    billed_totals,
    blocks_below,
    json_of,
    kept_cells,
    survey_sheet,
    understood_of,
)
from connectors.spreadsheets.service_row_parser import Reader, is_any_item
from connectors.spreadsheets.survey import SERVICES
from domain.competence import month_text
from domain.problems import Problem, Where
from domain.services.lines import ServiceLine

__all__ = ["Defaults", "ReadRow", "ServicesReading", "read_services"]


class ReadRow(SheetRow):
    __slots__ = ()

    @property
    def line(self) -> ServiceLine | None:
        """Return the typed line; None exactly when there are problems."""
        return None if self.json is None else ServiceLine.from_json(orjson.loads(self.json))


ServicesReading: TypeAlias = SheetReading[ReadRow]


def read_services(
    opened: OpenedSheet, *, defaults: Defaults, cities: Cities, is_item: Callable[[str], bool] = is_any_item
) -> ServicesReading:
    """Survey the columns, compare the control total, and parse the rows lazily.

    `is_item` returns whether the national list of services has an item. Each row has its own problems. Raises
    `InputError` if the whole file cannot be understood.
    """
    header = opened.header
    survey = survey_sheet(opened, SERVICES, defaults)
    understood = understood_of(opened, survey, defaults)
    reader = Reader(
        sheet=header.sheet.name,
        columns=header.columns,
        locales=survey.locales,
        defaults=defaults,
        cities=cities,
        has_serials=opened.has_serials,
        width=opened.width,
        holding=survey.holding,
        releases=opened.releases,
        has_merges=header.sheet.has_merges,
        repeated_keys=survey.repeated_keys,
        is_item=is_item,
    )

    aside = understood.rows_aside
    totals = billed_totals(opened, survey, SERVICES.control)
    if SERVICES.control not in header.columns:
        lines = (
            reader.read(row_values)[0] for block in blocks_below(header, aside) for row_values in reader.take(block)
        )
        computed = sum(line["service_cents"] for line in lines if line is not None)
        understood = dataclasses.replace(understood, computed_cents=computed)

    default_month = None if defaults.competence is None else month_text(defaults.competence)

    def is_silent(row: Row, place: int | None = header.columns.get("competence")) -> bool:
        """Return whether the row has no month of its own."""
        return place is None or place >= len(row.cells) or cells.is_blank(row.cells[place])

    def rows(keeping: int | None) -> Iterator[ReadRow]:
        reader.decisions.clear()
        totals.clear()
        before = billed = 0
        for block in blocks_below(header, aside):
            cells_of = kept_cells(block) if keeping is None or before < keeping else repeat(NO_CELLS, len(block))
            before += len(block)
            for row, row_values, kept in zip(block, reader.take(block), cells_of, strict=True):
                line, problems = reader.read(row_values)
                json = None if line is None else json_of(line)
                billed += line is not None
                totals.take(row.number, None if line is None else line["service_cents"])
                month = default_month if default_month is not None and is_silent(row) else None
                yield ReadRow(understood.sheet, row.number, kept, json, problems, month)
        if "description" not in header.columns and billed:
            where = Where(sheet=header.sheet.name)
            reader.decisions.take(Problem("description.no_column", "description", where, {"count": billed}))

    return SheetReading(understood, survey.has_tags, rows, reader.decisions, totals)
