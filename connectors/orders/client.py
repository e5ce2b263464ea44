"""The order service: attributes are nouns, each method is one documented call."""

from typing import Final

from connectors.http.error_bodies import Dialect, has_keyed_messages, is_detail, is_empty_json
from connectors.http.session import HttpSession
from connectors.orders.adjustments import AdjustmentCalls
from connectors.orders.discounts import DiscountCalls
from connectors.orders.invoices import InvoiceCalls
from connectors.orders.orders import OrderCalls

DIALECT: Final = Dialect(
    {
        400: (has_keyed_messages,),
        404: (is_empty_json,),
        409: (has_keyed_messages, is_empty_json),
    },
    otherwise=(is_detail,),
)
"""Observed on the wire: a missing resource is an empty body with a JSON content type [A 3.3]."""


class OrdersClient:
    """The client. It uses an open session; every call may raise its errors (`connectors.http.errors`)."""

    def __init__(self, session: HttpSession) -> None:
        self.session = session
        session.dialect = DIALECT
        self.orders = OrderCalls(session)
        self.invoices = InvoiceCalls(session)
        self.adjustments = AdjustmentCalls(session)
        self.discounts = DiscountCalls(session)

    @property
    def requests(self) -> int:
        """Return the number of requests sent so far, retries included."""
        return self.session.requests
