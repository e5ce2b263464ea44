"""Adjustments of an order's coming invoices, and discounts, which are negative ones (document 002)."""

from typing import Any
from urllib.parse import urlsplit

from connectors.http.calls import understand
from connectors.http.session import HttpSession
from connectors.orders.shapes import AnswerModel, Cents, Day, order_path


class Adjustment(AnswerModel):
    """Positive is a surcharge, negative a discount; cents. It has no id but the last part of its address [A 3.7]."""

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
        """The id. Raises `ValueError` where the address ends in no number."""
        return int(urlsplit(self.url).path.rstrip("/").rpartition("/")[2])


class AdjustmentCalls:
    """Calls about adjustments. Their list has no pages [A 3.7]."""

    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def of_order(self, slug: str, order_number: int) -> list[Adjustment]:
        path = f"{order_path(slug, order_number)}adjustments/"
        return understand(await self._session.read("GET", path), read_adjustments)

    async def read(self, slug: str, order_number: int, number: int) -> Adjustment:
        path = f"{order_path(slug, order_number)}adjustments/{number}/"
        return understand(await self._session.read("GET", path), Adjustment.model_validate)


def read_adjustments(data: Any) -> list[Adjustment]:
    """A list of adjustments; `TypeError` for anything else."""
    if not isinstance(data, list):
        raise TypeError("not a list")
    return [Adjustment.model_validate(item) for item in data]
