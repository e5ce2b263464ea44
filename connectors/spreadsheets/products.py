"""Rows of a products workbook as typed lines; an order of which one row cannot be read is refused as a whole."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from connectors.spreadsheets import cells, figures
from connectors.spreadsheets.formats.marks import column_letter
from connectors.spreadsheets.formats.sheets import Workbook
from connectors.spreadsheets.layouts import Header, Layout, find_header
from connectors.spreadsheets.product_lines import AMOUNTS, CONTROL, FIGURES, MUST_BE_NOTHING, RATES, ProductReader
from connectors.spreadsheets.services import Glance, Understood, json_of, kept_cells, refuse_unsaid, understood_of
from connectors.spreadsheets.survey import Plan, Survey, rows_below
from connectors.spreadsheets.taking import Cities, Defaults
from domain.documents import ParsedDocument, parse_document
from domain.problems import LayoutError, Problem, Where
from domain.products.arithmetic import line_cents
from domain.products.lines import ProductLine, by_order, same_order
from domain.products.orders import order_of

PRODUCTS: Final = Plan(
    figures=(*FIGURES, CONTROL, *AMOUNTS, *RATES, *MUST_BE_NOTHING),
    control=CONTROL,
    named=("order_key", "code"),
    essential=("order_key", "code", "quantity"),
)
_SHARED: Final = ("emitter_cnpj", "competence")
_GLANCE_LENGTH: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductRow:
    """One row of the sheet. `cells` are JSON values by column letter; `line` is None exactly when `problems` are."""

    sheet: str
    row_number: int
    cells: Mapping[str, Any]
    line: ProductLine | None
    problems: tuple[Problem, ...]

    @property
    def json(self) -> bytes | None:
        """The line as the ledger holds it."""
        return None if self.line is None else json_of(self.line.to_json())

    @property
    def kept(self) -> bytes:
        """The cells as the ledger holds them."""
        return json_of(self.cells)


@dataclass(frozen=True, slots=True)
class ProductsReading:
    """A file understood. All rows are at hand: whether one can be invoiced depends on its order's other rows."""

    understood: Understood
    has_tags: bool
    _rows: Sequence[ProductRow] = field(repr=False)

    def rows(self) -> Iterator[ProductRow]:
        """Rows in file order; the header, blank rows, total rows and notes below them are not among them."""
        return iter(self._rows)


def read_products(
    workbook: Workbook, layout: Layout, *, defaults: Defaults, cities: Cities, sheet: str | None = None
) -> ProductsReading:
    """Find the header, read all rows, refuse the rest of each order of which a row was refused.

    Raises `LayoutError` when the file cannot be understood as a whole. `Understood.computed_cents` is the sum of
    quantity × price of every line that can be read, before discounts.
    """
    header = find_header(workbook, layout, sheet=sheet, uses_hidden=defaults.uses_hidden_columns)
    refuse_unsaid(header, defaults)
    survey = Survey(header, PRODUCTS, takes_hidden_rows=defaults.takes_hidden_rows)
    if not survey.row_count:
        raise LayoutError(Problem("sheet.no_rows", None, Where(sheet=header.sheet.name, row=header.row)))
    reader = ProductReader(
        sheet=header.sheet.name,
        columns=header.columns,
        locales=survey.locales,
        defaults=defaults,
        cities=cities,
        has_serials=workbook.facts.get("dates_from") != "1904",
    )
    understood = understood_of(workbook, layout, header, survey)
    aside = {*understood.total_rows, *understood.ignored_rows}
    rows, keys = [], []
    for row in rows_below(header):
        if row.number not in aside:
            line, problems = reader.read(row)
            keys.append(same_order(reader.order_key(row)))
            rows.append(
                ProductRow(
                    sheet=understood.sheet, row_number=row.number, cells=kept_cells(row), line=line, problems=problems
                )
            )
    if CONTROL not in header.columns:
        gross = sum(line_cents(row.line.quantity, row.line.unit_price) for row in rows if row.line is not None)
        understood = dataclasses.replace(understood, computed_cents=gross)
    agreeing = _with_agreement(_with_shared(rows, keys, defaults), header)
    return ProductsReading(understood, survey.has_tags, _with_whole_orders(agreeing, keys))


