"""Learn from most rows how other columns add up to the amount, and find the rows that break the rule."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from typing import Final, TypeAlias

from connectors.spreadsheets.formats.sheets import Cell, Percent, Row
from connectors.spreadsheets.headers.final_amounts import (
    AMOUNT,
    COUNTED,
    SAMPLED,
    WITHHELD,
    is_sum,
    lessens_payment,
    numbers_in_cell,
)
from connectors.spreadsheets.headers.portions import names_progress
from connectors.spreadsheets.holds.amount_terms import learned_terms
from connectors.spreadsheets.holds.passed_on_words import NOT_CHARGED, OLDER, PASSED_ON, RATE
from connectors.spreadsheets.parsers import cells

Figures: TypeAlias = Sequence[float | None]
"""The numbers of a row in a relation's columns, the amount first; None for a cell without a number."""
_CENT: Final = 0.011
_FEWEST: Final = 2
_MOST_ADDENDS: Final = 8
_MOST_RESULTS: Final = 12
_DAYS: Final = 31
_DISCOUNT: Final = "unconditioned_discount_cents"
_GROSS: Final = re.compile(r"\b(?:tabela|chei[oa]|integral|lista|original|bruto|sem desconto)\b")
_NET: Final = re.compile(r"(?:valor |vlr |total )?(?:liquido\b|a receber$).{0,30}|net amount")
_MINUTES: Final = re.compile(r"\b(?:min|minutos?)\b")
_OF_AN_HOUR: Final = re.compile(r"\b(?:hora|h)\b")
_MINUTES_OF_AN_HOUR: Final = 60
_WITHHELD: Final = re.compile(r"\bretid[oa]s?\b")
_PERCENT: Final = re.compile(r"%|\bpercentual\b")
_TEXTS: Final = ("description", "reference", "contract")
"""Fields of texts. A column of figures that has one of these is a price: `Medição`, `Serviços executados`."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A rule between the amount and other columns.

    Attributes:
        columns: Indexes of the columns, the amount first.
        reported: Index of the column at which a problem is reported.
        holds: Returns whether a row follows the rule; None if the rule does not apply to the row.
        explains: Whether a row that follows the rule has the right amount, even if one column seems to contradict it.
    """

    columns: tuple[int, ...]
    reported: int
    holds: Callable[[Figures], bool | None]
    explains: bool = False

    def of_row(self, row: Sequence[Cell]) -> bool | None:
        """Return whether one row follows the rule; None if the rule does not apply to it."""
        return self.holds(_figures(row, self.columns))

    def verdicts(self, columns: Sequence[Sequence[Cell]]) -> Iterator[bool | None]:
        """Yield for each row of a block whether it follows the rule."""
        found = [columns[index] if index < len(columns) else () for index in self.columns]
        yield from (self.holds(list(map(_figure, row))) for row in zip(*found, strict=False))


def relations(texts: Mapping[int, str], used: Mapping[str, int], rows: Iterable[Row]) -> tuple[Relation, ...]:
    """Return the rules by which other columns give the amount.

    The headers imply a rule, or most of the first `rows` follow it. `texts` are headers by column, `used` the columns
    by field.
    """
    amount = used.get(AMOUNT)
    if amount is None:
        return ()
    plain = {index: cells.plain(text) for index, text in texts.items()}
    discount = used.get(_DISCOUNT)
    free = [index for index in plain if index not in used.values()]
    sample = [row.cells for row in islice(rows, SAMPLED)]
    found: list[Relation] = []
    gross = next((index for index in free if _GROSS.search(plain[index])), None)
    is_within = False
    if discount is not None and gross is not None:
        is_within = any(_is_within(*_figures(row, (amount, gross, discount))) for row in sample)
        found.append(Relation((amount, gross, discount), gross, partial(_follows_discount, is_within=is_within)))
    product = [used[name] for name in COUNTED if name in used]
    if discount is not None and len(product) == len(COUNTED):
        columns = (amount, *product, discount)
        is_within = is_within or any(_is_within(*_multiplied(_figures(row, columns))) for row in sample)
        found.append(Relation(columns, discount, partial(_follows_product, is_within=is_within)))
    named = {used[name] for name in _TEXTS if name in used}
    priced = [index for index in plain if (index in free or index in named) and _has_figures(sample, index)]
    found += _included(plain, amount, priced)
    found += _reduced(plain, amount, priced, product)
    found += _nets(plain, amount, None if is_within else discount, sample)
    found += _timed(plain, amount, free, sample, prices=[used[COUNTED[1]]] if COUNTED[1] in used else free)
    return (*found, *_chain(plain, free, used, [row for row in sample if _is_line(row, used)]))


