"""Headers in two rows: a group such as `Valores` above `Bruto` and `Líquido`, read as one header row."""

import re
from collections.abc import Callable, Sequence
from datetime import date
from itertools import zip_longest
from typing import Final

from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.formats.sheets import Cell

_FIGURE: Final = re.compile(r"(?:R\$)?[\s.,/-]*\d[\d\s.,/-]*")
_GENERAL: Final = frozenset({"dados", "informacoes", "identificacao", "cadastro", "do", "da", "de", "dos", "das"})
"""Words of a group that add nothing to its columns: `Dados do Cliente`."""
_OF_FIGURES: Final = frozenset({"valor", "valores", "vlr", "financeiro", "totais", "faturamento", "cobranca", "precos"})
"""Words of a group of amounts, in which `Desc.` means a discount."""


def with_groups(above: Sequence[Cell], below: Sequence[Cell], is_known: Callable[[str], bool]) -> tuple[Cell, ...]:
    """Return two header rows as one: `PIS` above `(%)`, `Emitente` above `CNPJ`, or one cell merged over both.

    A group extends to the right over blank cells. Combine group and lower text if `is_known` accepts the result as a
    header; else take the lower text.
    """
    joined: list[Cell] = []
    group = ""
    for over, under in zip_longest(above, below):
        text = under.strip() if isinstance(under, str) else ""
        if isinstance(over, str) and over.strip():
            group = over.strip()
        elif not text:
            group = ""
        is_merged_down = not text and isinstance(over, str)
        joined.append(over if is_merged_down else _together(text, group, is_known) or text or None)
    return tuple(joined)


def _together(text: str, group: str, is_known: Callable[[str], bool]) -> str | None:
    if not text or not group:
        return None
    short = " ".join(map(_singular, (word for word in normalised(group).split() if word not in _GENERAL)))
    if normalised(text) == "desc" and _OF_FIGURES & set(normalised(group).split()):
        return "Desconto"
    groups = (group, short) if short else (group,)
    tried = (each for name in groups for each in (f"{text} {name}", f"{name} {text}", f"{text} do {name}"))
    return next((each for each in tried if is_known(each)), None)


def _singular(word: str) -> str:
    return word.removesuffix("es") if word.endswith("res") else word.removesuffix("s")


def has_groups(above: Sequence[Cell]) -> bool:
    """Return whether a row has more than one text, as a row of groups has and a title has not."""
    return sum(isinstance(cell, str) and bool(cell.strip()) for cell in above) > 1


def names_as_many(combined: Sequence[str | None], alone: Sequence[str | None]) -> bool:
    """Return whether a header row names at least as many fields combined with its groups as alone."""
    return sum(each is not None for each in combined) >= sum(each is not None for each in alone)


def is_figure(cell: Cell) -> bool:
    """Return whether a cell is a number or a date, or a text of one, which no header is."""
    if isinstance(cell, str):
        return _FIGURE.fullmatch(cell.strip()) is not None
    return isinstance(cell, int | float | date) and not isinstance(cell, bool)
