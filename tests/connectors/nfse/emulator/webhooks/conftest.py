"""The provider of the twin's tests, and somebody whom it rings."""

from collections.abc import Iterator

import pytest

from tests.connectors.nfse.receivers import Receiver, receiving


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as somebody:
        yield somebody
