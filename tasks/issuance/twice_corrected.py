"""Find invoices of a failed row that was corrected in another file too, for another customer, template or month.

Two people who correct one row may settle its fault differently: in its correction workbook and by hand in its sheet, or
in two copies of the sheet.
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
from connectors.ledger.sheets.corrected_rows import (
    BilledRow,
    billed_corrections,
    files_since,
    months_of_files,
    refused_rows_at,
    rows_billed_at,
)
from domain.corrections.twice_corrected import BillableRow, FailedRow, Place, copies_of_failed, names_of, texts_of
from tasks.runtime import Runtime

_RECENT: Final = timedelta(days=100)
"""How long ago a file may have come that a person still corrects by hand."""
_SOON: Final = timedelta(days=20)
"""How long after a sheet that says no month its next sheet may be a copy rather than the next month's."""


@dataclass(frozen=True, slots=True)
class Correctable:
    """The rows of one invoice, which may correct a failed row. `line`: the rows that they follow."""

    emitter_id: int
    month: date
    rows: Sequence[RowRecord]
    line: Sequence[RowRecord]

    def billable_rows(self) -> list[BillableRow]:
        """Return the rows, each with the failed rows of other files that the invoice corrects."""
        return [billable_row(each, self.line, names=names_of(each.line or {})) for each in self.rows]


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

    The emitter is the same, and the failed row has two of the texts of each row that was corrected by hand. Their month
    is the same, or their sheets have a month in common: the next month's sheet repeats a row too. `months` are those of
    this reading's rows.
    """
    if not asked:
        return {}
    ours = {key: each.billable_rows() for key, each in asked.items()}
    by_hand = {row.place for rows in ours.values() for row in rows if not row.corrects}
    ledger, file = runtime.ledger, reading.file_id
    now = await ledger.read_async(ledger_now)
    since = now - _RECENT
    refused = await ledger.read_async(refused_rows_at, kind=kind, places=by_hand, since=since, but_file=file)
    places = {failed.place for rows in ours.values() for row in rows for failed in (*row.corrects, *refused)}
    found = await ledger.read_async(rows_billed_at, kind=kind, places=places, but_file=file)
    if by_hand:
        found += await ledger.read_async(billed_corrections, kind=kind, since=since, but_file=file)
    copies = list(_copies(asked, ours, found, refused))
    moved = {place.file_id for each in copies if each.is_moved for place in (*each.by_hand, each.failed)}
    known = await ledger.read_async(months_of_files, moved - {file, sys.maxsize}) if moved else {}
    known |= {file: set(months), sys.maxsize: set(months)}
    silent = {each.failed.file_id for each in copies if each.is_moved and not known[each.failed.file_id]}
    lately = await ledger.read_async(files_since, silent, now - _SOON) if silent else set()
    return {each.key: each.billed for each in copies if not each.is_moved or each.may_be_one(known, lately)}


@dataclass(frozen=True, slots=True)
class _Copy:
    """One of the rows asked about, by its key, and an invoice that may be of the same failed row.

    `by_hand` are the rows of either that were corrected in a copy of the failed row's sheet.
    """

    key: int
    billed: BilledRow
    by_hand: Sequence[Place]
    failed: Place
    is_moved: bool

    def may_be_one(self, known: Mapping[int, set[date]], lately: Collection[int]) -> bool:
        """Return whether the sheets may be of one month, by the months that are known of their files.

        A sheet none of whose rows says a month may be of any, for some days: `lately` are such files.
        """
        failed = self.failed.file_id
        return failed in lately or all(known[each.file_id] & known[failed] for each in self.by_hand)


def _copies(
    asked: Mapping[int, Correctable],
    ours: Mapping[int, Sequence[BillableRow]],
    found: Sequence[BilledRow],
    refused: Iterable[FailedRow],
) -> Iterator[_Copy]:
    """Yield the rows and invoices that may be of one failed row. `refused` are rows that failed in earlier copies."""
    by_place: defaultdict[tuple[str, int], list[tuple[int, BillableRow]]] = defaultdict(list)
    failed_at: defaultdict[tuple[str, int], list[FailedRow]] = defaultdict(list)
    for failed in refused:
        failed_at[failed.place[1:]].append(failed)
    for key, rows in ours.items():
        for row in rows:
            for place in {row.place[1:], *(failed.place[1:] for failed in row.corrects)}:
                by_place[place].append((key, row))
    for each in found:
        for place in {each.row.place[1:], *(failed.place[1:] for failed in each.row.corrects)}:
            for key, row in by_place.get(place, ()):
                is_of_line = each.row.place.file_id in {line.file_id for line in asked[key].line}
                if asked[key].emitter_id == each.emitter_id and not is_of_line:
                    is_moved = asked[key].month != each.competence
                    pairs = copies_of_failed(row, each.row, failed_at[place])
                    yield from (_Copy(key, each, *pair, is_moved) for pair in pairs)
