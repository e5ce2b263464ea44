"""The sandbox over a real socket: one for all tests of a worker, as good as new for each."""

from collections.abc import Iterator

import pytest

from tests.sandboxes import RunningSandbox, running_sandbox


@pytest.fixture(scope="session")
def running() -> Iterator[RunningSandbox]:
    """One for this worker, whatever its tests have done to it."""
    with running_sandbox(in_thread=True) as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(running: RunningSandbox) -> RunningSandbox:
    """Return the sandbox after a reset."""
    running.control("reset")
    return running
