"""Plan the rows and columns of a corrections sheet: which rows stay, and where our columns go."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from connectors.spreadsheets.formats.sheet_metadata import column_index
from domain.corrections.reports import Choices, Fault

TAGS_HEADER: Final = "ref_linha"
"""The only header that is the same in every language: it identifies a corrections workbook."""

_DECISIONS: Final = ("retry", "release")


@dataclass(frozen=True, slots=True)
class SheetPlan:
    """The rows and columns of one sheet of the corrections workbook; columns count from 0, rows from 1.

    `rows` maps the old number of each failing row to its new number. `added` are the columns that a person fills, by
    their key in `report.words`: missing fields such as the template, and the decisions `retry` and `release`.
    `shifts_from` is the first column that moves one to the right to make room for the tags, None if the sheet has a
    column of tags already.
    """

    header_row: int
    first: int
    tags: int
    status: int
    mend: int
    shifts_from: int | None
    rows: Mapping[int, int]
    added: Mapping[str, int] = field(default_factory=dict)

    def column(self, old: int) -> int:
        """Return the new position of a column of the person's sheet."""
        return old if self.shifts_from is None or old < self.shifts_from else old + 1

    def of(self, about: Fault | Choices) -> int | None:
        """Return the new position of the column of a fault or a list of choices, or None if it has no column."""
        if about.column is not None:
            return self.column(column_index(about.column))
        return None if about.added is None else self.added.get(about.added)

    def row(self, old: int) -> int | None:
        """Return the new position of a row, or None for a row that is left out."""
        return old if old <= self.header_row else self.rows.get(old)


def plan_sheet(
    headers: Mapping[int, str],
    *,
    header_row: int,
    failing: Iterable[int],
    words: Sequence[Mapping[str, str]],
    width: int,
    more: Sequence[str] = (),
) -> SheetPlan:
    """Return where the rows and columns of a sheet go in the corrections workbook.

    The column of tags goes between the person's first two columns: at the end, a person who sorts only the visible
    columns would leave the tags behind. A corrections workbook that comes back keeps its columns, in any language of
    their headers.

    Args:
        headers: Header texts by column index.
        header_row: Number of the header row.
        failing: Numbers of the rows to keep.
        words: Our headers in each language, the present language first.
        width: Index of the last column with cells.
        more: Keys in `words` of the columns to add.
    """
    rows = {row: header_row + count for count, row in enumerate(sorted(failing), start=1)}
    # of two equal headers take the last: our columns come last
    known = {text.strip(): column for column, text in sorted(headers.items())}
    tags = known.get(TAGS_HEADER)
    first = min((column for column in headers if column != tags), default=0)
    end = max(width, *headers, 0) + 1
    if tags is not None:
        here, *others = words
        # one matching header without the other may be the person's own
        spoken = next((each for each in others if each["status"] in known and each["mend"] in known), here)
        if here["mend"] in known:
            spoken = here
        status = known.get(spoken["status"], end)
        mend = known.get(spoken["mend"], end + (status == end))
        added = _added_columns(known, spoken, more, free=max(end, status + 1, mend + 1))
        return SheetPlan(header_row, first, tags, status, mend, None, rows, added)
    # Every column after the first moves by one, to make room for the tags.
    moved = {text: column + (column > first) for text, column in known.items()}
    added = _added_columns(moved, words[0], more, free=end + 3)
    return SheetPlan(header_row, first, first + 1, end + 1, end + 2, first + 1, rows, added)


def _added_columns(
    known: Mapping[str, int], words: Mapping[str, str], more: Sequence[str], *, free: int
) -> dict[str, int]:
    """Return the index of each column that a person fills, by its key in `words`.

    These are the decision columns (`retry`, `release`) that the sheet already has, and all of `more`: at their place in
    the sheet, or else from index `free` on. `known` has the sheet's columns by header text.
    """
    there = {word: known[words[word]] for word in (*_DECISIONS, *more) if words.get(word) in known}
    lacking = [word for word in more if word not in there]
    return there | {word: column for column, word in enumerate(lacking, start=free)}
