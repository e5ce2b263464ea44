"""The provider's machine dies in the middle of a month and returns: its earlier answers are still true."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.faults.theatre import Theatre
from tests.faults.workbooks import RIO, month_lines, write_month
from tests.ledgers import sqlite_url
from tests.sandboxes import running_sandbox


def test_the_provider_dies_during_posting_and_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = tmp_path / "provider.db"
    with running_sandbox(state=state, advance="at_once", fixed_latency_ms=20) as sandbox:
        theatre = Theatre(tmp_path, sqlite_url(tmp_path), sandbox)
        for name, value in theatre.environment.items():
            monkeypatch.setenv(name, value)
        month = theatre.drop(write_month(tmp_path / "month.xlsx", month_lines(24, emitters=[RIO])))
        process = theatre.start_alone(month)
        assert theatre.until(lambda: theatre.seen("notes.create") >= 5, process)
        sandbox.kill()
    port = urlsplit(sandbox.base_url).port
    assert port is not None
    with running_sandbox(state=state, port=port, advance="at_once") as theatre.sandbox:
        try:
            assert theatre.finish(process) in (0, 1), theatre.logs()
            theatre.run(month)
            theatre.check()
        finally:
            theatre.close()
