"""Compare an amount in words with the amount in figures of its row: `Valor por extenso`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from connectors.spreadsheets.formats.header_texts import normalised, stem_of
from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.holds.side_amounts import figures_in
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.parsers.column_texts import distinct_texts
from connectors.spreadsheets.parsers.number_words import spelled_cents

_IN_WORDS: Final = re.compile(r"\b(?:(?:por |em )?extenso|in words|em palavras)\b")
_AMOUNT: Final = re.compile(
    r"(?:(?:o|vlr|vl|valor(?:es)?|total|preco|importancia|quantia|montante|mensalidade|honorarios?|fatura|nota|servicos?|"
    r"nf|nfse|bruto|reais|cobrado|a faturar|the|amount|price|value|fee|d[aeo]s?) ?)*"
)
"""The other words of a header of the row's amount in words. A date or a quantity may be in words, too."""


_STATED: Final = re.compile(r"(?:\b(\d{1,3}) ?(?:x|vezes|parcelas) ?(?:de )?)?r\$ ?(\d[\d.,]*\d|\d)")
"""An amount in a text, which may be charged several times: `12x R$ 180,00`."""


def worded_amounts(
    unused: Mapping[int, str], texts: Mapping[int, str], amount: int | None
) -> tuple[tuple[int, int], ...]:
    """Return the unused columns with amounts in words, each with the column of the same amount in figures.

    `texts` are all headers. The column of the row's amount is meant unless the header names another one: `Valor líquido
    por extenso`.
    """
    found: list[tuple[int, int]] = []
    for index, text in unused.items():
        bare = normalised(text)
        if not _IN_WORDS.search(bare):
            continue
        rest = " ".join(_IN_WORDS.sub(" ", bare).split())
        same = [each for each, other in texts.items() if each != index and stem_of(normalised(other)) == stem_of(rest)]
        if rest and len(same) == 1:
            found.append((index, same[0]))
        elif amount is not None and _AMOUNT.fullmatch(rest):
            found.append((index, amount))
    return tuple(found)


def contradictions(words: Sequence[Cell], figures: Sequence[Cell]) -> Iterator[tuple[int, str, str]]:
    """Yield (index, words, figures) for each cell whose words state another amount than the figures beside it."""
    for place, (cell, figure) in enumerate(zip(words, figures, strict=False)):
        cents = spelled_cents(cell) if isinstance(cell, str) else None
        amounts = figures_in(figure)
        if cents is not None and amounts and not any(abs(each * 100 - cents) < 1 for each in amounts):
            yield place, " ".join(str(cell).split())[:60], cells.as_text(figure)[:30]


def unread(words: Sequence[Cell], figures: Sequence[Cell]) -> Iterator[tuple[int, str]]:
    """Yield (index, text) for each text beside an amount in figures whose words state no amount."""
    for place, (cell, figure) in enumerate(zip(words, figures, strict=False)):
        is_text = isinstance(cell, str) and not cells.is_blank(cell) and not cells.says_nothing(cell)
        if is_text and figures_in(figure) and spelled_cents(str(cell)) is None:
            yield place, " ".join(str(cell).split())[:60]


def other_amounts(words: Sequence[Cell], figures: Sequence[Cell]) -> Iterator[tuple[int, str]]:
    """Yield (index, text) for each text whose only amount is not that of its row: `Suporte, R$ 180,00` beside 280.

    An amount counts only where a row beside it has its own in its text, or with a number of times: `12x R$ 180,00`. All
    instalments are another amount, too, where a row beside it charges one.
    """
    if not any("$" in text for text in distinct_texts(words)):
        return
    stated = []
    for place, (cell, figure) in enumerate(zip(words, figures, strict=False)):
        if not (isinstance(cell, str) and "$" in cell):
            continue
        found = _STATED.findall(cells.plain(cell))
        if len(found) == 1 and (each := figures_in(found[0][1])) and (amounts := figures_in(figure)):
            stated.append((place, cell, int(found[0][0] or 1), each, amounts))
    charged = {count > 1 for _, _, count, each, amounts in stated if each & amounts}
    for place, text, count, each, amounts in stated:
        is_all = count > 1 and True not in charged and bool({round(count * one, 2) for one in each} & amounts)
        if not (each & amounts or is_all) and (count > 1 or False in charged):
            yield place, " ".join(text.split())[:30]
