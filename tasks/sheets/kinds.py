"""Register the kinds of sheets: one registration each holds everything in which one kind differs from another."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from configs.catalogue import Catalogue
from connectors.ledger.files import file_of_reading
from connectors.ledger.rows import RowRecord
from connectors.spreadsheets import products, services
from connectors.spreadsheets.services import RowSummary
from domain.run_report import Tally
from tasks.products.assemble import assemble_products
from tasks.products.resolve import resolve_products
from tasks.products.row_summary import summary_of_line
from tasks.runtime import PRODUCTS, SERVICES, Runtime
from tasks.services.assemble import assemble_services
from tasks.services.resolve import resolve_services
from tasks.services.row_summary import summary_of_row

Station = Callable[[Runtime, int], Awaitable[Tally]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetKind:
    """One kind of sheet.

    Attributes:
        name: The kind, as the ledger stores it with files and as its layout is named.
        has_orders: Several rows make one invoice. False: each row is an invoice.
        glance: Summarises a row, from a reading's understanding of its sheet and the row's cells.
        said: Summarises a row in the ledger, from its typed line where it has one.
        resolve: Station 3: find issuer, customer and template of each row.
        assemble: Station 4: compose canonical invoices, number them and plan their batches.
        outcome_words: This kind's words for the outcome workbook.
        rejected_word: The word for an invoice that was not accepted.
    """

    name: str
    has_orders: bool
    glance: Callable[[Mapping[str, Any], Mapping[str, Any]], RowSummary]
    said: Callable[[RowRecord, Mapping[str, Any]], RowSummary]
    resolve: Station
    assemble: Station
    outcome_words: Callable[[Catalogue], Mapping[str, str]]
    rejected_word: str


KINDS: Final[Mapping[str, SheetKind]] = {
    each.name: each
    for each in (
        SheetKind(
            name=SERVICES,
            has_orders=False,
            glance=services.glance,
            said=summary_of_row,
            resolve=resolve_services,
            assemble=assemble_services,
            outcome_words=lambda catalogue: catalogue.words("outcome"),
            rejected_word="status.rejected",
        ),
        SheetKind(
            name=PRODUCTS,
            has_orders=True,
            glance=products.glance,
            said=summary_of_line,
            resolve=resolve_products,
            assemble=assemble_products,
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
    return kind_of((await runtime.ledger.reading(file_of_reading, reading_id)).kind)
