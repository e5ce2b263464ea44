"""Register the kinds of sheets. A registration holds all differences between one kind and the others.

The functions of a kind import their modules at the call: reading services does not load the rules of products, and
a preview does not load the stations that write.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from configs.catalogue import Catalogue
from configs.reference.cities import load_cities
from configs.reference.items import load_items
from connectors.ledger.files import file_of_reading
from connectors.ledger.rows import RowRecord
from connectors.spreadsheets.parsers.field_parsers import Defaults
from connectors.spreadsheets.readings import OpenedSheet, SheetReading, SheetRow
from connectors.spreadsheets.row_summaries import RowSummary, summarize
from domain.station_result import StationResult
from tasks.runtime import PRODUCTS, SERVICES, Runtime

if TYPE_CHECKING:
    from domain.products.lines import ProductLine
    from domain.services.lines import ServiceLine

Station = Callable[[Runtime, int], Awaitable[StationResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetKind:
    """One kind of sheet.

    Attributes:
        name: The kind, as the ledger stores it with files and as its layout is named.
        has_orders: Several rows make one invoice. False: each row is an invoice.
        read: Parses the rows of a sheet; `Defaults` fill missing values.
        amount: The field of a row's amount, before discounts.
        subject: The field that names a row's template or order.
        line: Returns a row's typed line from its JSON, and its amount.
        resolve: Station 3: find issuer, customer and template of each row.
        assemble: Station 4: compose canonical invoices, number them and plan their batches.
        outcome_words: This kind's words for the outcome workbook.
        rejected_word: The word for an invoice that was not accepted.
    """

    name: str
    has_orders: bool
    read: Callable[[OpenedSheet, Defaults], SheetReading[SheetRow]]
    amount: str
    subject: str
    line: Callable[[Mapping[str, Any]], tuple["ServiceLine | ProductLine", int]]
    resolve: Station
    assemble: Station
    outcome_words: Callable[[Catalogue], Mapping[str, str]]
    rejected_word: str

    def summary_of_cells(self, understood: Mapping[str, Any], cells: Mapping[str, Any]) -> RowSummary:
        """Return the summary of a row from its cells and its reading's understanding of the sheet."""
        return summarize(understood, cells, amount=self.amount, subject=self.subject)

    def summary_of_row(self, row: RowRecord, understood: Mapping[str, Any]) -> RowSummary:
        """Return the summary of a row in the ledger: from its typed line if it has one, else from its cells."""
        if row.line is None:
            return self.summary_of_cells(understood, row.cells)
        line, cents = self.line(row.line)
        return RowSummary(
            service_cents=cents,
            taker_name=line.taker.name,
            taker_document=line.taker.document.number if line.taker.document else line.unclear_document,
            subject=getattr(line, self.subject),
            description=line.description,
            emitter_cnpj=line.emitter_cnpj,
            competence=line.competence,
        )


# Each of the following functions imports the modules of its kind at the call.
# ruff: noqa: PLC0415


def _read_services(opened: OpenedSheet, defaults: Defaults) -> SheetReading[SheetRow]:
    from connectors.spreadsheets.services import read_services

    items = load_items()
    return read_services(
        opened, defaults=defaults, cities=load_cities(), is_item=lambda code: items.by_code(code) is not None
    )


def _service_line(data: Mapping[str, Any]) -> tuple["ServiceLine", int]:
    from domain.services.lines import ServiceLine

    line = ServiceLine.from_json(data)
    return line, line.service_cents


async def _resolve_services(runtime: Runtime, reading_id: int) -> StationResult:
    from tasks.services.resolve import resolve_services

    return await resolve_services(runtime, reading_id)


async def _assemble_services(runtime: Runtime, reading_id: int) -> StationResult:
    from tasks.services.assemble import assemble_services

    return await assemble_services(runtime, reading_id)


def _read_products(opened: OpenedSheet, defaults: Defaults) -> SheetReading[SheetRow]:
    from connectors.spreadsheets.products import read_products

    return read_products(opened, defaults=defaults, cities=load_cities())


def _product_line(data: Mapping[str, Any]) -> tuple["ProductLine", int]:
    from domain.products.arithmetic import line_cents
    from domain.products.lines import ProductLine

    line = ProductLine.from_json(data)
    return line, line_cents(line.quantity, line.unit_price)


async def _resolve_products(runtime: Runtime, reading_id: int) -> StationResult:
    from tasks.products.resolve import resolve_products

    return await resolve_products(runtime, reading_id)


async def _assemble_products(runtime: Runtime, reading_id: int) -> StationResult:
    from tasks.products.assemble import assemble_products

    return await assemble_products(runtime, reading_id)


KINDS: Final[Mapping[str, SheetKind]] = {
    each.name: each
    for each in (
        SheetKind(
            name=SERVICES,
            has_orders=False,
            read=_read_services,
            amount="service_cents",
            subject="template_name",
            line=_service_line,
            resolve=_resolve_services,
            assemble=_assemble_services,
            outcome_words=lambda catalogue: catalogue.words("outcome"),
            rejected_word="status.rejected",
        ),
        SheetKind(
            name=PRODUCTS,
            has_orders=True,
            read=_read_products,
            amount="line_cents",
            subject="order_key",
            line=_product_line,
            resolve=_resolve_products,
            assemble=_assemble_products,
            outcome_words=lambda catalogue: {**catalogue.words("outcome"), **catalogue.words("sales")},
            rejected_word="sales.rejected",
        ),
    )
}


def kind_of(name: str) -> SheetKind:
    """Return the registration of a kind."""
    return KINDS[name]


async def kind_of_reading(runtime: Runtime, reading_id: int) -> SheetKind:
    """Return the kind of the file that was read."""
    return kind_of((await runtime.ledger.read_async(file_of_reading, reading_id)).kind)
