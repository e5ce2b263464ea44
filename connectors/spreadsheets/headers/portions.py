"""Find the part of a contract that is billed: the column that equals the amount × a percentage of the work."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.formats.sheets import Cell, Percent, Row
from connectors.spreadsheets.headers.final_amounts import AMOUNT, is_final, numbers_in_cell
from connectors.spreadsheets.headers.layouts import Header

_CENT: Final = 0.011
_MOST: Final = 40
"""Columns that are compared with one another: the pairs of more would take seconds."""
_WORDS: Final[Mapping[str, frozenset[str]]] = {
    kind: frozenset(words.split())
    for kind, words in {
        "period": "mes mensal periodo quinzena atual month monthly period current mensual",
        "part": "etapa fase parcela prestacao marco entrega medicao medido medida faturar cobrar emitir stage phase "
        "milestone instalment installment measured hito cuota medicion facturar",
        # work of this month, or all until now
        "progress": "executado executada execucao concluido concluida conclusao avanco fisico fisica realizado "
        "realizada andamento faturado faturada progress complete completed completion done executed billed invoiced "
        "avance ejecutado facturado certificado acumulado acumulada accumulated cumulative receber",
        "rate": "percentual perc pct percent percentage porcentagem porcentaje",
        "link": "a o da de do na no esta este desta deste nesta neste reais valor vlr vl vr total subtotal preco "
        "montante importe monto amount value price of the this to be del la el en obra servico projeto contrato work "
        "project",
    }.items()
}
_KNOWN: Final = frozenset().union(*_WORDS.values())
"""Any other word may mean that the share goes to a tax, a partner or a guarantee."""
_REFERENCE: Final = "reference"
"""The field of `Medição`, which has a number or the figure itself."""
_DIGITS: Final = re.compile(r"\d{1,2}[ao]?")


@dataclass(frozen=True, slots=True)
class Portions:
    """The columns that equal the amount × a percentage: those that are billed by their headers, and doubtful ones."""

    billed: tuple[int, ...] = ()
    doubtful: tuple[int, ...] = ()


def names_progress(header: str) -> bool:
    """Return whether each word of a header is one of the progress of work, or goes with it: `% medido no mês`."""
    return _are_known(_words(header))


def portions_of(header: Header, rows: Sequence[Row]) -> Portions:
    """Return the columns that equal the amount × a percentage of the work in the first `rows`.

    A column is billed if most rows follow, and its header or that of the percentage names a part or the month:
    `% medido no mês`, `Valor medido`. Without such a word it may have all work until now.
    """
    amount, own = header.columns.get(AMOUNT), {*header.columns.values()} - {header.columns.get(_REFERENCE)}
    whole = header.texts.get(amount, "") if amount is not None else ""
    if amount is None or is_final(normalised(whole)) or _WORDS["part"].intersection(_words(whole)):
        return Portions()
    texts = {at: text for at, text in header.texts.items() if at not in own and at not in header.passed_over}
    words = {index: known for index, text in texts.items() if _are_known(known := _words(text))}
    found: dict[bool, list[int]] = {True: [], False: []}
    for rate, part in permutations(words if len(words) <= _MOST else (), 2):
        verdicts = list(_verdicts(rows, amount, rate, part, is_percent=bool(_WORDS["rate"] & words[rate])))
        if any(is_part for _, is_part in verdicts):
            says_when = (_WORDS["part"] | _WORDS["period"]) & (words[rate] | words[part])
            is_usual = 2 * sum(follows for follows, _ in verdicts) >= len(verdicts)
            found[bool(says_when) and is_usual].append(part)
    billed, doubtful = found[True], found[False]
    if len(billed) > 1:
        return Portions((), (*billed, *doubtful))
    return Portions(tuple(billed), tuple(doubtful))


def _verdicts(
    rows: Sequence[Row], amount: int, rate: int, part: int, *, is_percent: bool
) -> Iterator[tuple[bool, bool]]:
    """Yield for each row with the three figures whether they follow, and whether they do with less than the whole."""
    for row in rows:
        whole, figure = (numbers_in_cell(row.cells, index) for index in (amount, part))
        share = _share(row.cells[rate] if rate < len(row.cells) else None, is_percent=is_percent)
        if whole and figure and share is not None:
            follows = abs(whole[0] * share - figure[0]) < _CENT
            yield follows, follows and 0 < share < 1


def _share(cell: Cell, *, is_percent: bool) -> float | None:
    found = numbers_in_cell([cell], 0)
    if not found:
        return None
    if isinstance(cell, Percent) or 0 < found[0] < 1:
        return found[0]
    return found[0] / 100 if is_percent or (isinstance(cell, str) and "%" in cell) else None


def _words(header: str) -> frozenset[str]:
    return frozenset(word for word in normalised(header).split() if not _DIGITS.fullmatch(word))


def _are_known(words: frozenset[str]) -> bool:
    return words <= _KNOWN
