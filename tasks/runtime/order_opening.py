"""Open the order service by a profile's name; a module of its own, because few commands need that connector."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from connectors.identity.client import IdentityClient
from connectors.ledger import request_counts as ledger_traffic
from connectors.orders.client import OrdersClient
from tasks.runtime.opening import (
    MIRROR,
    ORDERS,
    Context,
    open_context,
    open_identity_session,
    open_order_session,
    system_throttle,
)


@dataclass(frozen=True, slots=True)
class OrdersRuntime(Context):
    """A context with access to the order service, and to the identity service where the profile has its address."""

    orders: OrdersClient
    identity: IdentityClient | None = None


@asynccontextmanager
async def open_orders(profile: str) -> AsyncIterator[OrdersRuntime]:
    """Open a context with the order service and count its requests. Raises `SettingsError` where it has no address."""
    with open_context(profile) as context:
        shared = (context.settings, context.catalogue, context.ledger, context.worker, context.clock)
        async with AsyncExitStack() as lines:
            session = await lines.enter_async_context(
                open_order_session(context.settings, system_throttle(context, ORDERS))
            )
            identity = None
            if context.settings.identity.base_url:
                identity = IdentityClient(await lines.enter_async_context(open_identity_session(context)))
            try:
                yield OrdersRuntime(*shared, OrdersClient(session), identity)
            finally:
                await context.ledger.write_async(ledger_traffic.count_requests, MIRROR, session.requests)
