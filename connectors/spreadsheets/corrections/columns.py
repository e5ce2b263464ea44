"""Where everything stands in a corrections sheet: which rows and columns are kept, and which are ours."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

TAGS_HEADER: Final = "ref_linha"
"""The one header that no language changes: by it a workbook of ours is known again."""


@dataclass(frozen=True, slots=True)
class Place:
    """One sheet's plan; columns from 0, rows as people count.

    `rows` gives the new number of each failing row. `retry` is the column in which a person asks for another try of a
    row as it is, None where no row may go again so. `shifts_from` is the first column that moves one to the right to
    make room for the tags, None where the sheet has room already.
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
        """Return the new position of a row, or None for one that is left out."""
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
    """Return the plan of a sheet with these header texts by column, whose cells reach to column `width`.

    The tags stand between the person's first two columns: at the end, somebody who sorts only what is seen would leave
    them behind. In a workbook of ours that comes back, our columns are the ones that it has, whatever language they
    speak: `words` are those of every one, the present one first.
    """
    rows = {row: header_row + count for count, row in enumerate(sorted(failing), start=1)}
    # of two alike the last: ours stand at the end, and `Status` may be a column of the person's own
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
