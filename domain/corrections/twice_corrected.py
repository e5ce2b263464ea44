"""Tell whether two rows may both correct one failed row: from its correction workbook, and by hand in its own sheet.

A person may change every value that tells charges apart in one of the two files. What stays is the place of the failed
row, its key, its contract or its order.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from domain.texts import folded_charge


class Place(NamedTuple):
    """The place of a row. `file_id` grows: a later file has a greater one."""

    file_id: int
    sheet: str
    row_number: int


@dataclass(frozen=True, slots=True)
class FailedRow:
    """A row that another file's row corrects, as it was written."""

    place: Place
    cells: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BillableRow:
    """A row to bill, or one that was billed. `names` are its key and contract, or its order, as typed.

    `corrects` are the failed rows of other files that it corrects.
    """

    place: Place
    names: Collection[str]
    corrects: Collection[FailedRow]


def is_twice_corrected(one: BillableRow, other: BillableRow) -> bool:
    """Return whether both rows may correct one failed row, in two files.

    Corrections of two failed rows need the same place in two files: the sheet was dropped twice with its fault.
    """
    if one.corrects and other.corrects:
        return any(
            mine.place.file_id != its.place.file_id and _is_same_place(mine.place, its.place)
            for mine in one.corrects
            for its in other.corrects
        )
    return any(
        _may_be(by_hand, failed) for by_hand, corrected in ((one, other), (other, one)) for failed in corrected.corrects
    )


def _may_be(by_hand: BillableRow, failed: FailedRow) -> bool:
    """Return whether the row may be the failed row, corrected by hand in a later copy of its sheet."""
    if by_hand.place.file_id > failed.place.file_id and _is_same_place(by_hand.place, failed.place):
        return True
    written = {folded_charge(str(cell)) for cell in failed.cells.values() if isinstance(cell, str | int)}
    return any(folded_charge(name) in written for name in by_hand.names)


def _is_same_place(one: Place, other: Place) -> bool:
    return one[1:] == other[1:]