def _is_line(row: Sequence[Cell], used: Mapping[str, int]) -> bool:
    """Return whether a row of the sample has a customer. A row of totals has none."""
    index = used.get("document")
    return index is None or (index < len(row) and not cells.is_blank(row[index]))


def _chain(
    plain: Mapping[int, str], free: Sequence[int], used: Mapping[str, int], sample: Sequence[Sequence[Cell]]
) -> Iterator[Relation]:
    """Yield the rules by which other columns give the amount and the quantity, then the rules for those columns."""
    amount, counted = used[AMOUNT], [used[name] for name in COUNTED if name in used]
    results = {amount: sorted((*free, *counted))}
    if COUNTED[0] in used:
        results[counted[0]] = [*free, *_unnamed(plain, counted[0], sample)]
    waiting = list(results)
    while waiting and len(results) <= _MOST_RESULTS:
        result = waiting.pop(0)
        terms = results[result]
        for relation in _composed(plain, terms, counted, result, sample):
            if set(relation.columns) != {amount, *counted}:
                is_of_amount = result == amount
                yield relation if is_of_amount else replace(relation, reported=result, explains=False)
            # a column cannot be computed from the columns that stand beside it in the same sum
            others = [index for index in terms if index not in relation.columns]
            for index in relation.columns[1:]:
                if index in free and index not in results:
                    results[index] = others
                    waiting.append(index)


def _composed(
    plain: Mapping[int, str], terms: Sequence[int], counted: Sequence[int], result: int,
    sample: Sequence[Sequence[Cell]],
) -> list[Relation]:  # fmt: skip
    """Return the rules by which these columns give `result` in most rows: a sum, else products; and a share."""
    addends = terms if len(counted) < len(COUNTED) else [index for index in terms if index not in counted]
    found = _sums(plain, addends, result, sample, most=_DAYS if result in counted else _MOST_ADDENDS)
    if not found and (learned := learned_terms(plain, terms, result, sample)) is not None:
        subtracted = (plain[learned.columns[place - 1]] for place in learned.less)
        is_of_price = not any(map(PASSED_ON.search, (plain[each] for each in learned.columns)))
        explains = is_of_price and not any(map(WITHHELD.search, subtracted))
        found = [Relation((result, *learned.columns), max(learned.columns), learned.holds, explains=explains)]
    return found + _shares(plain, [index for index in terms if index in plain], result, sample)


def _unnamed(plain: Mapping[int, str], result: int, sample: Sequence[Sequence[Cell]]) -> Iterator[int]:
    """Yield the columns left of `result` whose headers are not texts, such as the days of a timesheet."""
    yield from (index for index in range(result) if index not in plain and any(len(row) > index for row in sample))


def _is_within(amount: float | None, gross: float | None, discount: float | None) -> bool:
    """Return whether the amount is the gross price less its discount."""
    return bool(amount and gross and discount) and abs((gross or 0) - (discount or 0) - (amount or 0)) < _CENT


def _multiplied(row: Figures) -> Figures:
    """Return amount, count × price and discount."""
    amount, count, price, discount = row
    return amount, count * price if count and price else None, discount


def _follows_product(row: Figures, *, is_within: bool) -> bool | None:
    """Return False if the amount is the full count × price although other rows subtract their discount (`is_within`).

    Return None for a row without amount, count, price or discount. Other rules compare any other amount.
    """
    amount, gross, discount = _multiplied(row)
    if not amount or not gross or not discount:
        return None
    return not (is_within and abs(gross - amount) < _CENT)


def _follows_discount(row: Figures, *, is_within: bool) -> bool | None:
    amount, gross, discount = row
    if not amount or not gross or not discount:
        return None
    return _is_within(amount, gross, discount) or (not is_within and abs(gross - amount) < _CENT)


