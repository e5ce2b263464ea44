"""The client against the sandbox over a real socket."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from connectors.http.auth import BasicPair
from connectors.http.retry import Patience
from connectors.http.session import HttpSession
from connectors.orders.client import OrdersClient
from tests.sandboxes import RunningSandbox

CONSUMER = ("sandbox-consumer", "sandbox-secret")


@pytest.fixture
def ask(sandbox: RunningSandbox) -> Callable[..., Any]:
    """Return a function that runs a coroutine function of a client and returns its result."""

    def run(talk: Callable[[OrdersClient], Awaitable[Any]], consumer: tuple[str, str] = CONSUMER) -> Any:
        async def main() -> Any:
            patience = Patience(first_wait_s=0.0)
            async with HttpSession(sandbox.base_url, BasicPair(*consumer), patience=patience) as session:
                return await talk(OrdersClient(session))

        return asyncio.run(main())

    return run
