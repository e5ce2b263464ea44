"""Read a products sheet: rows as typed lines. One unreadable row refuses its whole order."""

import dataclasses
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import orjson

from connectors.spreadsheets.formats.sheet_metadata import column_letter
from connectors.spreadsheets.headers.layouts import Header
from connectors.spreadsheets.parsers.city_lookup import Cities
from connectors.spreadsheets.parsers.field_parsers import Defaults
from connectors.spreadsheets.product_row_parser import AMOUNTS, CONTROL, FIGURES, MUST_BE_NOTHING, RATES, ProductReader
from connectors.spreadsheets.readings import (
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
from connectors.spreadsheets.survey import Plan
from domain.left_rows import STOPPED_BY, blocking_code
from domain.problems import Problem, Where
from domain.products.arithmetic import line_cents
from domain.products.lines import ProductLine, by_order, same_order
from domain.products.orders import order_of

PRODUCTS: Final = Plan(
    figures=(*FIGURES, CONTROL, *AMOUNTS, *RATES, *MUST_BE_NOTHING),
    control=CONTROL,
    identifying=("order_key", "code"),
    essential=("order_key", "code", "quantity"),
    is_of_goods=True,
    judged=(("entry", "operation"),),
)
_SHARED: Final = ("emitter_cnpj", "competence")


class ProductRow(SheetRow):
    __slots__ = ()

    @property
    def line(self) -> ProductLine | None:
        """Return the typed line; None exactly when there are problems."""
        return None if self.json is None else ProductLine.from_json(orjson.loads(self.json))


ProductsReading: TypeAlias = SheetReading[ProductRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parsed:
    """A row while its order is checked. `key` names the order, `kept` are the row's cells as JSON.

    `line` is None exactly when there are `problems`.
    """

    number: int
    key: str
    kept: bytes
    line: ProductLine | None
    problems: tuple[Problem, ...]

    def refused(self, *problems: Problem) -> "_Parsed":
        return dataclasses.replace(self, line=None, problems=problems)


def read_products(opened: OpenedSheet, *, defaults: Defaults, cities: Cities) -> ProductsReading:
    """Parse all rows, and refuse the remaining rows of each order with a refused row.

    All rows are in memory, because a row depends on its order's other rows. Raises `InputError` if the whole file
    cannot be understood. `Understood.computed_cents` is the sum of quantity × price of every readable line, before
    discounts.
    """
    header = opened.header
    survey = survey_sheet(opened, PRODUCTS, defaults)
    understood = understood_of(opened, survey, defaults)
    reader = ProductReader(
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
    )
    aside, parsed = understood.rows_aside, []
    for block in blocks_below(header, aside):
        for row, row_values, kept in zip(block, reader.take(block), kept_cells(block), strict=True):
            line, problems = reader.read(row_values)
            key = same_order(reader.order_key(row))
            parsed.append(_Parsed(number=row.number, key=key, kept=kept, line=line, problems=problems))
    if CONTROL not in header.columns:
        gross = sum(line_cents(row.line.quantity, row.line.unit_price) for row in parsed if row.line is not None)
        understood = dataclasses.replace(understood, computed_cents=gross)
    sheet = understood.sheet
    totals = billed_totals(opened, survey, CONTROL)
    whole = _with_whole_orders(_with_agreement(_with_shared(parsed, defaults, sheet), header), sheet)
    rows = [
        ProductRow(sheet, row.number, row.kept, None if row.line is None else json_of(row.line.to_json()), row.problems)
        for row in whole
    ]
    for each in whole:
        line = each.line
        cents = None if line is None else line_cents(line.quantity, line.unit_price)
        totals.take(each.number, None if cents is None else reader.net_totals.get(each.number, cents))
    return SheetReading(understood, survey.has_tags, lambda _keeping: iter(rows), reader.decisions, totals)


def _with_shared(rows: Sequence[_Parsed], defaults: Defaults, sheet: str) -> list[_Parsed]:
    """Give each line emitter and competence: its own, another line's of its order, or the default; else refuse it."""
    values_by_order: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row.line is not None:
            known = values_by_order.setdefault(row.key, {})
            known.update({name: value for name in _SHARED if (value := getattr(row.line, name)) and name not in known})
    return [_shared(row, values_by_order.get(row.key, {}), defaults, sheet) for row in rows]


def _shared(row: _Parsed, of_order: Mapping[str, Any], defaults: Defaults, sheet: str) -> _Parsed:
    if row.line is None:
        return row
    found = {name: getattr(row.line, name) or of_order.get(name) or getattr(defaults, name) for name in _SHARED}
    where = Where(sheet=sheet, row=row.number)
    problems = [
        Problem(code, name, where)
        for name, code in (("emitter_cnpj", "emitter.missing"), ("competence", "competence.missing"))
        if found[name] is None
    ]
    if problems:
        return row.refused(*problems)
    return dataclasses.replace(row, line=dataclasses.replace(row.line, **found))


def _with_agreement(rows: Sequence[_Parsed], header: Header) -> list[_Parsed]:
    """Refuse the rows that contradict their order.

    Later lookups, above all that of the emitter, then have one result for all rows of an order.
    """
    found: dict[int, list[Problem]] = {}
    for lines in by_order(row.line for row in rows if row.line is not None).values():
        outcome = order_of(lines)
        for problem in outcome if isinstance(outcome, list) else ():
            index = header.columns.get(problem.field or "")
            letter = None if index is None else column_letter(index)
            where = Where(sheet=header.sheet.name, row=problem.where.row, column=letter)
            found.setdefault(problem.where.row or 0, []).append(dataclasses.replace(problem, where=where))
    return [row.refused(*found[row.number]) if row.number in found else row for row in rows]


def _with_whole_orders(rows: Sequence[_Parsed], sheet: str) -> list[_Parsed]:
    """Refuse the other rows of an order with a refused row.

    A row without an order may belong to the order above it, whose key was written only once: refuse that order.
    """
    spoilt: defaultdict[str, list[_Parsed]] = defaultdict(list)
    above = ""
    for row in rows:
        if row.problems:
            spoilt[row.key or above].append(row)
        above = row.key or above
    return [row if row.problems or row.key not in spoilt else _blocked(row, sheet, spoilt[row.key]) for row in rows]


def _blocked(row: _Parsed, sheet: str, others: Sequence[_Parsed]) -> _Parsed:
    params: dict[str, str | int] = {"order": row.line.order_key[:40] if row.line else "", "other": others[0].number}
    params[STOPPED_BY] = blocking_code([problem for other in others for problem in other.problems])
    return row.refused(Problem("product.order_blocked", "order_key", Where(sheet=sheet, row=row.number), params))
