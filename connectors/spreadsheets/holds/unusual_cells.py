"""Find unread columns in which a few rows differ from the others: by an amount, fewer days, another paper."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from connectors.spreadsheets.formats.sheets import Cell, Percent
from connectors.spreadsheets.headers.final_amounts import numbers_in_cell
from connectors.spreadsheets.headers.stated_taxes import TAX_WORDS
from connectors.spreadsheets.holds import non_charges
from connectors.spreadsheets.parsers import cells

_COMMON: Final = 0.5
"""The part of the rows above which a value is no exception."""
_MONEY: Final = re.compile(
    r"r\$|%|\b(?:valor|vlr|vl|percentual|reajuste|ajuste|correcao|diferenca|complemento|retroativo|promo(?:cao|cional)?|"
    r"campanha|bonus|bonificacao|cashback|voucher|subsidio|coparticipacao|isencao|plantao|deslocamento|reembolso)\b"
)
"""Words of an amount or of a change of it."""
_OTHER_FIGURES: Final = re.compile(
    r"\b(?:atras\w*|devid\w*|devedor\w*|abert[oa]|saldo\w*|pag[oa]s?|pagamentos?|recebid\w*|recebimentos?|limites?|"
    r"custos?|comiss\w*|metas?|orcad\w*|previst\w*|estimad\w*|anterior\w*|acumulad\w*|ultim\w*|capital|contrat\w*|"
    r"potencia\w*|ltv|cac|score|nps|prob\w*|chances?|tabela|lista|referencia|sugerid\w*|mercado|aprox\w*|ibpt|"
    rf"{TAX_WORDS}|ret\w{{0,10}}|aliq\w*|liquid\w*|"
    r"particip\w*|social|cotas?|tarifas?|antecip\w*|repass\w*|entrada|causa|renda|salario|patrimonio|seguro|franquia|"
    r"garantia|cauc\w*|venda|compra|parcel\w*|juros|multas?|mora|km|horas?|dias?|frete|peso|margem|lucro|markup|"
    r"budget|forecast|nota|conclu\w*|progress\w*|ocupac\w*|frequencia|presenca|rendimento|uso|consum\w*|medi[ac]\w*)\b"
)
"""Words of numbers that do not change the amount, or that other rules check."""
_LATER: Final = re.compile(
    r"\b(?:atras|devid|devedor|abert|saldo|pag[oa]|recebid|liquid|anterior|acumulad|ultim|limite|tabela|lista|original|bruto|integral|chei[oa])"
)
"""Words of numbers that are the amount only before a discount, or until something was paid."""
_LIST_PRICE: Final = re.compile(r"\b(?:tabela|lista|integral|chei[oa])\b")
"""Words of a price that a discount may lessen and nothing raises."""
_DAYS: Final = re.compile(r"\bdias?\b")
_OTHER_DAYS: Final = re.compile(
    r"\b(?:venc\w*|atras\w*|prazo|pag\w*|carencia|garantia|uteis|semana|aviso|validade|entrega|cobranca|desde|para|"
    r"ate|sem|inatividade|ultim\w*|teste|trial)\b"
)
_DELIVERED: Final = re.compile(
    r"\b(?:horas?|sessoes|aulas|diarias|visitas|atendimentos|entregas|viagens|consultas|exames|insercoes|veiculacoes|"
    r"hectares|procedimentos|publicacoes|participantes)\b|^(?:quantidade|quant|qtde?)$"
)
"""Headers of delivered units: `Inserções veiculadas`."""
_LEAST: Final = 0.001
_TOLERANCE: Final = 0.001
"""The inexactness of a number of cents that is computed with floats."""
_NOT_CHARGED: Final = re.compile(
    r"\b(?:extras?|exced\w*|adicion\w*|falt\w*|franquia|inclus\w*|rest\w*|saldo|cancel\w*|pend\w*|nao|atras\w*|banco|"
    r"cortesia|gratis|bonus|avuls\w*|valor|vlr|preco|r\$)|%"
)
"""Words of a number that the amount need not follow."""
_FIXED: Final = re.compile(r"\b(?:mensal\w*|fix[oa]|contrat\w*|honorarios?|plano|assinatura|taxa|fee)\b")
"""Words of an amount that does not follow what was delivered."""
_PART: Final = re.compile(r"(\d{1,3}) ?(?:/|de|of) ?(\d{1,3})(?: dias?)?")
_MONTH_DAYS: Final = range(28, 32)
_MONTHLY: Final = re.compile(r"(?:mensal(?:mente|idade)?|por mes|todo mes|monthly)$")
_INVOICE: Final = re.compile(r"(?:nfs?-?e?|nota|nota fiscal(?: de servicos?)?|com nota(?: fiscal)?|invoice)\b")
_MIXED: Final = (
    ("charge_kind", _INVOICE.match, non_charges.is_other_entry),
    ("period", _MONTHLY.match, non_charges.is_of_several_months),
)
"""The sign of a column, the words of a usual charge in it, and those of another one."""


@dataclass(frozen=True, slots=True)
class UnusualCells:
    """Unread columns of which a few cells may change the amount of their row.

    Args:
        figures: Columns of amounts and percentages that most rows leave blank.
        copies: Columns that repeat the amount of most rows.
        days: Columns of charged days, each with the number that most rows have.
        limits: Columns of list prices, which are the amount of most rows and more than that of others.
    """

    figures: tuple[int, ...] = ()
    copies: tuple[int, ...] = ()
    days: tuple[tuple[int, float], ...] = ()
    limits: tuple[int, ...] = ()


def fewer_days(columns: Sequence[Sequence[Cell]], days: Sequence[tuple[int, float]]) -> Iterator[tuple[int, str, int]]:
    """Yield (row in the block, text, column) for each row that charges fewer days than most.

    `days` as in `UnusualCells`.
    """
    for index, usual in days:
        for place, cell in enumerate(columns[index] if index < len(columns) else ()):
            charged = _days(cell)
            if charged is not None and charged < usual:
                yield place, cells.as_text(cell)[:30], index


def unusual_cells(
    unused: Mapping[int, str], sample: Sequence[Sequence[Cell]], amount: int | None = None
) -> UnusualCells:
    """Return the unused columns with such cells; `sample` are the first rows.

    `unused` are headers by column, `amount` is the column of the amounts.
    """
    amounts = [numbers_in_cell(row, amount) for row in sample]
    columns = {index: [row[index] if index < len(row) else None for row in sample] for index in unused}
    bare = {index: cells.plain(text) for index, text in unused.items()}
    copies = [index for index, column in columns.items() if _are_copies(column, amounts)]
    return UnusualCells(
        figures=tuple(index for index, column in columns.items() if _are_exceptions(bare[index], column)),
        copies=tuple(index for index in copies if not _LATER.search(bare[index])),
        limits=tuple(index for index in copies if _LIST_PRICE.search(bare[index])),
        days=tuple(
            (index, usual)
            for index, column in columns.items()
            if _DAYS.search(bare[index])
            and not _OTHER_DAYS.search(bare[index])
            and (usual := _usual_days(column)) is not None
        ),
    )


def unit_columns(
    texts: Mapping[int, str], sample: Sequence[Sequence[Cell]], amount_header: str
) -> Iterator[tuple[int, float]]:
    """Yield the columns that count what was delivered, each with the least number that an amount is for.

    Most of their filled cells are positive. A fixed amount, by its header, needs no delivery.
    """
    if _FIXED.search(cells.plain(amount_header)):
        return
    for index, text in texts.items():
        bare = cells.plain(text)
        if _DELIVERED.search(bare) and not _NOT_CHARGED.search(bare):
            filled = [row[index] for row in sample if index < len(row) and not cells.is_blank(row[index])]
            positive = sum(any(figure > 0 for figure in numbers_in_cell([cell], 0)) for cell in filled)
            if positive and positive >= _COMMON * len(filled):
                yield index, _LEAST


def mixed_columns(unused: Mapping[int, str], sample: Sequence[Sequence[Cell]]) -> Iterator[tuple[str, int]]:
    """Yield (sign, index) for each unused column that tells some of the rows apart from usual charges.

    Some get an invoice and others another paper, or some are monthly and others once in several months.
    """
    for index in unused:
        words = {cells.plain(cell) for row in sample if index < len(row) and isinstance(cell := row[index], str)}
        for sign, is_usual, is_other in _MIXED:
            if any(map(is_usual, words)) and any(map(is_other, words)):
                yield sign, index


def _are_exceptions(header: str, column: Sequence[Cell]) -> bool:
    """Return whether a column has amounts or percentages, and has them in a few rows only."""
    if _OTHER_FIGURES.search(header):
        return False
    filled = [cell for cell in column if any(numbers_in_cell([cell], 0))]
    is_money = _MONEY.search(header) is not None or any(map(_has_cents, filled))
    shown = [cell for cell in filled if is_money or _is_shown_as_money(cell)]
    texts = sum(not cells.is_blank(cell) for cell in column) - sum(bool(numbers_in_cell([cell], 0)) for cell in column)
    if texts or len(shown) < len(filled):
        return False
    return (bool(filled) or is_money) and len(filled) <= _COMMON * len(column)


def _are_copies(column: Sequence[Cell], amounts: Sequence[list[float]]) -> bool:
    """Return whether a column repeats the amount in most rows that have both, and in more than one."""
    pairs = [(numbers_in_cell([cell], 0), amount) for cell, amount in zip(column, amounts, strict=True)]
    alike = [figure == amount for figure, amount in pairs if figure and amount]
    return sum(alike) > 1 and sum(alike) > _COMMON * len(alike)


def _is_shown_as_money(cell: Cell) -> bool:
    return isinstance(cell, Percent) or (isinstance(cell, str) and ("R$" in cell or "%" in cell))


def _has_cents(cell: Cell) -> bool:
    """Return whether a number has one or two decimal places, like an amount of money."""
    figures = () if isinstance(cell, Percent) else numbers_in_cell([cell], 0)
    return any(not figure.is_integer() and abs(figure * 100 - round(figure * 100)) < _TOLERANCE for figure in figures)


def _usual_days(column: Sequence[Cell]) -> float | None:
    """Return the largest N of cells such as `15/N`; else 28 to 31, if at least half of the rows have it; else None."""
    counted = Counter(days for cell in column if (days := _days(cell)) is not None)
    if not counted:
        return None
    parts = [found for cell in column if isinstance(cell, str) and (found := _PART.fullmatch(cells.plain(cell)))]
    if parts:
        return float(max(int(found[2]) for found in parts))
    usual = max(counted)
    return usual if usual in _MONTH_DAYS and counted[usual] >= _COMMON * counted.total() else None


def _days(cell: Cell) -> float | None:
    found = _PART.fullmatch(cells.plain(cell)) if isinstance(cell, str) else None
    if found is not None:
        return float(found[1])
    figure = numbers_in_cell([cell.removesuffix("dias").strip() if isinstance(cell, str) else cell], 0)
    return figure[0] if figure else None
