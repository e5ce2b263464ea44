"""Write the reports of a closed month from the ledger as of the closing: the same closing gives the same bytes.

States come from the journal up to the closing's last event, customers' names and amounts from the billed content, paid
invoices and contracts from the ledger as it was then. Later changes of a register have no effect.
"""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from configs.catalogue import Catalogue
from connectors.ledger.closings import Closing
from connectors.ledger.observations.table_pages import TablePages
from connectors.spreadsheets.writers.pages import LineColumn, LinesBook, Page
from connectors.spreadsheets.writers.safe_files import write_atomically
from domain.competence import BRASILIA, format_competence
from domain.texts import escape_formulas
from tasks.closing.contracts import ClosedContract, contracts_of
from tasks.closing.figures import MonthFigures, payments_in_month
from tasks.closing.summary import summary_page
from tasks.frames import SCHEMAS, arrow_of, chunks, read_chunks, to_frame
from tasks.runtime import Context

_LEFT_OUT: Final = frozenset({"id", "row_id", "batch_id", "replaces_id", "issuer", "business_key"})
LINES: Final = tuple(name for name in SCHEMAS["invoices"].names if name not in _LEFT_OUT)
"""The columns of the list of invoices, in the order of the frame."""
_SCHEMA: Final = pa.schema([SCHEMAS["invoices"].field(name) for name in LINES])


def write_reports(context: Context, closing: Closing, folder: Path) -> list[Path]:
    """Write the closing's workbook, and the list of its invoices as CSV and Parquet. Return the paths."""
    contracts = contracts_of(context, closing)
    return read_chunks(context, lambda pages: _write(context.catalogue, closing, contracts, pages, folder))


def _write(
    words: Catalogue, closing: Closing, contracts: Sequence[ClosedContract], pages: TablePages, folder: Path
) -> list[Path]:
    stem = f"{words.text('closing.file')}-{closing.competence:%Y-%m}-{closing.id}"
    book, lines, columns = (folder / f"{stem}.{ending}" for ending in ("xlsx", "csv", "parquet"))
    paid = payments_in_month(chunks(pages, "paid_invoices"), closing.competence, last_id=closing.last_payment)
    keys = set().union(*(each.keys for each in contracts))
    figures = MonthFigures(keys=keys, paid=paid)
    writers = _Writers(words, closing)

    def fill_columns(partial: Path) -> None:
        with pq.ParquetWriter(partial, _SCHEMA) as writer:
            for part in _parts(pages, closing):
                writer.write_table(part.select(list(LINES)))
                figures.add(to_frame(part))

    write_atomically(columns, fill_columns)
    unbilled = set().union(*(each.keys for each in contracts if each.cents(figures) is None))
    for found in pages.pages("invoices", keys=unbilled, until_event=closing.last_event):
        late = to_frame(arrow_of("invoices", found))
        figures.add_late(late[late["competence"] != closing.competence])
    write_atomically(lines, lambda partial: writers.write_csv(partial, columns))
    page = summary_page(words, closing, figures, contracts)
    write_atomically(book, lambda partial: writers.write_book(partial, columns, page))
    return [book, lines, columns]


def _parts(pages: TablePages, closing: Closing) -> Iterator[pa.Table]:
    for page in pages.pages("invoices", competence=closing.competence, until_event=closing.last_event):
        yield arrow_of("invoices", page)


class _Writers:
    """Writes the list of invoices in the operator's language; reads it from the Parquet file in parts."""

    def __init__(self, words: Catalogue, closing: Closing) -> None:
        self._words, self._closing = words, closing
        self._headings = [words.text(f"closing.column.{name}") for name in LINES]

    def write_csv(self, path: Path, columns: Path) -> None:
        """Write UTF-8 with BOM, semicolons and decimal commas, like the other reports."""
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.writer(file, delimiter=";", lineterminator="\r\n")
            writer.writerow(self._headings)
            for rows in self._rows(columns):
                writer.writerows(
                    [self._csv_text(name, cell) for name, cell in zip(LINES, row, strict=True)] for row in rows
                )

    def write_book(self, path: Path, columns: Path, page: Page) -> None:
        """Write a workbook with the summary page and one line for each invoice."""
        widths = [LineColumn(text, name.endswith("_cents")) for text, name in zip(self._headings, LINES, strict=True)]
        label = self._words.text("closing.lines")
        book = LinesBook(path, page.title, label=label, columns=widths, made_at=self._closing.closed_at)
        for rows in self._rows(columns):
            book.add(rows)
        book.close(page)

    def _rows(self, columns: Path) -> Iterator[list[tuple[Any, ...]]]:
        with pq.ParquetFile(columns) as file:
            for part in file.iter_batches(batch_size=10_000):
                cells = [self._readable_column(name, part.column(name).to_pylist()) for name in LINES]
                yield list(zip(*cells, strict=True))

    def _readable_column(self, name: str, values: list[Any]) -> list[Any]:
        """Return a column for people: states and kinds in words, instants in Brasília."""
        if name in ("state", "kind"):
            code = "state.invoice." if name == "state" else "kind."
            known = {value: self._words.text(f"{code}{value}") for value in set(values)}
            return [known[value] for value in values]
        if name == "emission_at":
            return [None if each is None else f"{each.astimezone(BRASILIA):%d/%m/%Y %H:%M}" for each in values]
        if name == "competence":
            return [format_competence(each) for each in values]
        return values

    @staticmethod
    def _csv_text(name: str, value: Any) -> str:
        if value is None:
            return ""
        if name.endswith("_cents"):
            sign, cents = ("-" if value < 0 else ""), abs(value)
            return f"{sign}{cents // 100},{cents % 100:02d}"
        return escape_formulas(str(value))
