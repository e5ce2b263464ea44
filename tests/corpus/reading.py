"""Read a habit in this process, by the same functions as the commands, and judge the result of each row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from configs.layouts import read_layout
from configs.reference.cities import load_cities
from configs.reference.items import load_items
from connectors.spreadsheets.formats.sheets import Limits
from connectors.spreadsheets.layouts import Layout, fitting
from connectors.spreadsheets.products import ProductRow, ProductsReading, read_products
from connectors.spreadsheets.reading.opening import open_here
from connectors.spreadsheets.readings import open_sheet
from connectors.spreadsheets.services import ReadRow, ServicesReading, read_services
from domain.documents import Document
from domain.parties import TakerData
from domain.problems import LayoutError, Problem
from domain.products.invoices import compose_product_invoice
from domain.products.lines import by_order
from domain.products.shops import Shop
from domain.services.lines import ServiceLine
from tests.corpus.habits import Ask, Bill, Expectation, Habit, Verdict

SHOP: Final = Shop(cnpj="99000051000180", state="SP", city_code="3550308", tax_regime=1)
LAYOUTS: Final = tuple(Layout.from_data(read_layout(name)) for name in ("services", "products"))


@dataclass(frozen=True, slots=True)
class OrderLine:
    """The part of a product line that a person compares: the total of its order."""

    service_cents: int
    taker: TakerData


@dataclass(frozen=True, slots=True)
class OrderRow:
    """A row of products: its line exactly if the order of the row can be billed."""

    row_number: int
    line: OrderLine | None
    problems: Sequence[Problem]


def read(habit: Habit) -> ServicesReading | ProductsReading:
    """Return the result of the file. Raises `LayoutError` if the whole file is refused."""
    workbook = open_here(habit.content, Limits(), name=habit.file)
    layout = fitting(workbook, LAYOUTS)
    if layout.name == "products":
        return read_products(
            open_sheet(workbook, layout, competence=habit.defaults.competence),
            defaults=habit.defaults,
            cities=load_cities(),
        )
    return read_services(
        open_sheet(workbook, layout, competence=habit.defaults.competence),
        defaults=habit.defaults,
        cities=load_cities(),
        is_item=lambda code: load_items().by_code(code) is not None,
    )


def judged(habit: Habit) -> Iterator[tuple[Verdict, str]]:
    """Yield a verdict for each row of a habit, with the actual result if it is wrong."""
    try:
        reading = read(habit)
        rows = {row.row_number: row for row in _rows(reading)}
    except LayoutError as error:
        codes = [each.code for each in (error.problem, *error.details)]
        if habit.stops in codes:
            yield "asked", ""
        else:
            yield "refused too much", f"{habit.name}: the file stops with {codes}"
        return
    if habit.stops is not None:
        yield "silently wrong", f"{habit.name}: the file should stop with {habit.stops}"
    remarks = {each.problem.code for each in reading.decisions.all()} | {
        warning.code for warning in reading.understood.warnings
    }
    for code in set(habit.remarks) - remarks:
        yield "silently wrong", f"{habit.name}: {code} is not reported, only {sorted(remarks)}"
    for number in sorted(habit.rows.keys() | rows.keys()):
        yield _judged(habit, number, rows.get(number), remarks)


def _rows(reading: ServicesReading | ProductsReading) -> Iterator[ReadRow | OrderRow]:
    """Yield the rows; those of products after the rules for their whole order."""
    lines = []
    for row in reading.rows():
        if not isinstance(row, ProductRow):
            yield row
        elif row.line is None:
            yield OrderRow(row.row_number, None, row.problems)
        else:
            lines.append(row.line)
    for order in by_order(lines).values():
        found = compose_product_invoice(order, shop=SHOP)
        for line in order:
            if isinstance(found, list):
                yield OrderRow(line.row, None, found)
            else:
                yield OrderRow(line.row, OrderLine(found.amounts.total_cents, line.taker), ())


def _judged(habit: Habit, number: int, row: ReadRow | OrderRow | None, remarks: set[str]) -> tuple[Verdict, str]:
    expected: Expectation | None = habit.rows.get(number)
    place = f"{habit.name}, row {number}"
    if row is None:
        return ("silently wrong", f"{place}: lost") if expected is not None else ("right", "")
    codes = [problem.code for problem in row.problems]
    if expected is None:
        return ("silently wrong" if row.line else "refused too much"), f"{place}: no line, but {codes or row.line}"
    if isinstance(expected, Ask):
        if row.line is not None:
            return "silently wrong", f"{place}: billed, not {expected.codes}"
        return ("asked", "") if set(codes) & set(expected.codes) else ("silently wrong", f"{place}: {codes}")
    if row.line is None:
        return "refused too much", f"{place}: {[(each.code, dict(each.params)) for each in row.problems]}"
    return _compared(place, expected, row.line, remarks)


def _compared(place: str, expected: Bill, line: ServiceLine | OrderLine, remarks: set[str]) -> tuple[Verdict, str]:
    found = {"cents": line.service_cents} | {name: _value(line, name) for name in expected.values}
    wanted = {"cents": expected.cents, **expected.values}
    if found != wanted:
        return "silently wrong", f"{place}: {found}, not {wanted}"
    missing = set(expected.remarks) - remarks
    return ("silently wrong", f"{place}: {missing} not reported, only {sorted(remarks)}") if missing else ("right", "")


def _value(line: ServiceLine | OrderLine, name: str) -> Any:
    found = getattr(line, name) if hasattr(line, name) else getattr(line.taker, name)
    return found.number if isinstance(found, Document) else found
