"""The client against the sandbox provider over a real socket: one sandbox a module, begun anew for each test."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from connectors.http.auth import BasicToken
from connectors.http.retry import Patience
from connectors.http.session import HttpSession
from connectors.nfse.client import NfseClient
from tests.sandboxes import TOKEN, RunningSandbox, running_sandbox

Ask = Callable[[Callable[[NfseClient], Awaitable[Any]]], Any]


@pytest.fixture(scope="module")
def provider() -> Iterator[RunningSandbox]:
    with running_sandbox(in_thread=True) as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(provider: RunningSandbox) -> RunningSandbox:
    provider.control("reset")
    return provider


@pytest.fixture
def ask(sandbox: RunningSandbox) -> Ask:
    """Runs a coroutine function of a client and returns its result."""

    def run(talk: Callable[[NfseClient], Awaitable[Any]]) -> Any:
        async def main() -> Any:
            patience = Patience(first_wait_s=0.0)
            async with HttpSession(sandbox.base_url, BasicToken(TOKEN), patience=patience) as session:
                return await talk(NfseClient(session))

        return asyncio.run(main())

    return run
