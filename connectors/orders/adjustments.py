"""Adjustments of an order's future invoices, and discounts, which are negative adjustments (document 002)."""

from typing import Any, Final

from pydantic import model_validator

from connectors.http.calls import require_same, understand
from connectors.http.session import HttpSession
from connectors.http.wire_values import Filled, read_list
from connectors.orders.shapes import AnswerModel, AskedCents, Cents, Day, RequestModel, last_number, order_path
from domain.problems import FieldFault

_MADE: Final = frozenset({201})
_GONE: Final = frozenset({204})
_NOT_THERE: Final = frozenset({404})
_NOT_THERE_OR_USED: Final = frozenset({404, 409})


class Adjustment(AnswerModel):
    """An adjustment in cents: positive is a surcharge, negative a discount. Its URL ends with its id [A 3.7]."""

    url: str
    order_url: str
    amount: Cents
    description: str
    valid_from: Day | None = None
    valid_until: Day | None = None
    redeemed_amount: Cents | None = None
    redemptions: tuple[Any, ...] = ()

    @property
    def number(self) -> int:
        """Return the id. Raises `ValueError` if the URL does not end in a number."""
        return last_number(self.url)


class NewAdjustment(RequestModel):
    """A new adjustment, valid from a day until the same or a later day; either day may be missing.

    `amount` is in cents: positive is a surcharge, negative a discount.
    """

    amount: AskedCents
    description: Filled
    valid_from: Day | None = None
    valid_until: Day | None = None

    @model_validator(mode="after")
    def _is_one(self) -> "NewAdjustment":
        if self.amount == 0:
            raise FieldFault("record_field.zero_amount", field="amount")
        if self.valid_from and self.valid_until and self.valid_until < self.valid_from:
            raise FieldFault("record_field.ends_first", field="valid_until")
        return self


class AdjustmentCalls:
    """Calls about adjustments. Their list has no pages [A 3.7]."""

    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def of_order(self, slug: str, order_number: int) -> list[Adjustment]:
        path = f"{order_path(slug, order_number)}adjustments/"
        return understand(await self._session.read("GET", path), lambda data: read_adjustments(data, order_number))

    async def read(self, slug: str, order_number: int, number: int) -> Adjustment:
        path = f"{order_path(slug, order_number)}adjustments/{number}/"
        return understand(await self._session.read("GET", path), lambda data: _adjustment(data, order_number, number))

    async def create(self, slug: str, order_number: int, adjustment: NewAdjustment) -> Adjustment:
        """Create an adjustment. Raises `NotFound` for an unknown order; after `Doubtful`, read the list.

        An answer of another order or another amount is `Doubtful`, too.
        """
        path = f"{order_path(slug, order_number)}adjustments/"
        body = adjustment.to_wire()
        answer = await self._session.write("POST", path, body, expect=_MADE, foreseen=_NOT_THERE)
        return understand(answer, lambda data: made_adjustment(data, order_number, adjustment.amount))

    async def remove(self, slug: str, order_number: int, number: int) -> None:
        """Remove an adjustment or a discount.

        Raises `Conflict` once an invoice has it, `NotFound` when it does not exist.
        """
        path = f"{order_path(slug, order_number)}adjustments/{number}/"
        await self._session.write("DELETE", path, None, expect=_GONE, foreseen=_NOT_THERE_OR_USED)


def read_adjustments(data: Any, order_number: int) -> list[Adjustment]:
    """Return a list of the order's adjustments. Raises `TypeError` or `ValueError` for anything else."""
    return [_of_order(item, order_number) for item in read_list(data)]


def made_adjustment(data: Any, order_number: int, cents: int) -> Adjustment:
    """Return the new adjustment of the order. Raises `ValueError` for one with another amount."""
    found = _of_order(data, order_number)
    return require_same(found, "amount", asked=cents, answered=found.amount)


def _adjustment(data: Any, order_number: int, number: int) -> Adjustment:
    found = _of_order(data, order_number)
    return require_same(found, "number", asked=number, answered=found.number)


def _of_order(data: Any, order_number: int) -> Adjustment:
    found = Adjustment.model_validate(data)
    last_number(found.url)  # refuse one that nobody could name
    return require_same(found, "order", asked=order_number, answered=last_number(found.order_url))
