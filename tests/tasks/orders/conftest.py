"""The orders stations at the sandbox over a real socket, with a separate ledger for each test."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tasks.runtime.order_opening import OrdersRuntime, open_orders
from tests.sandboxes import RunningSandbox, running_sandbox

SINCE = datetime(2025, 10, 1, 3, tzinfo=UTC)
PLANS = ("essencial", "profissional", "empresarial")
Run = Callable[[Callable[[OrdersRuntime], Awaitable[Any]]], Any]


@pytest.fixture(scope="module")
def provider() -> Iterator[RunningSandbox]:
    with running_sandbox(in_thread=True) as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(provider: RunningSandbox, tmp_path, monkeypatch) -> RunningSandbox:
    """Reset the sandbox and make it the provider of the profile `local` in this test."""
    provider.control("reset")
    monkeypatch.setenv("FATURISTA_ORDERS__BASE_URL", provider.base_url)
    monkeypatch.setenv("FATURISTA_PATHS__HOME", str(tmp_path))
    monkeypatch.setenv("FATURISTA_ORDERS__PAGE_SIZE", "20")
    return provider


@pytest.fixture
def run(sandbox: RunningSandbox) -> Run:
    """Return a function that runs a coroutine function of a runtime and returns its result."""
    assert os.environ["FATURISTA_ORDERS__BASE_URL"] == sandbox.base_url

    def go(station: Callable[[OrdersRuntime], Awaitable[Any]]) -> Any:
        async def main() -> Any:
            async with open_orders("local") as runtime:
                return await station(runtime)

        return asyncio.run(main())

    return go
