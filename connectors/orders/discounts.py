"""Discounts of an order: the record of an adjustment, with a negative amount [A 3.7]."""

from typing import Final

from pydantic import field_validator

from connectors.http.calls import understand
from connectors.http.session import HttpSession
from connectors.orders.adjustments import Adjustment, NewAdjustment, made_adjustment, read_adjustments
from connectors.orders.shapes import order_path
from domain.problems import FieldFault

_MADE: Final = frozenset({201})
_NOT_THERE: Final = frozenset({404})


class NewDiscount(NewAdjustment):
    """A new discount. `amount` is positive, in cents; the service stores it as a negative adjustment."""

    @field_validator("amount")
    @classmethod
    def _is_taken_off(cls, amount: int) -> int:
        if amount <= 0:
            raise FieldFault("record_field.discount")
        return amount


class DiscountCalls:
    """Calls about discounts. `AdjustmentCalls.remove` removes one."""

    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def of_order(self, slug: str, order_number: int) -> list[Adjustment]:
        path = f"{order_path(slug, order_number)}discounts/"
        return understand(await self._session.read("GET", path), lambda data: read_adjustments(data, order_number))

    async def create(self, slug: str, order_number: int, discount: NewDiscount) -> Adjustment:
        """Create a discount. Return the stored record, with a negative amount. `NotFound`: unknown order."""
        path = f"{order_path(slug, order_number)}discounts/"
        answer = await self._session.write("POST", path, discount.to_wire(), expect=_MADE, foreseen=_NOT_THERE)
        return understand(answer, lambda data: made_adjustment(data, order_number, -discount.amount))
