"""The sandbox over a real socket: one for each module, reset for each test."""

from collections.abc import Iterator

import pytest

from tests.sandboxes import RunningSandbox, running_sandbox


@pytest.fixture(scope="module")
def running() -> Iterator[RunningSandbox]:
    """Yield the module's sandbox, in any state."""
    with running_sandbox(in_thread=True) as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(running: RunningSandbox) -> RunningSandbox:
    """Return the sandbox after a reset."""
    running.control("reset")
    return running
