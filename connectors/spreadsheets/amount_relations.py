"""Learn how the columns of a sheet come to its amount, and find the rows that contradict what the other rows say."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final, TypeAlias

from connectors.spreadsheets import cells
from connectors.spreadsheets.final_amounts import AMOUNT, SAMPLED, figure_at
from connectors.spreadsheets.formats.sheets import Cell, Percent, Row

Figures: TypeAlias = Sequence[float | None]
"""The figures of a row in a relation's columns, the amount first; None for a cell without one."""
_CENT: Final = 0.011
_FEWEST: Final = 2
_MOST_ADDENDS: Final = 8
_DISCOUNT: Final = "unconditioned_discount_cents"
_GROSS: Final = re.compile(r"\b(?:tabela|chei[oa]|integral|lista|original|bruto|sem desconto)\b")
_NET: Final = re.compile(r"(?:valor |vlr |total )?(?:liquido\b|a receber$).{0,30}|net amount")
_WITHHELD: Final = re.compile(r"\bretid[oa]s?\b")
_PERCENT: Final = re.compile(r"%|\bpercentual\b")
_PASSED_ON: Final = re.compile(
    r"\b(?:multas?|juros|mora|encargos|correcao|reembols\w*|repasses?|custas|despesas?|midia|verba|impostos?|tributos?|"
    r"iss|pis|cofins|inss|irrf)\b"
)
"""What a total may have although it is no price of the service."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A rule between the amount and other columns. `columns` has the amount first; `named` is the column in a reason.

    `holds` returns whether a row follows the rule, None for a row that says nothing about it. `explains`: a row that
    follows it has the right amount whatever its single columns say.
    """

    columns: tuple[int, ...]
    named: int
    holds: Callable[[Figures], bool | None]
    explains: bool = False

    def of_row(self, row: Sequence[Cell]) -> bool | None:
        """Return whether one row follows the rule."""
        return self.holds(_figures(row, self.columns))

    def verdicts(self, columns: Sequence[Sequence[Cell]]) -> Iterator[bool | None]:
        """Yield for each row of a block whether it follows the rule."""
        found = [columns[index] if index < len(columns) else () for index in self.columns]
        yield from (self.holds(list(map(_figure, row))) for row in zip(*found, strict=False))


def relations(texts: Mapping[int, str], used: Mapping[str, int], rows: Iterable[Row]) -> tuple[Relation, ...]:
    """Return the rules that most of the first `rows` follow.

    `texts` are headers by column, `used` the columns with a field.
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
    found += _nets(plain, amount, None if is_within else discount, sample)
    found += _shares(texts, plain, free, amount, sample)
    found += _sums(plain, free, amount, sample)
    return tuple(found)


def _is_within(amount: float | None, gross: float | None, discount: float | None) -> bool:
    """Return whether the amount already is the gross price less its discount."""
    return bool(amount and gross and discount) and abs((gross or 0) - (discount or 0) - (amount or 0)) < _CENT


def _follows_discount(row: Figures, *, is_within: bool) -> bool | None:
    amount, gross, discount = row
    if not amount or not gross or not discount:
        return None
    return _is_within(amount, gross, discount) or (not is_within and abs(gross - amount) < _CENT)


def _nets(
    plain: Mapping[int, str], amount: int, discount: int | None, sample: Sequence[Sequence[Cell]]
) -> Iterator[Relation]:
    """Yield that what is left cannot be more than the amount less its discount and what is withheld."""
    net = next((index for index, text in plain.items() if index != amount and _NET.fullmatch(text)), None)
    if net is None:
        return
    less = [index for index, text in plain.items() if _WITHHELD.search(text) and index not in (amount, net)]
    less += [discount] if discount is not None else []
    if less:
        relation = Relation((amount, net, *less), net, _follows_net)
        if discount is not None or any(map(relation.of_row, sample)):
            yield relation


def _follows_net(row: Figures) -> bool | None:
    amount, net, *less = row
    if not amount or not net or not any(less):
        return None
    return net < amount - sum(abs(each) for each in less if each) + _CENT


def _shares(
    texts: Mapping[int, str], plain: Mapping[int, str], free: Sequence[int], amount: int,
    sample: Sequence[Sequence[Cell]],
) -> list[Relation]:  # fmt: skip
    """Return the first pair of a base and a percentage that comes to the amount in most rows."""
    rates = [index for index in free if _PERCENT.search(texts[index].lower()) or _has_percent(sample, index)]
    for rate in rates:
        for base in free:
            if base not in rates and not plain[base].startswith("data"):
                rule = partial(_follows_share, is_percent=_PERCENT.search(texts[rate].lower()) is not None)
                learned = list(_learned(Relation((amount, base, rate), rate, rule), sample))
                if learned:
                    return learned
    return []


def _has_percent(sample: Sequence[Sequence[Cell]], index: int) -> bool:
    found = (row[index] for row in sample if index < len(row))
    return any(isinstance(cell, Percent) or (isinstance(cell, str) and cell.rstrip().endswith("%")) for cell in found)


def _follows_share(row: Figures, *, is_percent: bool) -> bool | None:
    amount, base, rate = row
    if not amount or not base or not rate:
        return None
    shares = (rate, rate / 100) if rate <= 1 or not is_percent else (rate / 100,)
    return any(abs(base * share - amount) < _CENT for share in shares)


def _sums(
    plain: Mapping[int, str], free: Sequence[int], amount: int, sample: Sequence[Sequence[Cell]]
) -> list[Relation]:
    """Return the columns left of the amount that add up to it in most rows, and in one of them several."""
    addends: list[int] = []
    found: list[Relation] = []
    for index in range(amount - 1, max(-1, amount - 1 - _MOST_ADDENDS), -1):
        written = [row[index] for row in sample if index < len(row) and not cells.is_blank(row[index])]
        is_numeric = all(_figure(cell) is not None and not isinstance(cell, Percent) for cell in written)
        if index not in free or not is_numeric:
            break
        addends.append(index)
        explains = not any(_PASSED_ON.search(plain[each]) for each in addends)
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


def _learned(relation: Relation, sample: Sequence[Sequence[Cell]]) -> Iterator[Relation]:
    """Yield the relation if two of the rows, and half of those that speak about it, follow it."""
    spoken = list(map(relation.of_row, sample))
    follow = spoken.count(True)
    if follow >= max(_FEWEST, (follow + spoken.count(False)) / 2):
        yield relation


def _figures(row: Sequence[Cell], columns: Sequence[int]) -> list[float | None]:
    return [_figure(row[index]) if index < len(row) else None for index in columns]


def _figure(cell: Cell) -> float | None:
    if isinstance(cell, float):
        return float(cell)
    found = figure_at((cell,), 0) if isinstance(cell, str) else ()
    return found[0] if found else None
