"""Choose the billed one of several columns of amounts, and check it against the columns behind it."""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from connectors.spreadsheets.formats.header_texts import normalised, stem
from connectors.spreadsheets.formats.sheets import Cell, Percent, Row
from connectors.spreadsheets.headers.stated_taxes import TAX_WORDS
from connectors.spreadsheets.parsers import cells, number_parser

AMOUNT: Final = "service_cents"
SAMPLED: Final = 50
"""Number of rows from which to learn what a column means."""
_MOST_CHANGES: Final = 8
_CENT: Final = 0.011
_FINAL: Final = re.compile(
    r"(?:valor|vlr|total|saldo|montante|comissao|honorarios?|fee|medicao|parcela|royalt(?:y|ies)|locacao|aluguel|taxa|"
    r"servicos?)?"
    r"(?: (?:em aberto|liquido|do mes|d[aeo] (?:etapa|parcela|fase|medicao|marco|entrega|periodo|quinzena)))?"
    r" ?a (?:faturar|cobrar|emitir)"
    r"(?: (?:reais|agora|no mes|nest[ea] mes|nesta nf))?|"
    r"(?:valor|vlr|total|preco|mensalidade) (?:final|atual)|valor a pagar"
)
_NET: Final = frozenset({"net", "net amount"})
_FEE: Final = re.compile(r"(?:\w{1,20} )?fees?(?: amount)?")
"""The fee that a gateway keeps, where another column has the net amount."""
TOTAL_OF: Final = (
    r"total d[ao]s? (?:conta|cobranca|nota|fatura|hospedagem|estadia|diarias|evento|atendimento|servicos?|reserva)"
)
"""A total of the row, with what it is the total of."""
_SUM: Final = re.compile(
    rf"(?:valor |vlr |preco )?(?:total(?: geral|(?: do)? mes| (?:d[ao] )?nfs?-?e?| nota| fatura)?|{TOTAL_OF}|"
    r"(?:fatura|conta) do mes)(?: reais)?"
)
DEDUCTED: Final = r"descontos?|desc|abatimentos?|bolsas?|glosas?|glosad[oa]s?|sinal|adiantamentos?|discounts?"
ADDED: Final = r"acrescimos?|adiciona(?:l|is)|extras?|excedentes?|deslocamentos?|aditivos?"
"""Words of changes of a price, also of those that an amount beside them may lack."""
_MINUS: Final = re.compile(rf"\b(?:{DEDUCTED}|entrada|reducao|cupom)\b")
_PLUS: Final = re.compile(rf"\b(?:{ADDED}|consumo|frete|materia(?:l|is)|taxas?|decimo|13o?|reajuste)\b")
"""Additions that are parts of a price. Costs that are passed on (expenses, fines, interest) are not."""
_PAID_BEFORE: Final = r"sinal|adianta\w*|entrada"
_CONDITIONAL: Final = r"pontualidade|condiciona\w*|antecipa\w*|ate o venc\w*"
_BY_OTHERS: Final = (
    rf"{TAX_WORDS}|fonte|lega(?:l|is)|federa(?:l|is)|tarifas?|boletos?|cartao|banco|bancari\w*|cauc(?:ao|oes)|garantia"
)
WITHHELD: Final = re.compile(rf"\b(?:{_BY_OTHERS}|taxas?)\b")
"""Words of deductions that a customer withholds or a bank keeps: they lessen the payment, not the invoice."""
_LESSENS_PAYMENT: Final = re.compile(rf"\b(?:{_BY_OTHERS}|taxas?|{_CONDITIONAL}|{_PAID_BEFORE})\b")
"""Words of these deductions, and of those that were paid before, or that have a condition."""
_NOT_OF_FINAL: Final = re.compile(rf"\b(?:{_BY_OTHERS}|{_CONDITIONAL})\b")
_NOT_OF_SUM: Final = re.compile(rf"\b(?:{_BY_OTHERS}|{_CONDITIONAL}|{_PAID_BEFORE})\b")
"""The same without charges such as `Taxa de administração`. What is left to bill is less what was billed before."""
_RESULT: Final = re.compile(
    r"(?:(?:valor|vlr|total|preco|mensalidade) )?(?:liquid[oa]|final|devid[oa]|a (?:pagar|cobrar|faturar))"
    r"(?: (?:do mes|reais))?|"
    rf"{_SUM.pattern}|net(?: amount)?"
)
"""A header of what remains of an amount after its changes."""
_OF_AN_HOUR: Final = re.compile(r"\b(?:valor|vlr|preco|r\$)[ /]*(?:da )?h(?:ora)?\b")
_COUNT: Final = re.compile(
    r"\b(?:qtd|qtde|quantidade|quant|horas?|sessoes|aulas|diarias|dias|visitas|unidades|atendimentos|entregas|viagens|"
    r"vidas|usuarios|licencas|postos|guias|consultas|exames|hectares|km|kg)\b"
)
_FACTOR: Final = re.compile(rf"^(?!(?:valor|vlr|vl|total)\b).*{_COUNT.pattern}|{_OF_AN_HOUR.pattern}")
"""A header of a factor of an addition, not of its amount: `Horas extras`, `Valor da hora`."""
COUNTED: Final = ("quantity", "unit_price")
_DISCOUNT: Final = "unconditioned_discount_cents"
_PERIODS: Final = re.compile(r"\b(?:parcelas?|prestac(?:ao|oes)|mes|meses|anos?|prazo|vezes|vigencia|contratos?)\b")
"""Words of periods that repeat a price: price × period is the total of a contract and not of a month."""
_PERCENT: Final = re.compile(r"%|\bpercentual\b")


