"""The sandbox over a real socket: one a module, as good as new for each test."""

from collections.abc import Iterator

import pytest

from tests.sandboxes import RunningSandbox, running_sandbox


@pytest.fixture(scope="module")
def running() -> Iterator[RunningSandbox]:
    """One of a module, whatever its tests have done to it."""
    with running_sandbox(in_thread=True) as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(running: RunningSandbox) -> RunningSandbox:
    """Begun anew."""
    running.control("reset")
    return running
