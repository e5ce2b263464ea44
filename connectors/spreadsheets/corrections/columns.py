"""Plan the rows and columns of a corrections sheet: which are kept, and which are ours."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

TAGS_HEADER: Final = "ref_linha"
"""The only header that is the same in every language: it identifies a workbook of ours."""


@dataclass(frozen=True, slots=True)
class Place:
    """One sheet's plan; columns from 0, rows from 1.

    `rows` gives the new number of each failing row. `retry` is the column in which a person asks to send a row again
    unchanged, None where no row may be. `shifts_from` is the first column that moves one to the right to make room for
    the tags, None where the sheet has room already.
    """

    header_row: int
    first: int
    tags: int
    status: int
    mend: int
    shifts_from: int | None
    rows: Mapping[int, int]
    retry: int | None = None

    def column(self, old: int) -> int:
        """Return the new position of a column of the person's sheet."""
        return old if self.shifts_from is None or old < self.shifts_from else old + 1

    def row(self, old: int) -> int | None:
        """Return the new position of a row, or None for a row that is left out."""
        return old if old <= self.header_row else self.rows.get(old)


def place(
    headers: Mapping[int, str],
    *,
    header_row: int,
    failing: Iterable[int],
    words: Sequence[Mapping[str, str]],
    width: int,
    has_retry: bool = False,
) -> Place:
    """Return the plan of a sheet with these header texts by column and cells up to column `width`.

    The tags are between the person's first two columns: at the end, a person who sorts only the visible columns would
    leave them behind. In a returned workbook of ours the existing columns of ours are used, in whatever language:
    `words` are those of every language, the present one first.
    """
    rows = {row: header_row + count for count, row in enumerate(sorted(failing), start=1)}
    # of two equal headers the last: ours come last, and `Status` may also be the person's own column
    known = {text.strip(): column for column, text in sorted(headers.items())}
    tags = known.get(TAGS_HEADER)
    first = min((column for column in headers if column != tags), default=0)
    end = max(width, *headers, 0) + 1
    if tags is not None:
        here, *others = words
        # a header alone may be the person's own
        spoken = next((each for each in others if each["status"] in known and each["mend"] in known), here)
        if here["mend"] in known:
            spoken = here
        status = known.get(spoken["status"], end)
        mend = known.get(spoken["mend"], end + (status == end))
        free = max(end, status + 1, mend + 1) if has_retry else None
        return Place(header_row, first, tags, status, mend, None, rows, known.get(spoken["retry"], free))
    plan = Place(header_row, first, first + 1, end + 1, end + 2, first + 1, rows)
    theirs = known.get(words[0]["retry"])
    free = end + 3 if has_retry else None
    return replace(plan, retry=free if theirs is None else plan.column(theirs))
