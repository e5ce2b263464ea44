"""Search the texts of a column: each distinct text once, and none if the column lacks all stems."""

import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from connectors.spreadsheets.formats.sheets import Cell

_OTHER_SPACES: Final = "\x85\u1680\u2028\u2029"
"""The spaces outside ASCII that normal form KD leaves; they separate words as well."""


def found_in(
    column: Sequence[Cell], stems: tuple[str, ...], judge: Callable[[str], str | None]
) -> Iterator[tuple[int, str]]:
    """Yield (index, result of `judge`) for each text of a column for which `judge` does not return None.

    `stems` are normalized texts (`cells.plain`). Each text that `judge` may accept must contain one of them.
    """
    texts = distinct_texts(column)
    # A search for the stems in a whole column costs little more than in one cell.
    if not texts or not has_any(stems, joined_plainly(texts)):
        return
    stops = {text: words for text in texts if (words := judge(text)) is not None}
    for place, cell in enumerate(column):
        if type(cell) is str and cell in stops:
            yield place, stops[cell]


def distinct_texts(column: Sequence[Cell]) -> set[str]:
    return {cell for cell in column if type(cell) is str}


def joined_plainly(texts: Collection[str]) -> str:
    """Return these texts normalized as by `cells.plain`, joined, without characters that are not ASCII."""
    whole = " | ".join(texts)
    if not whole.isascii():
        whole = unicodedata.normalize("NFKD", whole)
        if any(map(whole.__contains__, _OTHER_SPACES)):
            whole = " ".join(whole.split())
        whole = whole.encode("ascii", "ignore").decode("ascii")
    if "  " in whole or not whole.isprintable():
        # Few texts have more than single spaces, and a search for those costs a third of splitting all words.
        whole = " ".join(whole.split())
    return whole.lower()


def has_any(stems: tuple[str, ...], bare: str) -> bool:
    """Return whether a normalized text contains one of the stems."""
    return any(map(bare.__contains__, stems))
