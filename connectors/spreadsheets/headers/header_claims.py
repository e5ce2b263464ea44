"""Check the fields of a header row: is one claimed twice, and is the row a header with the document alone?"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from connectors.spreadsheets.formats.sheet_metadata import column_letter
from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.parsers.named_documents import is_document
from domain.problems import Problem, Where

_DOCUMENT: Final = "document"
_FEWEST_TEXTS: Final = 3
CHOSEN: Final = frozenset({"name", "fancy_name", "reference", "phone", "emails", "complement", "state"})
"""Fields that may safely have several columns: one is used, and the others are reported."""
_CHOSEN_IF_UNSURE: Final = frozenset(
    {"order_key", "kind", "code", "payment", "description", "unit", "street", "neighborhood", "zip_code", "city"}
)
"""Fields of which one column is used if none of its headers is a sure one."""


def with_the_first(
    fields: Sequence[str | None], headers: Sequence[str], rank: Callable[[str], int], sure: Collection[str | None]
) -> list[str | None]:
    """Return the fields with one column for each of `CHOSEN`: the one whose normalised header has the least rank.

    `sure` are the fields that a sure header names.
    """
    found = list(fields)
    for field in {*CHOSEN, *(_CHOSEN_IF_UNSURE.difference(sure))}.intersection(each for each in fields if each):
        places = [index for index, each in enumerate(found) if each == field]
        best = min(places, key=lambda index: rank(headers[index]))
        for index in places:
            found[index] = field if index == best else None
    return found


def claimed_twice(claims: Iterable[tuple[str, int]], texts: Mapping[int, str], where: Where) -> list[Problem]:
    """Return a problem for each field that several columns claim. `texts` are the headers by column."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for field, index in claims:
        found[field].append(f"{column_letter(index)} ({texts[index]})")
    return [
        Problem("column.twice", field, where, {"columns": ", ".join(named)})
        for field, named in found.items()
        if len(named) > 1
    ]


def is_only_document(fields: Sequence[str | None], header: Sequence[Cell], below: Sequence[Cell]) -> bool:
    """Return whether a row that names only the document is a header.

    It needs at least three texts, and a document below in that column.
    """
    places = [index for index, field in enumerate(fields) if field == _DOCUMENT]
    texts = sum(isinstance(cell, str) and not cells.is_blank(cell) for cell in header)
    is_header = len(places) == 1 and texts >= _FEWEST_TEXTS
    return is_header and places[0] < len(below) and is_document(below[places[0]])
