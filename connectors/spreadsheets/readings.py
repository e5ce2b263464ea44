"""An opened sheet and the results of its reading: rows as JSON for the ledger, and facts about the file."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any, Final, Generic, NamedTuple, TypeVar

import orjson

from connectors.spreadsheets.columns_by_content import (
    with_columns_by_content,
    with_computed_amount,
    with_names,
    with_other_meanings,
)
from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.formats.sheet_metadata import column_letter
from connectors.spreadsheets.formats.sheets import FileKind, Row, Workbook
from connectors.spreadsheets.headers.final_amounts import AMOUNT
from connectors.spreadsheets.headers.layouts import Header, Layout, find_header, headers_by_sheet, is_aside
from connectors.spreadsheets.month_columns import with_month_column
from connectors.spreadsheets.month_years import with_years
from connectors.spreadsheets.parsers.cells import TEXT_LENGTH
from connectors.spreadsheets.parsers.column_parser import in_blocks, rows_as_json
from connectors.spreadsheets.parsers.field_parsers import Defaults
from connectors.spreadsheets.rows import titles
from connectors.spreadsheets.rows.row_facts import rows_below
from connectors.spreadsheets.rows.totals import BilledTotals
from connectors.spreadsheets.survey import Plan, Survey
from domain.decisions import Decisions
from domain.problems import InputError, Problem, Where

WARNINGS_AT_MOST: Final = 100
NO_CELLS: Final = b"{}"
"""The cells of a row, if the caller does not need them."""
_RELEASING: Final = "faturar"
_WITHOUT_COLOURS: Final = frozenset({"xls", "xlsb", "html"})
"""Formats whose colours are not read. A CSV has no colours."""


@dataclass(frozen=True, slots=True)
class OpenedSheet:
    """The sheet that is read, with its layout and its header."""

    workbook: Workbook
    layout: Layout
    header: Header

    @property
    def has_serials(self) -> bool:
        """Return whether a bare number may count days from 1900."""
        return self.workbook.facts.get("dates_from") != "1904"

    @property
    def width(self) -> int | None:
        """Return how many cells a row may have. Only a CSV has a limit: one cell too many shifts all later cells."""
        return max(self.header.texts) + 1 if self.workbook.kind == "csv" else None

    @property
    def releases(self) -> bool:
        """Return whether the billing column releases a held row: `Faturar` does, `Emitir NF` only selects rows."""
        index = self.header.columns.get("is_wanted")
        return index is not None and releases(self.header.texts[index])


def releases(header: str) -> bool:
    """Return whether the billing column of this header releases held rows."""
    return normalised(header).startswith(_RELEASING)


def open_sheet(
    workbook: Workbook,
    layout: Layout,
    *,
    sheet: str | None = None,
    uses_hidden: bool = True,
    competence: date | None = None,
) -> OpenedSheet:
    """Find the sheet to read and its header, by its cells if need be.

    `sheet` selects one of several sheets; `uses_hidden`: hidden columns count too.

    Of sheets that are named by their months, the one of `competence` is read.

    Raises `InputError` like `find_header`.
    """
    if sheet is None and competence is not None and len(workbook.sheets) > 1:
        sheet = _of_month(workbook, layout, competence)
    # with a saved mapping, only a person decides about columns
    is_mapped = bool(layout.remarks)
    try:
        header = find_header(workbook, layout, sheet=sheet, uses_hidden=uses_hidden)
    except InputError as error:
        found = _with_other_columns(workbook, layout, competence, sheet, error)
        if found is None:
            raise
        layout, header = found, find_header(workbook, found, sheet=sheet, uses_hidden=uses_hidden)
    if not is_mapped:
        if AMOUNT in layout.required and AMOUNT not in header.columns:
            layout = with_columns_by_content(workbook, layout, sheet=sheet)
            header = find_header(workbook, layout, sheet=sheet, uses_hidden=uses_hidden)
        corrected = with_other_meanings(header, with_names(header, layout))
        if corrected is not layout:
            layout, header = corrected, find_header(workbook, corrected, sheet=sheet, uses_hidden=uses_hidden)
        header, layout = with_computed_amount(header, layout)
    return OpenedSheet(workbook, layout, with_years(header))


def _with_other_columns(
    workbook: Workbook, layout: Layout, competence: date | None, sheet: str | None, error: InputError
) -> Layout | None:
    """Return the layout that finds missing columns by the month in a header or by their cells, or None."""
    if AMOUNT not in layout.required or not any(
        each.code == "column.missing" for each in (error.problem, *error.details)
    ):
        return None
    found = layout if competence is None else with_month_column(workbook, layout, competence, sheet=sheet)
    if not layout.remarks:
        # with a saved mapping, only a person decides about columns
        found = with_columns_by_content(workbook, found, sheet=sheet)
    return None if found is layout else found


def _of_month(workbook: Workbook, layout: Layout, competence: date) -> str | None:
    """Return the only sheet with a header that is of this month, if all others are of other months."""
    names = [name for name in headers_by_sheet(workbook, layout) if not is_aside(name, layout)]
    if len(names) < 2 or not all(map(titles.months_of, names)):
        return None
    asked = [name for name in names if not titles.names_other_month(name, competence)]
    return asked[0] if len(asked) == 1 else None


class SheetRow(NamedTuple):
    """One row of the sheet as JSON for the ledger: `kept` are the cells by column letter, `json` is the typed line.

    `json` is None exactly when there are `problems`. `run_competence` is the month (`2026-11`) from the run's options
    or a title; None if the row has its own.
    """

    sheet: str
    row_number: int
    kept: bytes
    json: bytes | None
    problems: tuple[Problem, ...]
    run_competence: str | None = None

    @property
    def cells(self) -> dict[str, Any]:
        """Return the cells by column letter."""
        found: dict[str, Any] = orjson.loads(self.kept)
        return found


RowT_co = TypeVar("RowT_co", bound=SheetRow, covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A used column: field, letter, header as written, and number notation.

    `numbers` is `pt_BR`, `en_US`, `mixed`, or None if no cell shows the notation.
    """

    field: str
    letter: str
    header: str
    numbers: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """The facts about the file, complete before the first row is parsed. Amounts in cents.

    `unused` are header texts by column letter. `declared_cents` is the amount in the last total row,
    `computed_cents` the sum of every readable amount, in good and bad rows. `ignored_rows` are repeated headers, titles
    and notes. `emitter_cnpj` bills the rows that name no emitter.
    """

    kind: FileKind
    sheet: str
    header_row: int
    columns: tuple[Column, ...]
    unused: Mapping[str, str]
    row_count: int
    hidden_rows: tuple[int, ...]
    ignored_rows: tuple[int, ...]
    total_rows: tuple[int, ...]
    declared_cents: int | None
    computed_cents: int
    warnings: tuple[Problem, ...]
    facts: Mapping[str, str]
    emitter_cnpj: str | None = None

    @property
    def rows_aside(self) -> frozenset[int]:
        """Return the numbers of the rows that are not billable lines: totals, repeated headers, titles and notes."""
        return frozenset((*self.total_rows, *self.ignored_rows))

    def to_json(self) -> dict[str, Any]:
        """Return the facts as JSON for the ledger."""
        plain = ("kind", "sheet", "header_row", "row_count", "declared_cents", "computed_cents", "emitter_cnpj")
        return {
            **{name: getattr(self, name) for name in plain},
            "columns": [asdict(column) for column in self.columns],
            "unused": dict(self.unused),
            "hidden_rows": list(self.hidden_rows),
            "ignored_rows": list(self.ignored_rows),
            "total_rows": list(self.total_rows),
            "warnings": [warning.to_json() for warning in self.warnings],
            "facts": dict(self.facts),
        }