def with_one_amount(headers: Sequence[str], fields: Sequence[str | None], mapped: Collection[str]) -> list[str | None]:
    """Return the fields with only one column of amounts, if `chosen_amount` can choose it.

    Change nothing if a person `mapped` the header of such a column.
    """
    places = [index for index, field in enumerate(fields) if field == AMOUNT]
    if len(places) < 2 or any(headers[index] in mapped for index in places):
        return list(fields)
    chosen = chosen_amount(headers, places, has_discount=_DISCOUNT in fields)
    if chosen is None:
        return list(fields)
    return [None if field == AMOUNT and index != chosen else field for index, field in enumerate(fields)]


def chosen_amount(headers: Sequence[str], places: Sequence[int], *, has_discount: bool) -> int | None:
    """Return which of several columns of amounts is billed, or None if unsure.

    A header such as `a faturar` wins over `total`, and both win over others. `headers` are normalised; `places` are the
    columns with a sure header of an amount. With a column of discounts that an invoice shows (`has_discount`), the
    amount before them is billed. A gateway's fee is never the amount.
    """
    if has_discount:
        gross = [index for index in places if not (_FINAL.fullmatch(headers[index]) or _SUM.fullmatch(headers[index]))]
        return gross[0] if len(gross) == 1 else None
    if "amount" in headers and _NET.intersection(headers):
        places = [index for index in places if not _FEE.fullmatch(headers[index])]
        if len(places) == 1:
            return places[0]
    for form in (_FINAL, _SUM):
        found = [index for index in places if form.fullmatch(headers[index])]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def is_final(header: str) -> bool:
    """Return whether a normalised header names an amount that already has its discounts and additions."""
    return _FINAL.fullmatch(header) is not None


def lessens_payment(header: str, amount: str) -> bool:
    """Return whether a column lessens the payment and not the invoice, whose amount has the header `amount`."""
    pattern = _NOT_OF_FINAL if is_final(normalised(amount)) else _NOT_OF_SUM
    return pattern.search(header) is not None


def is_sum(header: str) -> bool:
    """Return whether a normalised header names a total of the row: `Total da conta`."""
    return _SUM.fullmatch(header) is not None


def is_addition(header: str) -> bool:
    """Return whether a header names an addition to a price, or the price of an hour that is one."""
    bare = cells.plain(header)
    return not _MINUS.search(bare) and (_PLUS.search(bare) is not None or _OF_AN_HOUR.search(bare) is not None)


