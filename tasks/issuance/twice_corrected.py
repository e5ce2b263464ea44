"""Find invoices of a failed row that was corrected in another file too, for another customer, template or month.

Two people who correct one row, in its correction workbook and by hand in its sheet, may settle its fault differently.
"""

import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.files import ReadingRecord
from connectors.ledger.rows import RowRecord
from connectors.ledger.sheets.corrected_rows import BilledRow, billed_corrections, months_of_files, rows_billed_at
from domain.corrections.twice_corrected import BillableRow, FailedRow, Place, copies_of_failed, texts_of
from tasks.runtime import Runtime

_RECENT: Final = timedelta(days=100)
"""How long ago a file may have come that a person still corrects by hand."""


@dataclass(frozen=True, slots=True)
class Correctable:
    """The rows of one invoice, which may correct a failed row. `line`: the rows that they follow."""

    emitter_id: int
    month: date
    rows: Sequence[RowRecord]
    line: Sequence[RowRecord]

    def billable_rows(self) -> list[BillableRow]:
        """Return the rows, each with the failed rows of other files that the invoice corrects."""
        return [billable_row(each, self.line) for each in self.rows]


def billable_row(record: RowRecord, line: Sequence[RowRecord], *, names: Collection[str] = ()) -> BillableRow:
    """Return a row to compare. `line`: `followed_rows` of it and of the other rows of its order.

    A preview's file, which the ledger may lack, is the latest.
    """
    failed = [
        FailedRow(Place(each.file_id, each.sheet, each.row_number), each.cells)
        for each in line
        if each.origin_id is None and each.file_id != record.file_id
    ]
    place = Place(record.file_id or sys.maxsize, record.sheet, record.row_number)
    return BillableRow(place, names, failed, texts_of(record.line or {}))


def months_of_rows(records: Iterable[RowRecord]) -> set[date]:
    """Return the months that these rows say."""
    return {date.fromisoformat(month) for each in records if (month := (each.line or {}).get("competence"))}


async def billed_elsewhere(
    runtime: Runtime, reading: ReadingRecord, kind: str, asked: Mapping[int, Correctable], months: Collection[date]
) -> dict[int, BilledRow]:
    """Return the newest invoice that may bill the same failed row as each of these, by their keys.

    The emitter is the same, and the failed row has two of the texts of the row that was corrected by hand. Their month
    is the same, or their sheets have a month in common: the next month's sheet repeats a row too. `months` are those of
    this reading's rows.
    """
    if not asked:
        return {}
    ours = {key: each.billable_rows() for key, each in asked.items()}
    places = {failed.place for rows in ours.values() for row in rows for failed in row.corrects}
    ledger, file = runtime.ledger, reading.file_id
    since = await ledger.read_async(ledger_now) - _RECENT
    found = await ledger.read_async(rows_billed_at, kind=kind, places=places, but_file=file)
    if any(not row.corrects for rows in ours.values() for row in rows):
        found += await ledger.read_async(billed_corrections, kind=kind, since=since, but_file=file)
    copies = list(_copies(asked, ours, found))
    files = {place.file_id for key, each, *pair in copies if asked[key].month != each.competence for place in pair}
    known = await ledger.read_async(months_of_files, files - {file, sys.maxsize}) if files else {}
    known |= {file: set(months), sys.maxsize: set(months)}
    return {
        key: each
        for key, each, by_hand, failed in copies
        if asked[key].month == each.competence or known[by_hand.file_id] & known[failed.file_id]
    }


def _copies(
    asked: Mapping[int, Correctable], ours: Mapping[int, Sequence[BillableRow]], found: Sequence[BilledRow]
) -> Iterator[tuple[int, BilledRow, Place, Place]]:
    """Yield a key with an invoice that may be of its failed row, the place corrected by hand and the failed one."""
    by_place: defaultdict[tuple[str, int], list[tuple[int, BillableRow]]] = defaultdict(list)
    for key, rows in ours.items():
        for row in rows:
            for place in {row.place[1:], *(failed.place[1:] for failed in row.corrects)}:
                by_place[place].append((key, row))
    for each in found:
        for place in {each.row.place[1:], *(failed.place[1:] for failed in each.row.corrects)}:
            for key, row in by_place.get(place, ()):
                is_of_line = each.row.place.file_id in {line.file_id for line in asked[key].line}
                if asked[key].emitter_id == each.emitter_id and not is_of_line:
                    yield from ((key, each, *pair) for pair in copies_of_failed(row, each.row))