@dataclass(frozen=True, slots=True)
class SheetReading(Generic[RowT_co]):
    """The reading of a sheet. `has_tags`: a cell looks like the tag of a corrections workbook.

    `decisions` and `totals` are complete once all rows were parsed.
    """

    understood: Understood
    has_tags: bool
    _rows: Callable[[int | None], Iterator[RowT_co]] = field(repr=False)
    decisions: Decisions = field(default_factory=Decisions)
    totals: BilledTotals | None = None

    def judged(self, warnings: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the warnings, with a more exact one for each total that includes unbilled rows.

        Parse all rows before.
        """
        return list(map(dict, warnings)) if self.totals is None else self.totals.judged(warnings)

    def rows(self, *, keeping: int | None = None) -> Iterator[RowT_co]:
        """Return the rows in file order, without header, blank rows, total rows and notes. Can be repeated.

        `keeping` is a number of rows: later rows may lack their cells (`NO_CELLS`), which most callers do not read.
        """
        return self._rows(keeping)


def blocks_below(header: Header, aside: Container[int]) -> Iterator[list[Row]]:
    """Yield the rows below the header in blocks. `aside` are numbers of rows to leave out."""
    return in_blocks(row for row in rows_below(header) if row.number not in aside)


def kept_cells(rows: Sequence[Row]) -> list[bytes]:
    """Return the cells of each row for the ledger, as JSON by column letter."""
    return list(map(_kept, rows_as_json(rows)))


def _kept(values: Mapping[str, Any]) -> bytes:
    kept = json_of(values)
    if len(kept) <= TEXT_LENGTH:
        return kept
    # only a CSV can have a longer text
    return json_of({name: cell[:TEXT_LENGTH] if isinstance(cell, str) else cell for name, cell in values.items()})


def json_of(values: Mapping[str, Any]) -> bytes:
    """Return the values as JSON, copied: orjson's own bytes keep some kilobytes of its buffer in memory."""
    return memoryview(orjson.dumps(values)).tobytes()


def survey_sheet(opened: OpenedSheet, plan: Plan, defaults: Defaults) -> Survey:
    """Survey all rows. Raises `InputError` if the sheet has no rows, or nothing names emitter or competence."""
    header = opened.header
    _refuse_unsaid(header, defaults)
    survey = Survey(
        header,
        plan,
        layout=opened.layout,
        competence=defaults.competence,
        emitter_cnpj=defaults.emitter_cnpj,
        takes_hidden_rows=defaults.takes_hidden_rows,
        sheets=opened.workbook.sheets,
    )
    if not survey.row_count:
        raise InputError(Problem("sheet.no_rows", None, Where(sheet=header.sheet.name, row=header.row)))
    return survey


def billed_totals(opened: OpenedSheet, survey: Survey, control: str) -> BilledTotals:
    """Return the object that compares the sheet's totals with the billed rows, which the caller adds.

    `control` is the field of the column that the totals sum up.
    """
    index = opened.header.columns.get(control)
    letter = None if index is None else column_letter(index)
    return BilledTotals(survey.totals, opened.header.sheet.name, control, letter)


def understood_of(opened: OpenedSheet, survey: Survey, defaults: Defaults) -> Understood:
    """Return the facts of a survey that the ledger stores and a person sees."""
    workbook, layout, header = opened.workbook, opened.layout, opened.header
    return Understood(
        kind=workbook.kind,
        sheet=header.sheet.name,
        header_row=header.row,
        columns=tuple(
            Column(
                field=name, letter=column_letter(index), header=header.texts[index], numbers=survey.locales.get(name)
            )
            for name, index in sorted((*header.columns.items(), *header.signs), key=lambda item: item[1])
        ),
        unused={column_letter(index): text for index, text in header.unused.items()},
        row_count=survey.row_count,
        hidden_rows=tuple(survey.hidden_rows),
        ignored_rows=tuple(survey.ignored_rows),
        total_rows=tuple(total.row for total in survey.totals),
        declared_cents=survey.totals[-1].declared_cents if survey.totals else None,
        computed_cents=survey.computed_cents,
        warnings=(*about_file(workbook, layout, header), *survey.warnings(layout))[:WARNINGS_AT_MOST],
        facts=workbook.facts,
        emitter_cnpj=defaults.emitter_cnpj,
    )


def about_file(workbook: Workbook, layout: Layout, header: Header) -> Iterator[Problem]:
    """Yield the layout's remarks, and those about other sheets, unread colours and macros."""
    yield from layout.remarks
    name = header.sheet.name
    others = [each.name for each in workbook.sheets if each.name != name and not is_aside(each.name, layout)]
    if others:
        yield Problem("sheet.chosen", None, Where(sheet=name), {"sheet": name, "others": ", ".join(others)[:200]})
    hidden = [each for each in workbook.hidden_sheets if not is_aside(each, layout)]
    if hidden:
        params: dict[str, str | int] = {"sheets": ", ".join(hidden)[:200]}
        yield Problem("sheet.hidden_sheets", None, Where(), params)
    if workbook.kind in _WITHOUT_COLOURS:
        yield Problem("file.colours_unseen", params={"kind": workbook.kind.upper()})
    if "macros" in workbook.facts:
        yield Problem("file.macros_ignored")


def _refuse_unsaid(header: Header, defaults: Defaults) -> None:
    """Raise `InputError` if neither a column nor a default has the emitter, or the competence."""
    where = Where(sheet=header.sheet.name, row=header.row)
    unsaid = [
        Problem(code, name, where)
        for code, name, default in (
            ("emitter.missing", "emitter_cnpj", defaults.emitter_cnpj),
            ("competence.missing", "competence", defaults.competence),
        )
        if default is None and name not in header.columns
    ]
    if unsaid:
        raise InputError(unsaid[0], *unsaid[1:])