@dataclass(frozen=True, slots=True)
class AmountParts:
    """The unread columns from which the sheet computes the amount.

    Attributes:
        bases: Columns of the amount before its changes.
        minus: (column, whether the header says percent) of each deduction.
        plus: (column, whether the header says percent) of each addition.
        counts: Columns of quantities that multiply the base.
        is_needed: Hold a row whose base, with its changes, differs from its amount. If False, only `explains` counts.
        product: Columns of quantity and unit price, whose product is a base for `explains`.
    """

    bases: tuple[int, ...] = ()
    minus: tuple[tuple[int, bool], ...] = ()
    plus: tuple[tuple[int, bool], ...] = ()
    counts: tuple[int, ...] = ()
    is_needed: bool = False
    product: tuple[int, ...] = ()

    def agrees(self, found: Sequence[Cell], amount: float) -> bool | None:
        """Return whether a base of the row, with its changes, equals the amount; None for a row without a base."""
        bases = [base for index in self.bases for base in numbers_in_cell(found, index)]
        if not bases:
            return None
        counts = [count for index in self.counts for count in numbers_in_cell(found, index)] or [1.0]
        results = (each for base in bases for count in counts for each in self.changed(found, base * count))
        return any(abs(each - amount) < _CENT for each in results)

    def explains(self, found: Sequence[Cell], index: int, amount: float) -> bool:
        """Return whether the amount includes the change in column `index`: it equals a base with that change."""
        changes = [(each, -1.0) for each in self.minus if each[0] == index]
        changes += [(each, 1.0) for each in self.plus if each[0] == index]
        bases = [base for column in self.bases for base in numbers_in_cell(found, column)]
        factors = [figure for column in self.product for figure in numbers_in_cell(found, column)]
        bases += [math.prod(factors)] if len(factors) == len(COUNTED) else []
        return any(
            abs(base + sign * _change(found, column, base, is_percent=is_percent) - amount) < _CENT
            for base in bases
            for (column, is_percent), sign in changes
        )

    def changed(self, found: Sequence[Cell], base: float) -> Iterator[float]:
        """Yield a base with all changes of its row, then with its deductions only and with its additions only."""
        less = sum(_change(found, index, base, is_percent=percent) for index, percent in self.minus)
        more = sum(_change(found, index, base, is_percent=percent) for index, percent in self.plus)
        yield base - less + more
        if less and more:
            yield base - less
            yield base + more


def amount_parts(
    unused: Mapping[int, str],
    known: Mapping[str, int],
    rows: Iterable[Row],
    *,
    sure: Iterable[int],
    weak: Iterable[int],
) -> AmountParts:
    """Return the columns from which a sheet computes its amount.

    `known` are the used columns by field, `unused` headers by index; `sure` and `weak` are unused columns with headers
    of amounts. `is_needed` is True with a sure one; with a weak one, only if at least half of the first `rows` agree,
    and one of them only with its changes.
    """
    amount = known.get(AMOUNT)
    firm, loose = tuple(sure), tuple(weak)
    # without a count, a price beside the amount is that of the whole row
    loose += tuple(known[name] for name in COUNTED[1:] if name in known and COUNTED[0] not in known)
    plain = {index: cells.plain(text) for index, text in unused.items() if index not in (*firm, *loose)}
    deducted, plus = _change_columns(plain, unused)
    minus = [each for each in deducted if not WITHHELD.search(plain[each[0]])]
    # the amount is before this discount, and the other amounts are after it
    plus += [(known[_DISCOUNT], False)] if _DISCOUNT in known else []
    counts = [index for index, text in plain.items() if _COUNT.search(text) and not _PERIODS.search(text)]
    counts += [known["quantity"]] if "quantity" in known else []
    product = tuple(known[name] for name in COUNTED if name in known)
    if amount is None or len(minus) + len(plus) > _MOST_CHANGES:
        return AmountParts()
    sample, additions = list(islice(rows, SAMPLED)), (tuple(plus), tuple(_without_factors(plus, plain)))
    if firm:
        # a fixed price stands beside counts that do not multiply it
        choices = [
            AmountParts(firm, tuple(minus), more, times, is_needed=True, product=product)
            for times in (tuple(counts), ())
            for more in additions
        ]
        return max(choices, key=lambda each: _agreeing(each, amount, sample))
    changes = {index for index, _ in (*minus, *plus)}
    others = loose or tuple(index for index in unused if index not in changes and index not in counts)
    choices = [AmountParts(others, tuple(minus), more, product=product) for more in additions]
    learned = (replace(each, is_needed=True) for each in choices if loose and _is_learned(each, amount, sample))
    return next(learned, choices[0])


