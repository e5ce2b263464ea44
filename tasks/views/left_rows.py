"""Count and read the rows that a reading left without an invoice."""

from collections.abc import Iterator
from typing import Final

from connectors.ledger import files as ledger_files
from connectors.ledger import rows as ledger_rows
from connectors.ledger.rows import RowProblems, RowRecord
from domain.competence import month_text, parse_competence
from domain.left_rows import LeftRows, count_left, is_billed
from domain.problems import Problem
from tasks.runtime import Context

_PART: Final = 2_000


def skipped_rows(context: Context, reading_id: int) -> int:
    """Return the number of rows that this reading left out because they have a living invoice."""
    reading = context.ledger.read(ledger_files.reading_of, reading_id)
    read = context.ledger.read(ledger_rows.row_locations, reading_id)
    month = parse_competence(str(reading.options.get("competence") or ""))
    asked = None if month is None else month_text(month)
    living = context.ledger.read(ledger_rows.living_row_locations, reading.file_id, run_competence=asked)
    return len(living - read)


def taken_back_remarks(context: Context, file_id: int) -> list[Problem]:
    """Return a remark for each batch of this file that a person is discarding: its rows come back only afterwards."""
    found = context.ledger.read(ledger_rows.rows_taken_back, file_id)
    return [Problem("file.taken_back", params={"batch": batch, "count": count}) for batch, count in found.items()]


def left_rows(context: Context, reading_id: int) -> LeftRows:
    """Return how many rows this reading left without an invoice, by kind of reason."""
    return count_left(row.problems for row in refused_rows(context, reading_id))


def refused_rows(context: Context, reading_id: int) -> Iterator[RowProblems]:
    """Yield the refused rows of a reading in the sheet's order, read in parts: a large file may have many."""
    after = 0
    while part := context.ledger.read(ledger_rows.problems_of, reading_id, after=after, limit=_PART):
        yield from part
        after = part[-1].id


def is_repeated(row: RowRecord | RowProblems) -> bool:
    """Return whether another row has the invoice of this one."""
    return is_billed(row.problems)
