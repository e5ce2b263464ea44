"""The product client against the sandbox over a real socket."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from connectors.http.auth import TokenHeader
from connectors.http.retry import Patience
from connectors.http.session import HttpSession
from connectors.nfe.client import NfeClient
from tests.connectors.nfe.samples import TOKEN
from tests.sandboxes import RunningSandbox

Ask = Callable[..., Any]


@pytest.fixture
def ask(sandbox: RunningSandbox) -> Ask:
    """Return a function that runs a coroutine function of a client and returns its result."""

    def run(talk: Callable[[NfeClient], Awaitable[Any]], *, extensions: bool = True) -> Any:
        async def main() -> Any:
            patience = Patience(first_wait_s=0.0)
            async with HttpSession(sandbox.base_url, TokenHeader(TOKEN), patience=patience) as session:
                return await talk(NfeClient(session, extensions=extensions))

        return asyncio.run(main())

    return run