def computed_amount(texts: Mapping[int, str], known: Mapping[str, int], rows: Sequence[Row]) -> int | None:
    """Return the only column without a field to which changes of the amount beside it add up in most rows, or None.

    `Mensalidade`, `Desconto irmão`, `A pagar`: the charge is what is to be paid. A part that was paid before and a
    discount with a condition lessen no invoice, nor does a tax; `known` may have the discount that an invoice shows.
    """
    amount = known.get(AMOUNT)
    if amount is None or _DISCOUNT in known or is_final(normalised(texts.get(amount, ""))):
        return None
    plain = {index: cells.plain(text) for index, text in texts.items() if index not in known.values()}
    deducted, plus = _change_columns(plain, texts)
    minus = [(index, is_percent) for index, is_percent in deducted if not _LESSENS_PAYMENT.search(plain[index])]
    if len(minus) + len(plus) > _MOST_CHANGES:
        return None
    choices = [AmountParts((amount,), tuple(minus), tuple(each)) for each in (plus, _without_factors(plus, plain))]
    changes = {index for index, _ in (*minus, *plus)}
    results = [index for index, text in plain.items() if _RESULT.fullmatch(text) and index not in changes]
    found = [index for index in results if any(_is_learned(parts, index, rows) for parts in choices)]
    return found[0] if len(found) == 1 else None


def _change_columns(
    plain: Mapping[int, str], texts: Mapping[int, str]
) -> tuple[list[tuple[int, bool]], list[tuple[int, bool]]]:
    """Return the deductions and the additions among these headers, each with whether it is a percentage.

    `plain` are the normalized headers to search, `texts` the headers as written.
    """
    minus = [(index, _says_percent(texts[index])) for index, text in plain.items() if _MINUS.search(text)]
    plus = [
        (index, _says_percent(texts[index]))
        for index, text in plain.items()
        if _PLUS.search(text) and not _MINUS.search(text)
    ]
    return minus, plus


def _without_factors(plus: Sequence[tuple[int, bool]], plain: Mapping[int, str]) -> list[tuple[int, bool]]:
    """Return the additions without their factors: beside the amount of an excess stand its hours and their price."""
    return [each for each in plus if not _FACTOR.search(plain.get(each[0], ""))]


def _agreeing(parts: AmountParts, amount: int, rows: Iterable[Row]) -> int:
    return sum(parts.agrees(row.cells, figure) is True for row in rows for figure in numbers_in_cell(row.cells, amount))


def _is_learned(parts: AmountParts, amount: int, rows: Iterable[Row]) -> bool:
    """Return whether at least half of the first rows agree, and one of them only with its changes."""
    verdicts: list[bool] = []
    is_changed = False
    for row in islice(rows, SAMPLED):
        for figure in numbers_in_cell(row.cells, amount):
            verdict = parts.agrees(row.cells, figure)
            if verdict is not None:
                verdicts.append(verdict)
                is_changed = is_changed or (verdict and AmountParts(parts.bases).agrees(row.cells, figure) is False)
    # a change after which figures agree to the cent is hardly a coincidence
    return is_changed and sum(verdicts) >= len(verdicts) / 2


def _says_percent(header: str) -> bool:
    return _PERCENT.search(header.lower()) is not None


def _change(found: Sequence[Cell], index: int, base: float, *, is_percent: bool) -> float:
    """Return the amount of the change that a cell states; a percentage is of `base`. 0 for a cell without a number."""
    cell = found[index] if index < len(found) else None
    values = numbers_in_cell(found, index)
    if not values:
        return 0.0
    value = abs(values[0])
    if isinstance(cell, Percent) or 0 < value < 1:
        return base * value
    has_sign = isinstance(cell, str) and "%" in cell
    return base * value / 100 if is_percent or has_sign else value


def numbers_in_cell(found: Sequence[Cell], index: int | None) -> list[float]:
    """Return a list with the number in a cell; empty for a cell without a number or with several readings."""
    cell = found[index] if index is not None and index < len(found) else None
    if isinstance(cell, float):
        return [float(cell)]
    if not isinstance(cell, str):
        return []
    bare = cells.as_text(cell).removesuffix("%").strip()
    read = set(number_parser.readings(bare).values())
    return [float(read.pop())] if len(read) == 1 else []


def unused_amount_columns(
    unused: Mapping[int, str], aliases: Mapping[str, str], weaker: Mapping[str, str]
) -> tuple[list[int], list[int]]:
    """Return the unused columns with a sure header of an amount, and those with only a weaker one."""
    names = {index: normalised(text) for index, text in unused.items()}
    sure = [index for index, text in names.items() if aliases.get(text) == AMOUNT or is_final(text)]
    weak = [index for index, text in names.items() if AMOUNT in (weaker.get(text), weaker.get(stem(unused[index])))]
    return sure, [index for index in weak if index not in sure]
