"""The order service: attributes are nouns, each method is one documented call."""

from typing import Final

from connectors.http.dialects import Dialect, detail, empty_json, keyed_messages
from connectors.http.session import HttpSession
from connectors.orders.adjustments import AdjustmentCalls
from connectors.orders.discounts import DiscountCalls
from connectors.orders.invoices import InvoiceCalls
from connectors.orders.orders import OrderCalls

DIALECT: Final = Dialect(
    {
        400: (keyed_messages,),
        404: (empty_json,),
        409: (keyed_messages, empty_json),
    },
    otherwise=(detail,),
)
"""As seen on the wire: a missing thing is an empty body under a JSON content type [A 3.3]."""


class OrdersClient:
    """Works on an open session, whose errors (`connectors.http.errors`) every call may raise."""

    def __init__(self, session: HttpSession) -> None:
        self.session = session
        session.dialect = DIALECT
        self.orders = OrderCalls(session)
        self.invoices = InvoiceCalls(session)
        self.adjustments = AdjustmentCalls(session)
        self.discounts = DiscountCalls(session)

    @property
    def requests(self) -> int:
        """Requests put on the wire so far, repeated ones included."""
        return self.session.requests
