"""Rows of a services workbook as typed lines, each with every problem it has; and what was made of the file."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any, Final, NamedTuple

import orjson

from connectors.spreadsheets import cells, figures
from connectors.spreadsheets.formats.marks import column_letter
from connectors.spreadsheets.formats.sheets import FileKind, Row, Workbook
from connectors.spreadsheets.layouts import Header, Layout, find_header, is_aside
from connectors.spreadsheets.lines import Reader, is_any_item
from connectors.spreadsheets.survey import Survey, rows_below
from connectors.spreadsheets.taking import Cities, City, Defaults
from domain.documents import ParsedDocument, parse_document
from domain.problems import LayoutError, Problem, Where
from domain.services import ServiceLine

__all__ = [
    "Cities",
    "City",
    "Column",
    "Defaults",
    "Glance",
    "ReadRow",
    "ServicesReading",
    "Understood",
    "glance",
    "read_services",
]

WARNINGS_AT_MOST: Final = 100
_GLANCE_LENGTH: Final = 2_000
_LETTERS: Final = tuple(map(column_letter, range(16_384)))


class ReadRow(NamedTuple):
    """One row of the sheet, as JSON that the ledger holds: `kept` the cells by column letter, `json` the line.

    `json` is None exactly when there are `problems`.
    """

    sheet: str
    row_number: int
    kept: bytes
    json: bytes | None
    problems: tuple[Problem, ...]

    @property
    def cells(self) -> dict[str, Any]:
        """The cells by column letter."""
        found: dict[str, Any] = orjson.loads(self.kept)
        return found

    @property
    def line(self) -> ServiceLine | None:
        return None if self.json is None else ServiceLine.from_json(orjson.loads(self.json))


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column that is used: field, letter, the header as written, and how its numbers are written.

    `numbers` is `pt_BR`, `en_US`, `mixed`, or None where no cell gives it away.
    """

    field: str
    letter: str
    header: str
    numbers: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """What was made of the file, complete before the first row is taken. Amounts in cents.

    `unused` are header texts by column letter. `declared_cents` is the last total row's own figure, `computed_cents`
    the sum of every readable amount, good row or not. `ignored_rows` are notes below the last total.
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

    def to_json(self) -> dict[str, Any]:
        """A shape for the ledger."""
        plain = ("kind", "sheet", "header_row", "row_count", "declared_cents", "computed_cents")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """What can be made out of a row that was refused, so that people recognise it. The document is as written."""

    service_cents: int | None
    taker_name: str | None
    taker_document: str | None
    template_name: str | None
    description: str | None
    emitter_cnpj: str | None
    competence: date | None = None


def glance(understood: Mapping[str, Any], row_cells: Mapping[str, Any]) -> Glance:
    """From what the ledger keeps: `Understood.to_json()` and the row's cells by column letter."""
    columns = {column["field"]: column for column in understood["columns"]}

    def text(name: str) -> str | None:
        found = row_cells.get(columns[name]["letter"]) if name in columns else None
        return cells.as_text(float(found) if type(found) is int else found)[:_GLANCE_LENGTH] or None

    amount = columns.get("service_cents")
    found = row_cells.get(amount["letter"]) if amount else None
    cents = figures.parse_amount(float(found) if type(found) is int else found, amount["numbers"]) if amount else None
    emitter = parse_document(text("emitter_cnpj") or "")
    return Glance(
        service_cents=cents if isinstance(cents, int) else None,
        taker_name=text("name"),
        taker_document=text("document"),
        template_name=text("template_name"),
        description=text("description"),
        emitter_cnpj=emitter.document.number if isinstance(emitter, ParsedDocument) else None,
    )