def _has_figures(sample: Sequence[Sequence[Cell]], index: int) -> bool:
    return any(_figures(row, [index])[0] for row in sample)


def _included(plain: Mapping[int, str], amount: int, priced: Sequence[int]) -> Iterator[Relation]:
    """Yield the rules that the amount is not a price of the row plus what is no part of the service.

    A total beside an older balance alone includes it.
    """
    more = [index for index in priced if NOT_CHARGED.search(plain[index]) and not RATE.search(plain[index])]
    prices = [index for index in priced if index not in more]
    if not prices and is_sum(plain[amount]):
        yield from (Relation((amount, index), index, _is_alone) for index in more if OLDER.search(plain[index]))
    for index in more if prices else ():
        others = [each for each in more if each != index]
        rule = partial(_excludes, prices=len(prices))
        yield Relation((amount, index, *prices, *others), index, rule)


def _is_alone(row: Figures) -> bool | None:
    amount, older = row
    return None if not amount or not older else older >= amount


def _excludes(row: Figures, *, prices: int) -> bool | None:
    amount, first, *rest = row
    if not amount or not first:
        return None
    more = first + sum(each for each in rest[prices:] if each)
    return not any(each and abs(each + part - amount) < _CENT for each in rest[:prices] for part in (first, more))


def _reduced(
    plain: Mapping[int, str], amount: int, priced: Sequence[int], product: Sequence[int]
) -> Iterator[Relation]:
    """Yield the rule that the amount is not a price of the row less what is withheld, or was paid otherwise."""
    less = [
        index
        for index, text in plain.items()
        if lessens_payment(text, plain[amount]) and index not in (amount, *product)
    ]
    prices = [index for index in priced if index not in less]
    product = product if len(product) == len(COUNTED) else ()
    if less and (prices or product):
        rule = partial(_is_gross, factors=len(product), less=len(less))
        yield Relation((amount, *product, *prices, *less), less[0], rule)


def _is_gross(row: Figures, *, factors: int, less: int) -> bool | None:
    amount, *rest = row
    if not amount or not any(rest[-less:]):
        return None
    bases = [each for each in rest[factors:-less] if each and each > amount]
    if factors and (whole := math.prod(each or 0 for each in rest[:factors])) > amount:
        bases.append(whole)
    if not bases:
        return True
    parts = [abs(each) for each in rest[-less:] if each]
    return not any(
        abs(base - part - amount) < _CENT
        for base in bases
        for each in {*parts, sum(parts)}
        for part in (each, base * each, base * each / 100)
    )


def _nets(
    plain: Mapping[int, str], amount: int, discount: int | None, sample: Sequence[Sequence[Cell]]
) -> Iterator[Relation]:
    """Yield the rule that a net amount is at most the amount less its discount and the taxes withheld."""
    net = next((index for index, text in plain.items() if index != amount and _NET.fullmatch(text)), None)
    if net is None:
        return
    less = [index for index, text in plain.items() if _WITHHELD.search(text) and index not in (amount, net)]
    less += [discount] if discount is not None else []
    if less:
        relation = Relation((amount, net, *less), net, _follows_net)
        if discount is not None or any(map(relation.of_row, sample)):
            yield relation


def _timed(
    plain: Mapping[int, str], amount: int, free: Sequence[int], sample: Sequence[Sequence[Cell]], *,
    prices: Sequence[int],
) -> Iterator[Relation]:  # fmt: skip
    """Yield the rule that the amount is minutes × the price of an hour, if most rows follow it."""
    for minutes in (index for index in free if _MINUTES.search(plain[index])):
        for price in (index for index in prices if _OF_AN_HOUR.search(plain[index]) and index != minutes):
            yield from _learned(Relation((amount, minutes, price), minutes, _follows_minutes), sample)


def _follows_minutes(row: Figures) -> bool | None:
    amount, minutes, price = row
    if not amount or not minutes or not price:
        return None
    return abs(minutes * price / _MINUTES_OF_AN_HOUR - amount) < _CENT


def _follows_net(row: Figures) -> bool | None:
    amount, net, *less = row
    if not amount or not net or not any(less):
        return None
    return net < amount - sum(abs(each) for each in less if each) + _CENT


