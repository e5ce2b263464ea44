"""The order service's read side: attributes are nouns, each method is one documented call."""

from connectors.http.session import HttpSession
from connectors.orders.adjustments import AdjustmentCalls
from connectors.orders.discounts import DiscountCalls
from connectors.orders.invoices import InvoiceCalls
from connectors.orders.orders import OrderCalls


class OrdersClient:
    """Works on an open session, whose errors (`connectors.http.errors`) every call may raise."""

    def __init__(self, session: HttpSession) -> None:
        self.session = session
        self.orders = OrderCalls(session)
        self.invoices = InvoiceCalls(session)
        self.adjustments = AdjustmentCalls(session)
        self.discounts = DiscountCalls(session)

    @property
    def requests(self) -> int:
        """Requests put on the wire so far, repeated ones included."""
        return self.session.requests