@dataclass(frozen=True, slots=True)
class ServicesReading:
    """A file understood: `understood` at once, the rows as a stream that may be started again.

    `has_tags`: some cell looks like the tag of a row that was handed back to be corrected.
    """

    understood: Understood
    has_tags: bool
    _header: Header = field(repr=False)
    _reader: Reader = field(repr=False)

    def rows(self) -> Iterator[ReadRow]:
        """Rows in file order; the header, blank rows, total rows and notes below them are not among them."""
        aside, sheet = {*self.understood.total_rows, *self.understood.ignored_rows}, self.understood.sheet
        for row in rows_below(self._header):
            if row.number not in aside:
                line, problems = self._reader.read(row)
                json = None if line is None else json_of(line.to_json())
                yield ReadRow(sheet, row.number, json_of(kept_cells(row)), json, problems)


def kept_cells(row: Row) -> dict[str, Any]:
    """A row's cells for the ledger, by column letter."""
    longest, as_json = cells.TEXT_LENGTH, cells.as_json
    return {
        letter: cell[:longest] if type(cell) is str else as_json(cell)
        for letter, cell in zip(_LETTERS, row.cells, strict=False)
        if cell is not None
    }


def json_of(values: Mapping[str, Any]) -> bytes:
    """The JSON alone: what orjson made keeps the room in which it was written, some kilobytes."""
    return memoryview(orjson.dumps(values)).tobytes()


def read_services(
    workbook: Workbook,
    layout: Layout,
    *,
    defaults: Defaults,
    cities: Cities,
    sheet: str | None = None,
    is_item: Callable[[str], bool] = is_any_item,
) -> ServicesReading:
    """Find the header, survey the columns, compare the control total.

    `sheet` names the one to read when several have a header, `is_item` knows the national list of services. Raises
    `LayoutError` when the file cannot be understood as a whole; whatever is wrong with one row travels with that row.
    """
    header = find_header(workbook, layout, sheet=sheet, uses_hidden=defaults.uses_hidden_columns)
    refuse_unsaid(header, defaults)
    has_serials = workbook.facts.get("dates_from") != "1904"
    survey = Survey(header, takes_hidden_rows=defaults.takes_hidden_rows)
    if not survey.row_count:
        raise LayoutError(Problem("sheet.no_rows", None, Where(sheet=header.sheet.name, row=header.row)))
    reader = Reader(
        sheet=header.sheet.name,
        columns=header.columns,
        locales=survey.locales,
        defaults=defaults,
        cities=cities,
        has_serials=has_serials,
        repeated_keys=survey.repeated_keys,
        is_item=is_item,
    )
    return ServicesReading(understood_of(workbook, layout, header, survey), survey.has_tags, header, reader)


def understood_of(workbook: Workbook, layout: Layout, header: Header, survey: Survey) -> Understood:
    """What a survey of any kind of sheet found, for the ledger and the person."""
    return Understood(
        kind=workbook.kind,
        sheet=header.sheet.name,
        header_row=header.row,
        columns=tuple(
            Column(
                field=name, letter=column_letter(index), header=header.texts[index], numbers=survey.locales.get(name)
            )
            for name, index in sorted(header.columns.items(), key=lambda item: item[1])
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
    )


def about_file(workbook: Workbook, layout: Layout, header: Header) -> Iterator[Problem]:
    """How it was read, what was left aside, which of its sheets was read; nobody expects instructions to be."""
    yield from layout.remarks
    name = header.sheet.name
    others = [each.name for each in workbook.sheets if each.name != name and not is_aside(each.name, layout)]
    if others:
        yield Problem("sheet.chosen", None, Where(sheet=name), {"sheet": name, "others": ", ".join(others)[:200]})
    hidden = [each for each in workbook.hidden_sheets if not is_aside(each, layout)]
    if hidden:
        params: dict[str, str | int] = {"sheets": ", ".join(hidden)[:200]}
        yield Problem("sheet.hidden_sheets", None, Where(), params)
    if "macros" in workbook.facts:
        yield Problem("file.macros_ignored")


def refuse_unsaid(header: Header, defaults: Defaults) -> None:
    """Without a column and without a default no row could ever say it: the file stops, once, instead of every row."""
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
        raise LayoutError(unsaid[0], *unsaid[1:])
