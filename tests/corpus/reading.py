"""Read a habit in this process, by the same functions as the commands, and judge the result of each row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from configs.layouts import read_layout
from configs.reference.cities import load_cities
from configs.reference.items import load_items
from connectors.spreadsheets.formats.sheets import Limits
from connectors.spreadsheets.headers.layouts import Layout, fitting
from connectors.spreadsheets.products import ProductsReading, read_products
from connectors.spreadsheets.reading.opening import open_here
from connectors.spreadsheets.readings import open_sheet
from connectors.spreadsheets.services import ServicesReading, read_services
from domain.documents import Document, parse_document, possible_documents
from domain.parties import TakerData, registered_document
from domain.problems import InputError, Problem
from domain.products.invoices import compose_product_invoice
from domain.products.lines import ProductLine, by_order
from domain.products.shops import Shop
from domain.services.lines import ServiceLine
from tests.corpus.habits import Ask, Bill, Expectation, Habit, Verdict

SHOP: Final = Shop(cnpj="99000051000180", state="SP", city_code="3550308", tax_regime=1)
LAYOUTS: Final = tuple(Layout.from_data(read_layout(name)) for name in ("services", "products"))


LineT = TypeVar("LineT", bound=ServiceLine | ProductLine)


@dataclass(frozen=True, slots=True)
class OrderLine:
    """The part of a product line that a person compares: the total of its order."""

    service_cents: int
    taker: TakerData


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A row after the rules that follow the reading: its line exactly if it can be billed."""

    row_number: int
    line: ServiceLine | OrderLine | None
    problems: Sequence[Problem]


def read(habit: Habit) -> ServicesReading | ProductsReading:
    """Return the result of the file. Raises `InputError` if the whole file is refused."""
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
        rows = {row.row_number: row for row in _rows(reading, habit)}
    except InputError as error:
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


def _rows(reading: ServicesReading | ProductsReading, habit: Habit) -> Iterator[JudgedRow]:
    """Yield the rows as the register knows their customers; those of products after the rules for their whole order."""
    lines = list[ProductLine]()
    for row in reading.rows():
        line = row.line
        found = row.problems if line is None else _cleared(line, habit)
        if not isinstance(found, ServiceLine | ProductLine):
            yield JudgedRow(row.row_number, None, found)
        elif isinstance(found, ServiceLine):
            yield JudgedRow(row.row_number, found, ())
        else:
            lines.append(found)
    for order in by_order(lines).values():
        invoice = compose_product_invoice(order, shop=SHOP)
        for line in order:
            if isinstance(invoice, list):
                yield JudgedRow(line.row, None, invoice)
            else:
                yield JudgedRow(line.row, OrderLine(invoice.amounts.total_cents, line.taker), ())


def _cleared(line: LineT, habit: Habit) -> LineT | Sequence[Problem]:
    """Return the line with the document that the register tells, if its own is unclear; or why nobody can tell."""
    if line.unclear_document is None:
        return line
    known = {number: TakerData(name=name) for number, name in habit.register.items()}
    document = registered_document(line.taker, possible_documents(line.unclear_document), known)
    if document is None:
        problem = parse_document(line.unclear_document)
        assert isinstance(problem, Problem)
        return [problem]
    return replace(line, taker=replace(line.taker, document=document), unclear_document=None)


def _judged(habit: Habit, number: int, row: JudgedRow | None, remarks: set[str]) -> tuple[Verdict, str]:
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
