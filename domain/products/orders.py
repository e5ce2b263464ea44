"""Read an order from its lines, and find contradictions between them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from domain.parties import TakerData, conflicts, fill_missing
from domain.problems import Problem, Where
from domain.products.lines import ProductKind, ProductLine
from domain.texts import folded

MOST_LINES: Final = 990
"""The most items that an invoice can have."""

_FACTS: Final = ("kind", "emitter_cnpj", "competence", "payment", "due_on", "order_discount_cents",
                 "order_total_cents", "freight", "freight_cents", "operation", "is_final_consumer",
                 "observations")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The lines of one order, and the values of the order as a whole, such as its payment or freight.

    A value is None if no line has it.
    """

    key: str
    lines: tuple[ProductLine, ...]
    taker: TakerData
    kind: ProductKind | None
    emitter_cnpj: str | None
    competence: date | None
    payment: str | None
    due_on: date | None
    order_discount_cents: int | None
    order_total_cents: int | None
    freight: str | None
    freight_cents: int | None
    operation: str | None
    is_final_consumer: bool | None
    observations: str | None

    @property
    def where(self) -> Where:
        """Return the place of the first line, where problems of the whole order are shown."""
        return Where(row=self.lines[0].row)


def order_of(lines: Sequence[ProductLine]) -> Order | list[Problem]:
    """Return the order, or a Problem for each contradiction between its lines and for too many lines.

    Raises `ValueError` without lines.
    """
    if not lines:
        raise ValueError("an order has lines")
    problems = [*_contradictions(lines), *_too_many_lines(lines)]
    if problems:
        return problems
    taker = lines[0].taker
    for line in lines[1:]:
        taker = fill_missing(taker, line.taker)
    facts: dict[str, Any] = {name: _first_value(name, lines)[0] for name in _FACTS}
    return Order(key=lines[0].order_key, lines=tuple(lines), taker=taker, **facts)


def _contradictions(lines: Sequence[ProductLine]) -> Iterator[Problem]:
    for name in _FACTS:
        value, first = _first_value(name, lines)
        for line in lines:
            other = getattr(line, name)
            if other is not None and _comparable_value(other) != _comparable_value(value):
                yield _conflict(name, line, first)
    known, since = TakerData(), lines[0]
    for line in lines:
        yield from (_conflict(name, line, since) for name in conflicts(known, line.taker))
        if known == TakerData() != line.taker:
            since = line
        known = fill_missing(known, line.taker)


def _too_many_lines(lines: Sequence[ProductLine]) -> Iterator[Problem]:
    if len(lines) > MOST_LINES:
        params: dict[str, str | int] = {"order": lines[0].order_key[:40], "count": len(lines), "limit": MOST_LINES}
        yield Problem("product.too_many_lines", "order_key", Where(row=lines[0].row), params)


def _conflict(name: str, line: ProductLine, first: ProductLine) -> Problem:
    params: dict[str, str | int] = {"order": line.order_key[:40], "other": first.row}
    return Problem("product.order_conflict", name, Where(row=line.row), params)


def _first_value(name: str, lines: Sequence[ProductLine]) -> tuple[Any, ProductLine]:
    return next(((value, line) for line in lines if (value := getattr(line, name)) is not None), (None, lines[0]))


def _comparable_value(value: Any) -> Any:
    return folded(value) if isinstance(value, str) else value
