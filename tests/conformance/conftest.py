"""Provide the setup with the issuer shape and the database that a test names."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.setups import Setup, open_setup


@pytest.fixture
def setup(
    request: pytest.FixtureRequest, tmp_path: Path, ledger_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Setup]:
    """Yield a running provider of the shape, an empty ledger, and the settings in the environment."""
    with open_setup(request.param, tmp_path, ledger_url) as opened:
        for name, value in opened.environment.items():
            monkeypatch.setenv(name, value)
        yield opened