def _shares(
    plain: Mapping[int, str], free: Sequence[int], amount: int, sample: Sequence[Sequence[Cell]]
) -> list[Relation]:
    """Return the rule of the first base and percentage whose share, or base plus share, is the amount in most rows."""
    rates = [index for index in free if _PERCENT.search(plain[index]) or _has_percent(sample, index)]
    for rate in rates:
        for base in free:
            if base not in rates and not plain[base].startswith("data"):
                is_percent = _PERCENT.search(plain[rate]) is not None
                for rule in (_follows_share, _follows_growth):
                    is_part = rule is _follows_share and names_progress(plain[rate])
                    named = partial(rule, is_percent=is_percent)
                    relation = Relation((amount, base, rate), rate, named, explains=is_part)
                    if learned := list(_learned(relation, sample, fewest=1 if is_part else _FEWEST)):
                        return learned
    return []


def _has_percent(sample: Sequence[Sequence[Cell]], index: int) -> bool:
    found = (row[index] for row in sample if index < len(row))
    return any(isinstance(cell, Percent) or (isinstance(cell, str) and cell.rstrip().endswith("%")) for cell in found)


def _follows_share(row: Figures, *, is_percent: bool) -> bool | None:
    return _is_product(row, 0.0, is_percent=is_percent)


def _follows_growth(row: Figures, *, is_percent: bool) -> bool | None:
    """Return whether the amount is the base plus a percentage of the base: a readjusted price."""
    return _is_product(row, 1.0, is_percent=is_percent)


def _is_product(row: Figures, whole: float, *, is_percent: bool) -> bool | None:
    amount, base, rate = row
    if not amount or not base or not rate:
        return None
    shares = (rate, rate / 100) if rate <= 1 or not is_percent else (rate / 100,)
    return any(abs(base * (whole + share) - amount) < _CENT for share in shares)


def _sums(
    plain: Mapping[int, str], free: Sequence[int], amount: int, sample: Sequence[Sequence[Cell]],
    most: int = _MOST_ADDENDS,
) -> list[Relation]:  # fmt: skip
    """Return the rule that the columns directly left of the amount add up to it in most rows.

    At least one row must have figures in two of them: a single figure is only a copy of the amount."""
    addends: list[int] = []
    found: list[Relation] = []
    for index in range(amount - 1, max(-1, amount - 1 - most), -1):
        written = [row[index] for row in sample if index < len(row) and not cells.is_blank(row[index])]
        is_numeric = all(_figure(cell) is not None and not isinstance(cell, Percent) for cell in written)
        if index not in free or not is_numeric:
            break
        addends.append(index)
        explains = not any(PASSED_ON.search(plain.get(each, "")) for each in addends)
        several = sum(
            _adds_up(figures) is True and sum(map(bool, figures[1:])) > 1
            for figures in (_figures(row, (amount, *addends)) for row in sample)
        )
        if len(addends) > 1 and several:
            found += _learned(Relation((amount, *addends), addends[-1], _adds_up, explains=explains), sample)
    return found[-1:]


def _adds_up(row: Figures) -> bool | None:
    amount, *addends = row
    if amount is None or not any(addends):
        return None
    return abs(sum(each for each in addends if each) - amount) < _CENT


def _learned(relation: Relation, sample: Sequence[Sequence[Cell]], *, fewest: int = _FEWEST) -> Iterator[Relation]:
    """Yield the rule if enough rows follow it, and at least half of the rows to which it applies."""
    spoken = list(map(relation.of_row, sample))
    follow = spoken.count(True)
    if follow >= max(fewest, (follow + spoken.count(False)) / 2):
        yield relation


def _figures(row: Sequence[Cell], columns: Sequence[int]) -> list[float | None]:
    return [_figure(row[index]) if index < len(row) else None for index in columns]


def _figure(cell: Cell) -> float | None:
    if isinstance(cell, float):
        return float(cell)
    return _figure_of(cell) if isinstance(cell, str) else None


@lru_cache(maxsize=8192)
def _figure_of(text: str) -> float | None:
    return next(iter(numbers_in_cell((text,), 0)), None)
