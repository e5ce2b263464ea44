"""Register the kinds of sheets. A registration holds all differences between one kind and the others.

The functions of a kind import their modules at the call: reading services does not load the rules of products, and
a preview does not load the stations that write.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from configs.catalogue import Catalogue
from configs.reference.cities import load_cities
from configs.reference.items import load_items
from connectors.ledger.files import file_of_reading
from connectors.ledger.rows import RowRecord
from connectors.spreadsheets.parsers.field_parsers import Defaults
from connectors.spreadsheets.readings import OpenedSheet, SheetReading, SheetRow
from connectors.spreadsheets.services import RowSummary
from domain.station_result import StationResult
from tasks.runtime import PRODUCTS, SERVICES, Runtime

Station = Callable[[Runtime, int], Awaitable[StationResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetKind:
    """One kind of sheet.

    Attributes:
        name: The kind, as the ledger stores it with files and as its layout is named.
        has_orders: Several rows make one invoice. False: each row is an invoice.
        read: Parses the rows of a sheet; `Defaults` fill missing values.
        summarize: Returns the summary of a row from its cells and a reading's understanding of the sheet.
        summarise: Returns the summary of a row in the ledger: from its typed line if it has one, else from its cells.
        resolve: Station 3: find issuer, customer and template of each row.
        assemble: Station 4: compose canonical invoices, number them and plan their batches.
        outcome_words: This kind's words for the outcome workbook.
        rejected_word: The word for an invoice that was not accepted.
    """

    name: str
    has_orders: bool
    read: Callable[[OpenedSheet, Defaults], SheetReading[SheetRow]]
    summarize: Callable[[Mapping[str, Any], Mapping[str, Any]], RowSummary]
    summarise: Callable[[RowRecord, Mapping[str, Any]], RowSummary]
    resolve: Station
    assemble: Station
    outcome_words: Callable[[Catalogue], Mapping[str, str]]
    rejected_word: str


# Each of the following functions imports the modules of its kind at the call.
# ruff: noqa: PLC0415


def _read_services(opened: OpenedSheet, defaults: Defaults) -> SheetReading[SheetRow]:
    from connectors.spreadsheets.services import read_services

    items = load_items()
    return read_services(
        opened, defaults=defaults, cities=load_cities(), is_item=lambda code: items.by_code(code) is not None
    )


def _summarize_service(understood: Mapping[str, Any], row_cells: Mapping[str, Any]) -> RowSummary:
    from connectors.spreadsheets.services import summarize

    return summarize(understood, row_cells)


def _summary_of_service(row: RowRecord, understood: Mapping[str, Any]) -> RowSummary:
    from tasks.services.row_summary import summary_of_row

    return summary_of_row(row, understood)


async def _resolve_services(runtime: Runtime, reading_id: int) -> StationResult:
    from tasks.services.resolve import resolve_services

    return await resolve_services(runtime, reading_id)


async def _assemble_services(runtime: Runtime, reading_id: int) -> StationResult:
    from tasks.services.assemble import assemble_services

    return await assemble_services(runtime, reading_id)


def _read_products(opened: OpenedSheet, defaults: Defaults) -> SheetReading[SheetRow]:
    from connectors.spreadsheets.products import read_products

    return read_products(opened, defaults=defaults, cities=load_cities())


def _summarize_product(understood: Mapping[str, Any], row_cells: Mapping[str, Any]) -> RowSummary:
    from connectors.spreadsheets.products import summarize

    return summarize(understood, row_cells)


def _summary_of_product(row: RowRecord, understood: Mapping[str, Any]) -> RowSummary:
    from tasks.products.row_summary import summary_of_line

    return summary_of_line(row, understood)


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
            summarize=_summarize_service,
            summarise=_summary_of_service,
            resolve=_resolve_services,
            assemble=_assemble_services,
            outcome_words=lambda catalogue: catalogue.words("outcome"),
            rejected_word="status.rejected",
        ),
        SheetKind(
            name=PRODUCTS,
            has_orders=True,
            read=_read_products,
            summarize=_summarize_product,
            summarise=_summary_of_product,
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
