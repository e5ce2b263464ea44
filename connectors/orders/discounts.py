"""Discounts of an order: the same record as an adjustment, with a negative amount [A 3.7]."""

from connectors.http.calls import understand
from connectors.http.session import HttpSession
from connectors.orders.adjustments import Adjustment, read_adjustments
from connectors.orders.shapes import order_path


class DiscountCalls:
    """Calls about discounts."""

    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def of_order(self, slug: str, order_number: int) -> list[Adjustment]:
        path = f"{order_path(slug, order_number)}discounts/"
        return understand(await self._session.read("GET", path), read_adjustments)
