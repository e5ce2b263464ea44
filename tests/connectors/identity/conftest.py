"""The client against the sandbox over a real socket."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from connectors.http.auth import BasicPair
from connectors.http.retry import Patience
from connectors.http.session import HttpSession
from connectors.identity.client import IdentityClient
from tests.connectors.identity.samples import APPLICATION
from tests.sandboxes import RunningSandbox


@pytest.fixture
def ask(sandbox: RunningSandbox) -> Callable[..., Any]:
    """Return a function that runs a coroutine function of a client and returns its result."""

    def run(talk: Callable[[IdentityClient], Awaitable[Any]], application: tuple[str, str] = APPLICATION) -> Any:
        async def main() -> Any:
            patience = Patience(first_wait_s=0.0)
            async with HttpSession(sandbox.base_url, BasicPair(*application), patience=patience) as session:
                return await talk(IdentityClient(session))

        return asyncio.run(main())

    return run
