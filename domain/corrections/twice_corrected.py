"""Tell whether two rows may both correct one failed row: from its correction workbook, and by hand in its own sheet.

A person may change every value that tells charges apart in one of the two files. What stays is the place of the failed
row, its key, its contract or its order.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from domain.texts import folded

_ENOUGH: Final = 2


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

    `corrects` are the failed rows of other files that it corrects. `texts` are those of `texts_of`.
    """

    place: Place
    names: Collection[str]
    corrects: Collection[FailedRow]
    texts: Collection[str] = ()


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


def copies_of_failed(
    one: BillableRow, other: BillableRow, refused: Iterable[FailedRow] = ()
) -> Iterator[tuple[Sequence[Place], Place]]:
    """Yield the places of rows that were corrected by hand, and that of the failed row which both rows may correct.

    The two may have other customers, templates or months: a row corrected by hand has the failed row's place, and two
    of its texts. Where both were, only a row in `refused` shows that they are one charge.
    """
    if not one.corrects and not other.corrects:
        both = (one, other)
        for failed in refused:
            if _are_copies(both, failed) and all(_has_its_names(each, failed) for each in both):
                yield [each.place for each in both], failed.place
    for by_hand, corrected in ((one, other), (other, one)):
        for failed in corrected.corrects if not by_hand.corrects else ():
            if _are_copies([by_hand], failed):
                yield [by_hand.place], failed.place


def names_of(line: Mapping[str, Any]) -> list[str]:
    """Return the key, the contract and the order's number of a typed row."""
    return [text for name in ("own_key", "contract", "order_key") if (text := line.get(name))]


def texts_of(line: Mapping[str, Any]) -> list[str]:
    """Return the texts by which people recognise a typed row: its customer, what it says, its keys."""
    taker = line.get("taker") or {}
    found = [(taker.get("document") or ["", ""])[-1], taker.get("name")]
    return [text for text in (*found, line.get("description"), *names_of(line)) if text]


def _may_be(by_hand: BillableRow, failed: FailedRow) -> bool:
    """Return whether the row may be the failed row, corrected by hand in a later copy of its sheet."""
    if _is_later_copy(by_hand.place, failed.place):
        return True
    return not _written(failed).isdisjoint(map(_plain, by_hand.names))


def _are_copies(rows: Iterable[BillableRow], failed: FailedRow) -> bool:
    written = _written(failed)
    return all(
        _is_later_copy(each.place, failed.place) and len(written & set(map(_plain, each.texts))) >= _ENOUGH
        for each in rows
    )


def _has_its_names(row: BillableRow, failed: FailedRow) -> bool:
    """Return whether the row has no key, or one of its keys is the failed row's: next week's row has another."""
    return not row.names or not _written(failed).isdisjoint(map(_plain, row.names))


def _written(failed: FailedRow) -> set[str]:
    return {plain for cell in failed.cells.values() if isinstance(cell, str | int) and (plain := _plain(str(cell)))}


def _plain(text: str) -> str:
    """Return the text as it compares in spite of case, accents, punctuation, and zeros that a number has lost."""
    return "".join(filter(str.isalnum, folded(text))).lstrip("0")


def _is_later_copy(by_hand: Place, failed: Place) -> bool:
    return by_hand.file_id > failed.file_id and _is_same_place(by_hand, failed)


def _is_same_place(one: Place, other: Place) -> bool:
    return one[1:] == other[1:]
