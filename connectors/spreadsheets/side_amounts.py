"""Find unread columns whose amounts change what a row is billed for: percentages of discount, additions, refunds."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from connectors.spreadsheets import cells, figures
from connectors.spreadsheets.formats.sheets import Cell

_CHANGES: Final = re.compile(
    r"^(?:(?:valor|vlr|total) (?:d[aeo]s? )?|%? ?)?(?:descontos?|desc|abatimentos?|acrescimos?|creditos?|glosas?|"
    r"adicional|adicionais|ajustes?|bolsas?|discounts?)(?: (?!ate\b|em\b|de\b|do\b|da\b).{0,40})?$"
)
_NOT_OURS: Final = re.compile(r"\b(?:reembols|repass)")
_FINAL: Final = re.compile(r"\b(?:total|liquid[oa]|final|a faturar|a cobrar|a pagar|net)\b")


def side_columns(unused: Mapping[int, str], amount_header: str) -> tuple[int, ...]:
    """Return the unread columns that change the amount, by their headers.

    An amount whose header says that it is final has its discounts and additions already. Only such an amount also has
    what is merely passed on, such as refunds.
    """
    is_final = _FINAL.search(cells.plain(amount_header)) is not None
    changes = _NOT_OURS if is_final else _CHANGES
    return tuple(index for index, text in unused.items() if changes.search(cells.plain(text)))


def side_amounts(column: Sequence[Cell]) -> Iterator[tuple[int, str]]:
    """Yield the cells of such a column that hold a figure other than zero: their place and their text."""
    for place, cell in enumerate(column):
        if cell is None or isinstance(cell, bool):
            continue
        text = cells.as_text(cell)
        bare = text.removeprefix("R$").strip().removesuffix("%").strip()
        readings = {float(cell)} if isinstance(cell, float) else set(map(float, figures.readings(bare).values()))
        if any(readings):
            yield place, text[:30]
