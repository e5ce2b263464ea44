"""The client against the sandbox provider over a real socket."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from connectors.http.auth import BasicToken
from connectors.http.retry import Patience
from connectors.http.session import HttpSession
from connectors.nfse.client import NfseClient
from tests.sandboxes import TOKEN, RunningSandbox

Ask = Callable[[Callable[[NfseClient], Awaitable[Any]]], Any]


@pytest.fixture
def ask(sandbox: RunningSandbox) -> Ask:
    """Return a function that runs a coroutine function of a client and returns its result."""

    def run(talk: Callable[[NfseClient], Awaitable[Any]]) -> Any:
        async def main() -> Any:
            patience = Patience(first_wait_s=0.0)
            async with HttpSession(sandbox.base_url, BasicToken(TOKEN), patience=patience) as session:
                return await talk(NfseClient(session))

        return asyncio.run(main())

    return run
