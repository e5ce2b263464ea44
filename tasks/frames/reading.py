"""Read frames of one snapshot of the ledger, whole or in parts."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import TypeVar

import pandas as pd

from connectors.ledger.observations.table_pages import PAGE_ROWS, TablePages, with_pages
from tasks.frames.columns import arrow_of, to_frame
from tasks.frames.schemas import SCHEMAS, Table
from tasks.runtime import Context

T = TypeVar("T")
Chunks = Iterator[pd.DataFrame]


def frame(context: Context, table: Table, *, competence: date | None = None) -> pd.DataFrame:
    """Return a whole table, or the invoices or batches of one month."""
    return read_chunks(context, lambda pages: joined(table, chunks(pages, table, competence=competence)))


def read_chunks(context: Context, use: Callable[[TablePages], T]) -> T:
    """Call `use` with one snapshot of the ledger and return its result. Read its `chunks` only while `use` runs."""
    return context.ledger.read(with_pages, use)


def chunks(
    pages: TablePages,
    table: Table,
    *,
    competence: date | None = None,
    until_event: int | None = None,
    most: int = PAGE_ROWS,
) -> Chunks:
    """Yield a table as frames of at most `most` rows. The arguments are those of `TablePages.pages`."""
    for page in pages.pages(table, competence=competence, until_event=until_event, most=most):
        yield to_frame(arrow_of(table, page))


def joined(table: Table, parts: Chunks) -> pd.DataFrame:
    """Join the chunks of a table into one frame. Without chunks, return an empty frame with the same types."""
    found = list(parts)
    return pd.concat(found, ignore_index=True) if found else to_frame(SCHEMAS[table].empty_table())