def glance(understood: Mapping[str, Any], row_cells: Mapping[str, Any]) -> Glance:
    """What can be made out of a row that was refused, from what the ledger keeps of it.

    The amount is the line's own total, where the sheet has one; the template's name is the order's.
    """
    columns = {column["field"]: column for column in understood["columns"]}

    def found(name: str) -> Any:
        cell = row_cells.get(columns[name]["letter"]) if name in columns else None
        return float(cell) if type(cell) is int else cell

    def text(name: str) -> str | None:
        return cells.as_text(found(name))[:_GLANCE_LENGTH] or None

    cents = figures.parse_amount(found(CONTROL), columns[CONTROL]["numbers"]) if CONTROL in columns else None
    emitter = parse_document(text("emitter_cnpj") or "")
    return Glance(
        service_cents=cents if isinstance(cents, int) else None,
        taker_name=text("name"),
        taker_document=text("document"),
        template_name=text("order_key"),
        description=text("description"),
        emitter_cnpj=emitter.document.number if isinstance(emitter, ParsedDocument) else None,
    )


def _with_shared(rows: Sequence[ProductRow], keys: Sequence[str], defaults: Defaults) -> list[ProductRow]:
    """Emitter and competence on each line of an order of which any line says them; else the defaults; else refused."""
    said: dict[str, dict[str, Any]] = {}
    for row, key in zip(rows, keys, strict=True):
        if row.line is not None:
            known = said.setdefault(key, {})
            known.update({name: value for name in _SHARED if (value := getattr(row.line, name)) and name not in known})
    return [_shared(row, said.get(key, {}), defaults) for row, key in zip(rows, keys, strict=True)]


def _shared(row: ProductRow, said: Mapping[str, Any], defaults: Defaults) -> ProductRow:
    if row.line is None:
        return row
    found = {name: getattr(row.line, name) or said.get(name) or getattr(defaults, name) for name in _SHARED}
    where = Where(sheet=row.sheet, row=row.row_number)
    problems = [
        Problem(code, name, where)
        for name, code in (("emitter_cnpj", "emitter.missing"), ("competence", "competence.missing"))
        if found[name] is None
    ]
    if problems:
        return dataclasses.replace(row, line=None, problems=tuple(problems))
    return dataclasses.replace(row, line=dataclasses.replace(row.line, **found))


def _with_agreement(rows: Sequence[ProductRow], header: Header) -> list[ProductRow]:
    """The rows, those refused that contradict their order.

    Here already, so that whatever is looked up later (the emitter above all) is the same for all rows of an order.
    """
    found: dict[int, list[Problem]] = {}
    for lines in by_order(row.line for row in rows if row.line is not None).values():
        outcome = order_of(lines)
        for problem in outcome if isinstance(outcome, list) else ():
            index = header.columns.get(problem.field or "")
            letter = None if index is None else column_letter(index)
            where = Where(sheet=header.sheet.name, row=problem.where.row, column=letter)
            found.setdefault(problem.where.row or 0, []).append(dataclasses.replace(problem, where=where))
    return [
        dataclasses.replace(row, line=None, problems=tuple(found[row.row_number])) if row.row_number in found else row
        for row in rows
    ]


def _with_whole_orders(rows: Sequence[ProductRow], keys: Sequence[str]) -> list[ProductRow]:
    """The rows, those of a spoilt order refused too.

    A row without an order may be the next line of the one above it, whose key was written once: that one is spoilt.
    """
    spoilt: dict[str, int] = {}
    above = ""
    for row, key in zip(rows, keys, strict=True):
        if row.problems:
            spoilt.setdefault(key or above, row.row_number)
        above = key or above
    return [
        row if row.problems or key not in spoilt else _blocked(row, other=spoilt[key])
        for row, key in zip(rows, keys, strict=True)
    ]


def _blocked(row: ProductRow, *, other: int) -> ProductRow:
    order = row.line.order_key[:40] if row.line else ""
    where = Where(sheet=row.sheet, row=row.row_number)
    problem = Problem("product.order_blocked", "order_key", where, {"order": order, "other": other})
    return dataclasses.replace(row, line=None, problems=(problem,))
